import { type Db, type QueryOptions, sql } from '../../platform/postgres/postgres.ts';

/** A segment as a look-up names it. */
export interface NamedSegment {
  readonly segment: number;
  readonly oldest: string;
  readonly newest: string;
}

/** The blocks of a segment, in its order: their numbers, and their oldest and newest posts. */
export interface SegmentBlocks extends NamedSegment {
  readonly blocks: readonly number[];
  readonly blocks_oldest: readonly string[];
  readonly blocks_newest: readonly string[];
}

/** Of some 12 kB each; a forum of 200 million posts has as many. */
const MOST_KNOWN = 1_024;

const BLOCKS = sql(
  'search.blocks',
  `SELECT segment, oldest, newest, to_json(blocks) AS blocks, to_json(blocks_oldest) AS blocks_oldest,
     to_json(blocks_newest) AS blocks_newest
   FROM search_segments WHERE segment = ANY ($1::integer[])`,
);

interface Known {
  readonly indexId: string;
  readonly segments: Map<number, SegmentBlocks>;
}

/** By database. What a segment is made of never changes, and its number is given once in an index. */
const known = new WeakMap<Db, Known>();

/**
 * The blocks of some segments of an index, by their numbers; without those that are there no more. To write and read them as
 * text takes as long as to find what a segment holds, so they are asked once.
 */
export async function blocksOf(
  db: Db,
  indexId: string,
  segments: readonly NamedSegment[],
  options: QueryOptions,
): Promise<ReadonlyMap<number, SegmentBlocks>> {
  const kept = knownOf(db, indexId);
  const missing = segments.filter((named) => !isSame(named, kept.get(named.segment)));
  if (missing.length === 0) return kept;
  const numbers = missing.map(({ segment }) => segment);
  for (const number of numbers) kept.delete(number);
  const rows = await db.query<SegmentBlocks>(BLOCKS, [numbers], options);
  if (kept.size + rows.length > MOST_KNOWN) kept.clear();
  for (const row of rows) kept.set(row.segment, row);
  // Whoever came meanwhile may have emptied it.
  return new Map([...kept, ...rows.map((row) => [row.segment, row] as const)]);
}

function knownOf(db: Db, indexId: string): Map<number, SegmentBlocks> {
  const origin = db.origin ?? db;
  const before = known.get(origin);
  if (before?.indexId === indexId) return before.segments;
  const segments = new Map<number, SegmentBlocks>();
  known.set(origin, { indexId, segments });
  return segments;
}

/** One that was put back from a copy has given its numbers anew. */
const isSame = (named: NamedSegment, kept: SegmentBlocks | undefined): boolean =>
  kept !== undefined && kept.oldest === named.oldest && kept.newest === named.newest;
