import { LRUCache } from 'lru-cache';
import { type Db, type QueryOptions, sql } from '../../platform/postgres/postgres.ts';

export interface SegmentRange {
  readonly segment: number;
  readonly oldest: string;
  readonly newest: string;
}

/** The blocks of a segment by their place in it, with their oldest and newest posts. */
export interface SegmentBlocks extends SegmentRange {
  readonly blocks: readonly number[];
  readonly blocks_oldest: readonly string[];
  readonly blocks_newest: readonly string[];
}

/** About 25 kB each. A forum of 500 million posts has as many segments. */
const MAX_SEGMENTS = 1_024;
/** Bytes of postings of facts that a process caches (docs/growing#what-a-read-costs-at-any-size). */
const MAX_FACT_BYTES = 16_000_000;
/** Bytes of an entry apart from its posting. */
const FACT_OVERHEAD_BYTES = 200;

const BLOCKS = sql(
  'search.blocks',
  `SELECT segment, oldest, newest, to_json(blocks) AS blocks, to_json(blocks_oldest) AS blocks_oldest,
     to_json(blocks_newest) AS blocks_newest
   FROM search_segments WHERE segment = ANY ($1::integer[])`,
);

const createCache = () => ({
  blocks: new LRUCache<string, SegmentBlocks>({ max: MAX_SEGMENTS }),
  facts: new LRUCache<string, Buffer>({
    maxSize: MAX_FACT_BYTES,
    sizeCalculation: (posts) => posts.length + FACT_OVERHEAD_BYTES,
  }),
});
const caches = new WeakMap<Db, ReturnType<typeof createCache>>();

function cacheOf(db: Db): ReturnType<typeof createCache> {
  const origin = db.origin ?? db;
  const cache = caches.get(origin) ?? createCache();
  caches.set(origin, cache);
  return cache;
}

/** The range is part of the key, because an index restored from a backup gives the same numbers to other segments. */
const keyOf = (indexId: string, { segment, oldest, newest }: SegmentRange): string =>
  `${indexId} ${segment} ${oldest} ${newest}`;

/** Cached: blocks never change, and transferring them takes as long as the look-up. Leaves out gone segments. */
export async function blocksOf(
  db: Db,
  indexId: string,
  segments: readonly SegmentRange[],
  options: QueryOptions,
): Promise<ReadonlyMap<number, SegmentBlocks>> {
  const { blocks } = cacheOf(db);
  const found = new Map<number, SegmentBlocks>();
  for (const segment of segments) {
    const cached = blocks.get(keyOf(indexId, segment));
    if (cached) found.set(segment.segment, cached);
  }
  const missing = segments.map(({ segment }) => segment).filter((segment) => !found.has(segment));
  const rows = missing.length === 0 ? [] : await db.query<SegmentBlocks>(BLOCKS, [missing], options);
  for (const row of rows) {
    blocks.set(keyOf(indexId, row), row);
    found.set(row.segment, row);
  }
  return found;
}

const factKey = (indexId: string, segment: SegmentRange, gram: number): string => `${keyOf(indexId, segment)} ${gram}`;

/** May name erased posts: every match is checked against the posts. */
export const cachedFact = (db: Db, indexId: string, segment: SegmentRange, gram: number): Buffer | undefined =>
  cacheOf(db).facts.get(factKey(indexId, segment, gram));

/** Copies `posts`, because they may be part of a larger buffer. `Buffer.from(posts)` would share Node's pool. */
export function cacheFact(db: Db, indexId: string, segment: SegmentRange, gram: number, posts: Buffer): void {
  cacheOf(db).facts.set(factKey(indexId, segment, gram), Buffer.from(Uint8Array.from(posts).buffer));
}
