import { type Db, noRows, oneRow, sql } from '../../src/platform/postgres/postgres.ts';
import { HASH_BYTES } from '../../src/protocol/merkle.ts';
import type { Head } from '../../src/protocol/note.ts';
import { edgeTiles, TILE_WIDTH, TreeEdge } from '../../src/protocol/tiles.ts';
import { ENTRIES_LEVEL, readTiles, type StoredTile } from '../../src/recording/logTiles.ts';

/**
 * The state of the log: the number of leaves, the last number of each kind, and the hash of the last moderation action.
 */
export interface LogHead {
  readonly size: number;
  readonly agents: number;
  readonly acts: number;
  readonly keys: number;
  readonly lastAct: Buffer | null;
  /** Why the log is halted; null while it is not. */
  readonly halted: string | null;
}

const COLUMNS = `size::float8 AS size, agents::float8 AS agents, acts::float8 AS acts, keys::float8 AS keys,
  last_act AS "lastAct", halted`;
const move = noRows<[size: number, agents: number, acts: number, keys: number, lastAct: Buffer | null]>(
  'log.moveHead',
  'UPDATE log_head SET size = $1, agents = $2, acts = $3, keys = $4, last_act = $5',
);

/** The head, locked until the transaction ends; undefined while another transaction holds it. */
export const holdHead = oneRow<LogHead>('log.holdHead', `SELECT ${COLUMNS} FROM log_head FOR UPDATE SKIP LOCKED`);
const findHead = oneRow<LogHead>('log.readHead', `SELECT ${COLUMNS} FROM log_head`);
export const readHead = async (db: Db): Promise<LogHead> => (await findHead(db))!;
export const moveHead = (db: Db, { size, agents, acts, keys, lastAct }: Omit<LogHead, 'halted'>): Promise<void> =>
  move(db, size, agents, acts, keys, lastAct);

/** Halts the log: nothing is added or signed until it is recovered. A null `reason` ends that. */
export const haltLog = noRows<[reason: string | null]>('log.halt', 'UPDATE log_head SET halted = $1');

/** The right edge of the tree of `size` leaves, which may be smaller than the stored tree. */
export async function edgeAt(db: Db, size: number): Promise<TreeEdge> {
  const edge = edgeTiles(size);
  const tiles = await readTiles(db, edge);
  const bytesOf = (level: number, index: number) =>
    tiles.find((tile) => tile.level === level && tile.index === index)?.bytes ?? Buffer.alloc(0);
  return new TreeEdge(
    size,
    edge.map(({ level, index, width }) => bytesOf(level, index).subarray(0, width * HASH_BYTES)),
  );
}

/**
 * Why a log of `size` leaves does not continue a signed head; undefined if it does. `checksRoot: false` compares sizes
 * only.
 */
export async function problemWith(
  db: Db,
  size: number,
  signed: Head,
  { checksRoot = true } = {},
): Promise<string | undefined> {
  if (signed.size > size) return `${signed.size} entries were signed, but the database has ${size}`;
  if (!checksRoot || signed.size === 0) return undefined;
  const root = (await edgeAt(db, signed.size)).root();
  return root.equals(signed.root) ? undefined : `the first ${signed.size} entries are not those that were signed`;
}

/** The bundle that the next entry is added to. */
export async function lastBundle(db: Db, size: number): Promise<StoredTile> {
  const index = Math.floor(size / TILE_WIDTH);
  const [bundle] = await readTiles(db, [{ level: ENTRIES_LEVEL, index }]);
  return bundle ?? { level: ENTRIES_LEVEL, index, bytes: Buffer.alloc(0) };
}

const STORE = sql(
  'log.storeTiles',
  `INSERT INTO log_tiles (level, tile_index, bytes)
   SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])
   ON CONFLICT (level, tile_index) DO UPDATE SET bytes = excluded.bytes`,
);

export async function storeTiles(db: Db, tiles: readonly StoredTile[]): Promise<void> {
  if (tiles.length === 0) return;
  const columns = (['level', 'index', 'bytes'] as const).map((name) => tiles.map((tile) => tile[name]));
  await db.query(STORE, columns);
}
