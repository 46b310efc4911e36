import { LRUCache } from 'lru-cache';
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

/** Of some 25 kB each; a forum of 500 million posts has as many. */
const MOST_KNOWN = 1_024;
/** What is kept of a fact beside its bytes. */
const FACT_BYTES = 200;
/**
 * How much a process keeps of what segments have of a community, a type or an author
 * (docs/growing#what-a-read-costs-at-any-size).
 */
const MOST_FACT_BYTES = 16_000_000;

const BLOCKS = sql(
  'search.blocks',
  `SELECT segment, oldest, newest, to_json(blocks) AS blocks, to_json(blocks_oldest) AS blocks_oldest,
     to_json(blocks_newest) AS blocks_newest
   FROM search_segments WHERE segment = ANY ($1::integer[])`,
);

/** Which posts of a segment an author, a community or a type has. */
interface KeptFact extends NamedSegment {
  readonly posts: Buffer;
}

interface Known {
  readonly indexId: string;
  readonly segments: Map<number, SegmentBlocks>;
  readonly facts: LRUCache<string, KeptFact>;
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
  const { segments: kept } = knownOf(db, indexId);
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

/**
 * What segments of an index store of facts, kept once it was read: terms are ever others, and where they are looked for is
 * mostly the same. Of a segment nothing comes to it and only what is erased goes, and who is named is looked at once more.
 */
export class KeptFacts {
  readonly #facts: Known['facts'];

  constructor(db: Db, indexId: string) {
    this.#facts = knownOf(db, indexId).facts;
  }

  find(named: NamedSegment, gram: number): Buffer | undefined {
    const kept = this.#facts.get(keyOf(named, gram));
    return kept && isSame(named, kept) ? kept.posts : undefined;
  }

  /** `posts` may be part of something larger, which is not kept; nor is Node's pool, which `Buffer.from` may draw from. */
  keep({ segment, oldest, newest }: NamedSegment, gram: number, posts: Buffer): void {
    this.#facts.set(keyOf({ segment }, gram), {
      segment,
      oldest,
      newest,
      posts: Buffer.from(Uint8Array.from(posts).buffer),
    });
  }
}

const keyOf = ({ segment }: Pick<NamedSegment, 'segment'>, gram: number): string => `${segment} ${gram}`;

function knownOf(db: Db, indexId: string): Known {
  const origin = db.origin ?? db;
  const before = known.get(origin);
  if (before?.indexId === indexId) return before;
  const sizeCalculation = ({ posts }: KeptFact) => posts.length + FACT_BYTES;
  const begun: Known = {
    indexId,
    segments: new Map(),
    facts: new LRUCache({ maxSize: MOST_FACT_BYTES, sizeCalculation }),
  };
  known.set(origin, begun);
  return begun;
}

/** One that was put back from a copy has given its numbers anew. */
const isSame = (named: NamedSegment, kept: NamedSegment | undefined): boolean =>
  kept !== undefined && kept.oldest === named.oldest && kept.newest === named.newest;
