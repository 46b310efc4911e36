import { type Db, sql } from '../../src/platform/postgres/postgres.ts';
import { canonicalJson } from '../../src/protocol/canonicalJson.ts';
import { type Rotation, signRotation } from '../../src/protocol/logRotation.ts';
import { type Head, type NoteSigner, parseVerifierKey, type Verifier } from '../../src/protocol/note.ts';
import { readRotations } from '../../src/recording/logTiles.ts';

/**
 * How long the former key signs too, so that verifiers have time to learn of the new one (docs/log#keys-of-the-log).
 */
const BOTH_SIGN = '30 days';

const ROTATE = sql(
  'log.rotate',
  `INSERT INTO log_rotations (from_key, to_key, note, rotated_at, both_until)
   VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + interval '${BOTH_SIGN}') ON CONFLICT (to_key) DO NOTHING`,
);
const LOG_CHANGE = sql(
  'log.logKeyChange',
  'INSERT INTO log_pending (accepted_at, key_change) VALUES (clock_timestamp(), $1)',
);
const IS_WAITING = sql('log.isRotationWaiting', 'SELECT FROM log_pending WHERE key_change = $1');

const changeOf = (note: string): string => canonicalJson({ change: 'log', note });

/** Rotates the key of the log at `head`, once; a leaf will record it. The caller holds the head. */
export async function rotate(db: Db, from: NoteSigner, to: NoteSigner, head: Head): Promise<void> {
  const note = signRotation(from, to, head);
  await storeRotation(db, { from: from.verifier, to: to.verifier }, note);
  await db.query(LOG_CHANGE, [changeOf(note)]);
}

export async function storeRotation(db: Db, { from, to }: Pick<Rotation, 'from' | 'to'>, note: string): Promise<void> {
  await db.query(ROTATE, [from.line, to.line, note]);
}

export async function isRotationWaiting(db: Db, note: string): Promise<boolean> {
  return (await db.query(IS_WAITING, [changeOf(note)])).length > 0;
}

export async function formerKeys(db: Db, name: string): Promise<Verifier[]> {
  const lines = (await readRotations(db)).flatMap(({ fromKey, toKey }) => [fromKey, toKey]);
  const verifiers = [...new Set(lines)].map(parseVerifierKey);
  return verifiers.filter((verifier): verifier is Verifier => verifier?.name === name);
}
