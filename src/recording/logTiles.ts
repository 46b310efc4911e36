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
