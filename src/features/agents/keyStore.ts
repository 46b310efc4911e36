import type { RefusalFacts } from '../../pipeline/authenticate.ts';
import { type Db, manyRows, oneRow } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';

export interface CurrentKey {
  readonly agent_id: string;
  readonly handle: string;
  readonly registered_at: Date;
  readonly public_key: string;
  readonly key_epoch: number;
}

const CURRENT = `agents a JOIN agent_states s ON s.agent_id = a.agent_id
   LEFT JOIN agent_keys k ON k.agent_id = a.agent_id AND k.key_epoch = s.key_epoch WHERE a.agent_id = $1`;

export const FREEZE = effect('agents.freeze', 'release.freeze_agent', {
  agent_id: 'text',
  at: 'timestamptz',
  epoch: 'integer',
  change: 'text',
});
export const ROTATE = effect('agents.rotate', 'release.rotate_key', {
  agent_id: 'text',
  at: 'timestamptz',
  epoch: 'integer',
  frozen: 'boolean',
  key: 'text',
  next_key: 'text',
  change: 'text',
  most: 'integer',
});

export const currentKey = oneRow<CurrentKey, [agentId: string]>(
  'agents.currentKey',
  `SELECT a.agent_id, a.handle, a.registered_at, coalesce(k.public_key, a.signing_public_key) AS public_key, s.key_epoch
   FROM ${CURRENT}`,
);

export interface KeyState {
  readonly public_key: string;
  readonly key_epoch: number;
  /** JSON of the committed hash of the next key with its signature; null: no commitment. */
  readonly next_key: string | null;
  /** Null for the first key. */
  readonly since: Date | null;
  readonly frozen_at: Date | null;
}

export const keyState = oneRow<KeyState, [agentId: string]>(
  'agents.keyStanding',
  `SELECT coalesce(k.public_key, a.signing_public_key) AS public_key, s.key_epoch, s.next_key, k.since,
     CASE WHEN s.frozen_at > '-infinity' THEN s.frozen_at END AS frozen_at FROM ${CURRENT}`,
);

export const refusalFacts = oneRow<RefusalFacts, [agentId: string, nonce: string]>(
  'agents.refusalFacts',
  `SELECT (SELECT k.public_key FROM agent_keys k WHERE k.agent_id = s.agent_id AND k.key_epoch = s.key_epoch) AS "laterKey",
     release.is_suspended(s.suspended, s.suspended_until) OR (s.frozen_at > '-infinity') IS TRUE AS suspended,
     EXISTS (SELECT FROM write_receipts WHERE agent_id = $1 AND nonce = $2) AS replayed
   FROM agent_states s WHERE s.agent_id = $1`,
);

/**
 * A change of a key or an erasure: its number, the key it introduced (null: an erasure, or none under this number), and
 * the server that reported it.
 */
export interface KeyChange {
  readonly server: string;
  readonly last: string;
  readonly lastKey: string | null;
}

/**
 * Numbers are drawn under a lock until COMMIT, so unseen changes have greater ones. The start time tells a failover.
 */
const changesAfter = manyRows<
  KeyChange & { readonly isSame: boolean | null; readonly agent_id: string | null },
  [last: string | null, lastKey: string | null]
>(
  'agents.changesOfKeys',
  `SELECT c.last_key_change AS last, latest.public_key AS "lastKey",
     (SELECT known.public_key FROM agent_keys known WHERE known.change_number = $1::bigint) IS NOT DISTINCT FROM $2::text
       AND c.last_key_change >= $1::bigint AS "isSame", pg_postmaster_start_time()::text AS server, k.agent_id
   FROM registration_counter c
   LEFT JOIN agent_keys latest ON latest.change_number = c.last_key_change
   LEFT JOIN (SELECT agent_id, change_number FROM agent_keys UNION ALL SELECT agent_id, change_number FROM erased_agents) k
     ON k.change_number > $1::bigint`,
);

/** Returns the last change, the agents changed since `known`, and whether the database still has `known`. */
export async function changesOfKeys(db: Db, known: KeyChange | null) {
  const rows = await changesAfter(db, known?.last ?? null, known?.lastKey ?? null);
  const { server, last, lastKey, isSame } = rows[0]!;
  const continues = isSame === true && server === known?.server;
  return { change: { server, last, lastKey }, continues, agentIds: rows.flatMap(({ agent_id }) => agent_id ?? []) };
}
