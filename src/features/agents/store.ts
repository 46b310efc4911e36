import { type Db, eitherWay, manyRows, type Order, oneRow, oneValue } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';

export interface AgentRow {
  readonly agent_id: string;
  readonly handle: string;
  readonly registration_ordinal: string;
  readonly display_name: string;
  readonly description: string;
  readonly signing_public_key: string;
  readonly encryption_public_key: string;
  readonly owner_encryption_public_key: string;
  readonly identity: string;
  readonly registered_at: Date;
}

export interface CardRow extends AgentRow {
  /** Since when the current key is frozen; null: it is not. */
  readonly frozen_at: Date | null;
  readonly suspended: boolean;
  /** The end of a suspension that has one; null for another, or without a suspension. */
  readonly suspended_until: Date | null;
  /** The keys after the first, oldest first; null: none. */
  readonly later_keys: readonly { readonly publicKey: string; readonly sinceMs: number }[] | null;
}

export const AGENT_COLUMNS = `a.agent_id, a.handle, a.registration_ordinal, a.display_name, a.description,
  a.signing_public_key, a.encryption_public_key, a.owner_encryption_public_key, a.identity, a.registered_at`;
export const CARD_COLUMNS = `${AGENT_COLUMNS}, (
    SELECT json_agg(json_build_object('publicKey', k.public_key, 'sinceMs', round(extract(epoch FROM k.since) * 1000))
                    ORDER BY k.key_epoch)
    FROM agent_keys k WHERE k.agent_id = a.agent_id) AS later_keys,
  (SELECT s.frozen_at FROM agent_states s WHERE s.agent_id = a.agent_id AND s.frozen_at > '-infinity') AS frozen_at,
  (SELECT release.is_suspended(s.suspended, s.suspended_until) FROM agent_states s WHERE s.agent_id = a.agent_id)
    AS suspended,
  (SELECT CASE WHEN s.suspended_until > now() AND NOT s.suspended THEN s.suspended_until END FROM agent_states s
   WHERE s.agent_id = a.agent_id) AS suspended_until`;

const ROSTER = eitherWay(
  'agents.roster',
  ({ beyond, sorted }) => `SELECT ${CARD_COLUMNS} FROM agents a
   WHERE a.registration_ordinal ${beyond} $1 ORDER BY a.registration_ordinal ${sorted} LIMIT $2`,
);
const BEFORE_ALL: Readonly<Record<Order, number>> = { oldest: 0, newest: Number.MAX_SAFE_INTEGER };

export const REGISTER = effect('agents.register', 'release.register_agent', {
  agent_id: 'text',
  handle: 'text',
  display_name: 'text',
  description: 'text',
  signing_public_key: 'text',
  encryption_public_key: 'text',
  owner_encryption_public_key: 'text',
  identity: 'text',
  at: 'timestamptz',
  starter_grant: 'bigint',
  starter_grant_until: 'timestamptz',
  address_digest: 'text',
  address_limit: 'integer',
  next_key: 'text',
});

export const agentById = oneRow<CardRow, [agentId: string]>(
  'agents.byId',
  `SELECT ${CARD_COLUMNS} FROM agents a WHERE a.agent_id = $1`,
);

export const agentByHandle = oneRow<CardRow, [handle: string]>(
  'agents.byHandle',
  `SELECT ${CARD_COLUMNS} FROM agents a WHERE a.handle = $1`,
);

/**
 * Folds a handle as `foldName` does, see `reservedNames.ts`. Handles have only the letters a to z, digits and hyphens.
 */
const folded = (handle: string): string => `replace(translate(replace(${handle}, '-', ''), '01l', 'oii'), 'rn', 'm')`;

/** Other agents whose handle folds to the same text, in order of registration. The index has the same expression. */
export const similarAgents = manyRows<
  { readonly agent_id: string; readonly handle: string },
  [handle: string, limit: number]
>(
  'agents.similar',
  `SELECT a.agent_id, a.handle FROM agents a
   WHERE ${folded('a.handle')} = ${folded('$1::text')} AND a.handle <> $1
   ORDER BY a.registration_ordinal LIMIT $2`,
);

/** A part of versions of what shows handles: it changes with each erasure of a registration. */
export const ERASURES = '(SELECT x.version FROM erased_agents x ORDER BY x.change_number DESC LIMIT 1)';

/** Covers registration, keys, freeze and suspension: a server that took over may have lost the last of each. */
export const cardVersion = oneValue<string, [handle: string]>(
  'agents.cardVersion',
  `SELECT a.agent_id || a.registration_ordinal || a.registered_at || ' ' || coalesce((
     SELECT string_agg(k.public_key || k.since, ' ' ORDER BY k.key_epoch) FROM agent_keys k WHERE k.agent_id = a.agent_id), '')
     || ' ' || (
     SELECT coalesce(s.frozen_at::text, '') || s.suspended || coalesce(
         CASE WHEN s.suspended_until > now() THEN s.suspended_until::text END, '') FROM agent_states s WHERE s.agent_id = a.agent_id) AS version
   FROM agents a WHERE a.handle = $1`,
);

export const agentsBeyond = (
  db: Db,
  { order, ordinal = BEFORE_ALL[order] }: { order: Order; ordinal: number | undefined },
  limit: number,
): Promise<CardRow[]> => db.query<CardRow>(ROSTER[order], [ordinal, limit]);
