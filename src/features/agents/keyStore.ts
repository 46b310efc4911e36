import { effect } from '../../kernel/effect.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';

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
  `SELECT key_epoch AS "keyEpoch", suspended OR (frozen_at > '-infinity') IS TRUE AS suspended,
     EXISTS (SELECT FROM write_receipts WHERE agent_id = $1 AND nonce = $2) AS replayed
   FROM agent_states WHERE agent_id = $1`,
);
/** Numbers are drawn under a lock that is held until COMMIT: what is not seen has a greater one. */
const CHANGES = sql(
  'agents.changesOfKeys',
  `SELECT c.last_key_change AS last, k.agent_id FROM registration_counter c
   LEFT JOIN agent_keys k ON k.change_number > $1::bigint`,
);
export const FREEZE = effect('agents.freeze', 'release.freeze_agent($1, $2, $3, $4)');
export const ROTATE = effect('agents.rotate', 'release.rotate_key($1, $2, $3, $4, $5, $6, $7, $8)');

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

export async function refusalFacts(db: Db, agentId: string, nonce: string) {
  const facts = { keyEpoch: 0, suspended: false, replayed: false };
  return (await db.query<typeof facts>(REFUSAL_FACTS, [agentId, nonce]))[0] ?? facts;
}

/** Who got another key after a change of this number, and the number of the last change; null: the latter alone. */
export async function changesOfKeys(
  db: Db,
  after: string | null,
): Promise<{ readonly last: string; readonly agentIds: readonly string[] }> {
  const rows = await db.query<{ last: string; agent_id: string | null }>(CHANGES, [after]);
  return { last: rows[0]!.last, agentIds: rows.flatMap(({ agent_id }) => agent_id ?? []) };
}
