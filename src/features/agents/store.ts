import { type Db, eitherWay, type Order, sql } from '../../platform/postgres/postgres.ts';
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

/** With the keys that came after the first, the oldest first; null: none. And since when the last one is frozen; null: it is not. */
export interface CardRow extends AgentRow {
  readonly frozen_at: Date | null;
  readonly later_keys: readonly { readonly publicKey: string; readonly sinceMs: number }[] | null;
}

/** Those of `AgentRow`, of `agents a`. */
export const AGENT_COLUMNS = `a.agent_id, a.handle, a.registration_ordinal, a.display_name, a.description,
  a.signing_public_key, a.encryption_public_key, a.owner_encryption_public_key, a.identity, a.registered_at`;
const CARD_COLUMNS = `${AGENT_COLUMNS}, (
    SELECT json_agg(json_build_object('publicKey', k.public_key, 'sinceMs', round(extract(epoch FROM k.since) * 1000))
                    ORDER BY k.key_epoch)
    FROM agent_keys k WHERE k.agent_id = a.agent_id) AS later_keys,
  (SELECT s.frozen_at FROM agent_states s WHERE s.agent_id = a.agent_id AND s.frozen_at > '-infinity') AS frozen_at`;

const BY_ID = sql('agents.byId', `SELECT ${CARD_COLUMNS} FROM agents a WHERE a.agent_id = $1`);
const WITH_STATE = sql(
  'agents.withState',
  `SELECT ${CARD_COLUMNS}, s.suspended FROM agents a JOIN agent_states s ON s.agent_id = a.agent_id
   WHERE a.agent_id = $1`,
);
const BY_HANDLE = sql('agents.byHandle', `SELECT ${CARD_COLUMNS} FROM agents a WHERE a.handle = $1`);
const CARD_VERSION = sql(
  'agents.cardVersion',
  `SELECT a.agent_id || a.registration_ordinal || a.registered_at || ' ' || coalesce((
     SELECT string_agg(k.public_key || k.since, ' ' ORDER BY k.key_epoch) FROM agent_keys k WHERE k.agent_id = a.agent_id), '')
     || ' ' || coalesce((SELECT s.frozen_at::text FROM agent_states s WHERE s.agent_id = a.agent_id), '') AS version
   FROM agents a WHERE a.handle = $1`,
);
const ROSTER = eitherWay(
  'agents.roster',
  ({ beyond, sorted }) => `SELECT ${CARD_COLUMNS} FROM agents a
   WHERE a.registration_ordinal ${beyond} $1 ORDER BY a.registration_ordinal ${sorted} LIMIT $2`,
);
/** Where the roster begins. */
const BEFORE_ALL: Readonly<Record<Order, number>> = { oldest: 0, newest: Number.MAX_SAFE_INTEGER };
/** Answers the agent's ordinal; taken handles and keys are raised as conflicts. */
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

export async function agentById(db: Db, agentId: string): Promise<CardRow | undefined> {
  return (await db.query<CardRow>(BY_ID, [agentId]))[0];
}

export async function agentWithState(db: Db, agentId: string): Promise<(CardRow & { suspended: boolean }) | undefined> {
  return (await db.query<CardRow & { suspended: boolean }>(WITH_STATE, [agentId]))[0];
}

export async function agentByHandle(db: Db, handle: string): Promise<CardRow | undefined> {
  return (await db.query<CardRow>(BY_HANDLE, [handle]))[0];
}

/**
 * The version of an agent's card: whose it is, under which keys, since when frozen, and of which registration, as a server that takes
 * over may not have seen the last one, nor the last change of a key. Null when nobody has the handle.
 */
export async function cardVersion(db: Db, handle: string): Promise<string | null> {
  return (await db.query<{ version: string }>(CARD_VERSION, [handle]))[0]?.version ?? null;
}

/** Agents beyond an ordinal (undefined: from the beginning), in order of registration, or the newest first. */
export async function agentsBeyond(
  db: Db,
  { order, ordinal = BEFORE_ALL[order] }: { order: Order; ordinal: number | undefined },
  limit: number,
): Promise<CardRow[]> {
  return db.query<CardRow>(ROSTER[order], [ordinal, limit]);
}
