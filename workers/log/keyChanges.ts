import { type Db, noRows, sql } from '../../src/platform/postgres/postgres.ts';
import { type Leaf, parseLeaf } from '../../src/protocol/logFormat.ts';

type PlainLeaf = Exclude<Leaf, { kind: 'write' }>;

interface KeyChange {
  readonly index: number;
  readonly content: PlainLeaf['content'];
}

const NOTE = sql(
  'log.noteRotations',
  `UPDATE agent_keys k SET leaf_index = r.index FROM unnest($1::text[], $2::text[], $3::bigint[]) r (agent_id, public_key, index)
   WHERE k.agent_id = r.agent_id AND k.public_key = r.public_key`,
);
export const forgetRotations = noRows<[base: number]>(
  'log.forgetRotations',
  'UPDATE agent_keys SET leaf_index = NULL WHERE leaf_index >= $1',
);
/** Freezes a key again that the database has forgotten to be frozen. */
const FREEZE = sql(
  'log.freezeAgain',
  `UPDATE agent_states s SET frozen_at = clock_timestamp() FROM agents a
   WHERE a.agent_id = s.agent_id AND s.agent_id = $1 AND (s.frozen_at > '-infinity') IS NOT TRUE
     AND coalesce((SELECT k.public_key FROM agent_keys k WHERE k.agent_id = s.agent_id AND k.key_epoch = s.key_epoch),
                  a.signing_public_key) = $2`,
);
/** Deletes waiting changes that conflict with one that is in the log already. */
const DROP_OTHERS = sql(
  'log.dropOtherRotations',
  `WITH dropped AS (DELETE FROM agent_keys WHERE agent_id = $1 AND leaf_index IS NULL RETURNING public_key)
   DELETE FROM log_pending p USING dropped d WHERE p.key_change::json ->> 'newKey' = d.public_key`,
);
const RESTORE = sql(
  'log.restoreRotation',
  `WITH counted AS (UPDATE registration_counter SET last_key_change = last_key_change + 1 RETURNING last_key_change),
        moved AS (UPDATE agent_states SET next_key = $4, frozen_at = NULL,
                    key_epoch = 1 + coalesce((SELECT max(key_epoch) FROM agent_keys WHERE agent_id = $1), 0)
                  WHERE agent_id = $1 RETURNING key_epoch)
   INSERT INTO agent_keys (agent_id, key_epoch, public_key, since, change_number, leaf_index)
   SELECT $1, m.key_epoch, $2, clock_timestamp(), c.last_key_change, $3 FROM moved m, counted c`,
);
const IS_KNOWN = sql('log.isKnownKey', 'SELECT FROM agent_keys WHERE public_key = $1');

const changesIn = (first: number, entries: readonly Buffer[]): KeyChange[] =>
  entries.flatMap((entry, n) => {
    const leaf = parseLeaf(entry);
    return leaf?.kind === 'key' ? [{ index: first + n, content: leaf.content }] : [];
  });
const rotationsIn = (first: number, entries: readonly Buffer[]): KeyChange[] =>
  changesIn(first, entries).filter(({ content }) => content.change === 'rotate');

/** Stores the index of each rotation among `entries`; proofs of later writes include these entries. */
export async function noteRotations(db: Db, first: number, entries: readonly Buffer[]): Promise<void> {
  const rotations = rotationsIn(first, entries);
  if (rotations.length === 0) return;
  await db.query(NOTE, [
    rotations.map(({ content }) => content.agentId),
    rotations.map(({ content }) => content.newKey),
    rotations.map(({ index }) => index),
  ]);
}

/**
 * Applies the key changes among `entries` to the database. A change in the log takes precedence over one made since.
 */
export async function restoreKeyChanges(db: Db, first: number, entries: readonly Buffer[]): Promise<void> {
  for (const { index, content } of changesIn(first, entries)) {
    const { agentId, change, publicKey, newKey, nextKey } = content;
    if (change === 'freeze') await db.query(FREEZE, [agentId, publicKey]);
    if (change !== 'rotate' || (await db.query(IS_KNOWN, [newKey])).length > 0) continue;
    await db.query(DROP_OTHERS, [agentId]);
    await db.query(RESTORE, [agentId, newKey, index, nextKey === null ? null : JSON.stringify(nextKey)]);
  }
}
