import { formatProof } from '../../formats/logFormat.ts';
import { inclusionProof } from '../../formats/merkle.ts';
import { entriesOf, rangeFromTiles, TILE_WIDTH, tilesNeeded } from '../../formats/tiles.ts';
import { ENTRIES_LEVEL, type PublishedCheckpoint, readTiles } from '../../platform/postgres/logTiles.ts';
import type { Db } from '../../platform/postgres/postgres.ts';

/** The proof that a leaf is in the tree of a published checkpoint, which has more leaves than its index. */
export async function proofOf(db: Db, index: number, { size, note }: PublishedCheckpoint): Promise<string> {
  const needed = tilesNeeded((range) => inclusionProof(index, size, range)) as { level: number; index: number }[];
  const tiles = new Map((await readTiles(db, needed)).map((tile) => [`${tile.level}/${tile.index}`, tile.bytes]));
  const range = rangeFromTiles((level, tile) => tiles.get(`${level}/${tile}`));
  return formatProof(index, inclusionProof(index, size, range), note);
}

/** The leaves of one bundle, as many as there are; undefined where it is missing. */
export async function bundleAt(db: Db, index: number): Promise<Buffer[] | undefined> {
  const [bundle] = await readTiles(db, [{ level: ENTRIES_LEVEL, index }]);
  return bundle && entriesOf(bundle.bytes);
}

/** The leaf at a place that has one. */
export async function entryAt(db: Db, index: number): Promise<Buffer> {
  const entry = (await bundleAt(db, Math.floor(index / TILE_WIDTH)))?.[index % TILE_WIDTH];
  if (!entry) throw new Error(`the log has no entry ${index}`);
  return entry;
}
