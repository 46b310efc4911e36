import type { RefusalFacts } from '../../pipeline/authenticate.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';

/** The current key of an agent, and who that is. */
export interface CurrentKey {
  readonly agent_id: string;
  readonly handle: string;
  readonly public_key: string;
  readonly key_epoch: number;
}

const CURRENT = `agents a JOIN agent_states s ON s.agent_id = a.agent_id
   LEFT JOIN agent_keys k ON k.agent_id = a.agent_id AND k.key_epoch = s.key_epoch WHERE a.agent_id = $1`;
const CURRENT_KEY = sql(
  'agents.currentKey',
  `SELECT a.agent_id, a.handle, coalesce(k.public_key, a.signing_public_key) AS public_key, s.key_epoch FROM ${CURRENT}`,
);
const STANDING = sql(
  'agents.keyStanding',
  `SELECT coalesce(k.public_key, a.signing_public_key) AS public_key, s.key_epoch, s.next_key, k.since,
     CASE WHEN s.frozen_at > '-infinity' THEN s.frozen_at END AS frozen_at FROM ${CURRENT}`,
);
const REFUSAL_FACTS = sql(
  'agents.refusalFacts',
  `SELECT (SELECT k.public_key FROM agent_keys k WHERE k.agent_id = s.agent_id AND k.key_epoch = s.key_epoch) AS "laterKey",
     s.suspended OR (s.frozen_at > '-infinity') IS TRUE AS suspended,
     EXISTS (SELECT FROM write_receipts WHERE agent_id = $1 AND nonce = $2) AS replayed
   FROM agent_states s WHERE s.agent_id = $1`,
);
/**
 * Numbers are drawn under a lock that is held until COMMIT: what is not seen has a greater one. On a server that took over
 * without the last change another stands under its number, or none; by its start it is told from the one before, whatever else
 * that one had seen last.
 */
const CHANGES = sql(
  'agents.changesOfKeys',
  `SELECT c.last_key_change AS last, latest.public_key AS "lastKey",
     (SELECT known.public_key FROM agent_keys known WHERE known.change_number = $1::bigint) IS NOT DISTINCT FROM $2::text
       AND c.last_key_change >= $1::bigint AS "goesOn", pg_postmaster_start_time()::text AS server, k.agent_id
   FROM registration_counter c
   LEFT JOIN agent_keys latest ON latest.change_number = c.last_key_change
   LEFT JOIN agent_keys k ON k.change_number > $1::bigint`,
);
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

export async function currentKey(db: Db, agentId: string): Promise<CurrentKey | undefined> {
  return (await db.query<CurrentKey>(CURRENT_KEY, [agentId]))[0];
}

/** What a change of the key is decided on. */
export interface KeyStanding {
  readonly public_key: string;
  readonly key_epoch: number;
  /** JSON of the hash of the key that was committed to, and its signature; null: to none. */
  readonly next_key: string | null;
  /** Null for the first key. */
  readonly since: Date | null;
  readonly frozen_at: Date | null;
}

export async function keyStanding(db: Db, agentId: string): Promise<KeyStanding | undefined> {
  return (await db.query<KeyStanding>(STANDING, [agentId]))[0];
}

export async function refusalFacts(db: Db, agentId: string, nonce: string): Promise<RefusalFacts> {
  const [facts] = await db.query<RefusalFacts>(REFUSAL_FACTS, [agentId, nonce]);
  return facts ?? { laterKey: null, suspended: false, replayed: false };
}

/** A change by its number, the key that came with it, null where that is told of no more, and the server that said so. */
export interface KeyChange {
  readonly server: string;
  readonly last: string;
  readonly lastKey: string | null;
}

/** What came after a change of keys: the last one, who got another key, and whether that change is there as it was. */
export interface ChangesOfKeys extends KeyChange {
  readonly agentIds: readonly string[];
  readonly goesOn: boolean;
}

/** Without one, the last change alone. */
export async function changesOfKeys(db: Db, after: KeyChange | null): Promise<ChangesOfKeys> {
  const rows = await db.query<KeyChange & { goesOn: boolean | null; agent_id: string | null }>(CHANGES, [
    after?.last ?? null,
    after?.lastKey ?? null,
  ]);
  const { server, last, lastKey, goesOn } = rows[0]!;
  const isSame = goesOn === true && server === after?.server;
  return { server, last, lastKey, goesOn: isSame, agentIds: rows.flatMap(({ agent_id }) => agent_id ?? []) };
}
