import { type Db, manyRows, oneRow, sql } from '../platform/postgres/statement.ts';

/** The level of bundles of entries, beside the levels of the tree (`log_tiles`). */
export const ENTRIES_LEVEL = -1;

export interface StoredTile {
  readonly level: number;
  readonly index: number;
  readonly bytes: Buffer;
}

const TILES = sql(
  'log.tiles',
  `SELECT t.level, t.tile_index::float8 AS index, t.bytes FROM log_tiles t
   JOIN unnest($1::smallint[], $2::bigint[]) asked (level, tile_index) USING (level, tile_index)`,
);

export const readTiles = (db: Db, tiles: readonly Omit<StoredTile, 'bytes'>[]): Promise<StoredTile[]> =>
  db.query(TILES, [tiles.map(({ level }) => level), tiles.map(({ index }) => index)]);

export interface PublishedCheckpoint {
  readonly origin: string;
  readonly verifierKey: string;
  readonly size: number;
  readonly note: string;
  readonly publishedAt: Date;
}

/** Undefined before the first signature. */
export const publishedCheckpoint = oneRow<PublishedCheckpoint>(
  'log.checkpoint',
  `SELECT origin, verifier_key AS "verifierKey", size::float8 AS size, note, published_at AS "publishedAt" FROM log_checkpoint`,
);

/** How the log passed from one key to the next (docs/log#keys-of-the-log). */
export interface StoredRotation {
  readonly fromKey: string;
  readonly toKey: string;
  readonly note: string;
  readonly rotatedAt: Date;
  /** Until then heads are signed by both keys. */
  readonly bothUntil: Date;
}

export const readRotations = manyRows<StoredRotation>(
  'log.rotations',
  `SELECT from_key AS "fromKey", to_key AS "toKey", note, rotated_at AS "rotatedAt", both_until AS "bothUntil"
   FROM log_rotations ORDER BY rotation_number`,
);

/** The result of the last request to a witness (docs/log#witnesses). */
export interface WitnessState {
  readonly name: string;
  readonly verifierKey: string;
  readonly size: number;
  readonly cosignedAt: Date | null;
  readonly askedAt: Date;
  readonly error: string | null;
}

export const readWitnesses = manyRows<WitnessState>(
  'log.witnesses',
  `SELECT name, verifier_key AS "verifierKey", size::float8 AS size, cosigned_at AS "cosignedAt", asked_at AS "askedAt", error
   FROM log_witnesses ORDER BY name`,
);

export interface LogHealth {
  readonly entries: number;
  /** The age of the oldest write that no published head covers, in seconds; 0 if there is none. */
  readonly oldestSeconds: number;
  /** `signing`: heads cover writes older than 30 s. `waiting`: no worker has the right key. `unsigned`: never a key. */
  readonly state: 'signing' | 'waiting' | 'halted' | 'unsigned';
  readonly halted: string | null;
  /** The longest time in which a witness has not cosigned a head that it could have, in seconds. */
  readonly witnessSilentSeconds: number;
}

const readHealth = oneRow<LogHealth>(
  'log.health',
  `SELECT h.size::float8 AS entries,
     greatest(0, extract(epoch FROM clock_timestamp() - least(
       (SELECT p.accepted_at FROM log_pending p ORDER BY p.pending_id LIMIT 1),
       (SELECT l.accepted_at FROM log_leaves l WHERE l.leaf_index >= c.size AND l.accepted_at IS NOT NULL
        ORDER BY l.leaf_index LIMIT 1))))::float8 AS "oldestSeconds",
     h.halted, CASE WHEN h.halted IS NOT NULL THEN 'halted' WHEN c.note IS NULL THEN 'unsigned' ELSE 'signing' END AS state,
     coalesce((SELECT max(extract(epoch FROM clock_timestamp() - coalesce(w.cosigned_at,
                 (SELECT l.accepted_at FROM log_leaves l WHERE l.accepted_at IS NOT NULL ORDER BY l.leaf_index LIMIT 1))))
               FROM log_witnesses w WHERE w.size < c.size), 0)::float8 AS "witnessSilentSeconds"
   FROM log_head h LEFT JOIN log_checkpoint c ON true`,
);

/** A worker signs within a second. A longer delay than this is an error (alarm `ForumLogLate`). */
const UNSIGNED_TOO_LONG_SECONDS = 30;

export async function logHealth(db: Db): Promise<LogHealth> {
  const health = (await readHealth(db))!;
  const isWaiting = health.state === 'signing' && health.oldestSeconds > UNSIGNED_TOO_LONG_SECONDS;
  return isWaiting ? { ...health, state: 'waiting' } : health;
}
