import { LRUCache } from 'lru-cache';
import type { Db } from '../../platform/postgres/postgres.ts';
import { formatProof } from '../../protocol/logFormat.ts';
import { HASH_BYTES, inclusionProof } from '../../protocol/merkle.ts';
import { entriesOf, type FoldHashes, fold, rangeFromTiles, TILE_WIDTH, tilesNeeded } from '../../protocol/tiles.ts';
import { ENTRIES_LEVEL, type PublishedCheckpoint, readTiles } from '../../recording/logTiles.ts';

interface Folded {
  readonly hashes: Uint8Array;
  readonly root: Buffer;
}

const MOST_FOLDED_BYTES = 4_000_000;
/** The overhead of one cached entry. */
const FOLDED_BYTES = 200;
const folded = new LRUCache<string, Folded>({
  maxSize: MOST_FOLDED_BYTES,
  sizeCalculation: ({ hashes }) => hashes.length + FOLDED_BYTES,
});

/** Caches roots of tiles, which proofs share: a root takes 250 hashes, over 0.1 ms. Compares the hashes themselves. */
const foldKept: FoldHashes = (hashes, { level, index }, first) => {
  if (hashes.length === HASH_BYTES) return fold(hashes);
  const key = `${level}/${index}/${first}/${hashes.length}`;
  const kept = folded.get(key);
  if (kept && Buffer.compare(kept.hashes, hashes) === 0) return kept.root;
  const root = fold(hashes);
  folded.set(key, { hashes: Uint8Array.from(hashes), root });
  return root;
};

/** The proof that a leaf is in the tree of a published checkpoint. `index` is less than its size. */
export async function proofOf(db: Db, index: number, { size, note }: PublishedCheckpoint): Promise<string> {
  const needed = tilesNeeded((range) => inclusionProof(index, size, range)) as { level: number; index: number }[];
  const tiles = new Map((await readTiles(db, needed)).map((tile) => [`${tile.level}/${tile.index}`, tile.bytes]));
  const range = rangeFromTiles((level, tile) => tiles.get(`${level}/${tile}`), foldKept);
  return formatProof(index, inclusionProof(index, size, range), note);
}

export async function bundleAt(db: Db, index: number): Promise<Buffer[] | undefined> {
  const [bundle] = await readTiles(db, [{ level: ENTRIES_LEVEL, index }]);
  return bundle && entriesOf(bundle.bytes);
}

/** Throws if the place has no leaf. */
export async function entryAt(db: Db, index: number): Promise<Buffer> {
  const entry = (await bundleAt(db, Math.floor(index / TILE_WIDTH)))?.[index % TILE_WIDTH];
  if (!entry) throw new Error(`the log has no entry ${index}`);
  return entry;
}
