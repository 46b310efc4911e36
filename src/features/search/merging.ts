import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import type { IndexSizes } from './postings.ts';

const INDEX_LOCK = 5_107_203;
/** The grams of a segment are gone through in so many statements, each well within its time limit. */
const PARTS = 64;
const FIRST_GRAM = -(2 ** 31);
const GRAMS_A_PART = 2 ** 32 / PARTS;

/** The grams of a part, the first and the last; undefined when there are no more parts. */
export function partOfGrams(part: number): readonly [number, number] | undefined {
  const from = FIRST_GRAM + part * GRAMS_A_PART;
  return part < PARTS ? [from, from + GRAMS_A_PART - 1] : undefined;
}

const LOCK = sql('search.lock', 'SELECT pg_advisory_xact_lock($1)');

/** One at a time changes which posts are in which segment: until the transaction ends. */
export async function lockIndex(tx: Db): Promise<void> {
  await tx.query(LOCK, [INDEX_LOCK]);
}

interface Segment {
  readonly segment: number;
  readonly state: 'made' | 'live' | 'left';
  readonly blocks: readonly number[];
  readonly parts_made: number;
}

const SEGMENTS = sql(
  'search.segments',
  'SELECT segment, state, blocks, parts_made FROM search_segments ORDER BY newest, segment',
);
type Step = (tx: Db) => Promise<unknown>;

/**
 * A step towards one segment of many blocks in the place of many of one block, or the end of one that was replaced; false:
 * there is nothing to be done. What was begun is gone on with by whoever comes next.
 */
export async function arrangeSegments(db: Postgres, sizes: IndexSizes): Promise<boolean> {
  if (!nextStep(await db.query<Segment>(SEGMENTS), sizes)) return false;
  return db.inTransaction(async (tx) => {
    await lockIndex(tx);
    const step = nextStep(await tx.query<Segment>(SEGMENTS), sizes);
    await step?.(tx);
    return step !== undefined;
  });
}

function nextStep(segments: readonly Segment[], { segmentBlocks }: IndexSizes): Step | undefined {
  const begun = segments.find(({ state }) => state === 'made');
  if (begun) return (tx) => mergePart(tx, begun);
  const left = segments.find(({ state }) => state === 'left');
  if (left) return (tx) => tx.query(DROP, [left.segment, left.blocks]);
  const run = firstRun(segments, segmentBlocks);
  return run && ((tx) => tx.query(BEGIN_SEGMENT, [run.map(({ segment }) => segment)]));
}

/** The first so many segments of one block without one of many between them: what is merged lies side by side. */
function firstRun(segments: readonly Segment[], length: number): readonly Segment[] | undefined {
  let run: Segment[] = [];
  for (const segment of segments) {
    run = segment.blocks.length === 1 ? [...run, segment] : [];
    if (run.length === length) return run;
  }
  return undefined;
}

const BEGIN_SEGMENT = sql(
  'search.beginSegment',
  `INSERT INTO search_segments (segment, state, oldest, newest, blocks, blocks_oldest, blocks_newest)
   SELECT nextval('search_segments_seq')::integer, 'made', s.* FROM (
     SELECT min(oldest), max(newest), array_agg(segment ORDER BY newest, segment),
       array_agg(oldest ORDER BY newest, segment), array_agg(newest ORDER BY newest, segment)
     FROM search_segments WHERE segment = ANY ($1)
   ) s`,
);

/** The first byte is the place of the block (`postings.ts`). */
const MERGE_PART = sql(
  'search.mergePart',
  `INSERT INTO search_postings (segment, gram, posts)
   SELECT $1, gram, string_agg(set_byte(posts, 0, place::integer - 1), '' ORDER BY place)
   FROM unnest($2::integer[]) WITH ORDINALITY AS b (block, place) JOIN search_postings p ON p.segment = b.block
   WHERE gram BETWEEN $3 AND $4 GROUP BY gram`,
);
const PART_MADE = sql('search.partMade', 'UPDATE search_segments SET parts_made = parts_made + 1 WHERE segment = $1');
const REPLACE = sql(
  'search.replaceSegments',
  `UPDATE search_segments SET state = CASE WHEN segment = $1 THEN 'live' ELSE 'left' END
   WHERE segment = $1 OR segment = ANY ($2)`,
);

async function mergePart(tx: Db, { segment, blocks, parts_made }: Segment): Promise<void> {
  await tx.query(MERGE_PART, [segment, blocks, ...partOfGrams(parts_made)!]);
  await tx.query(PART_MADE, [segment]);
  // A segment of one block has the number of that block.
  if (!partOfGrams(parts_made + 1)) await tx.query(REPLACE, [segment, blocks]);
}

/** The posts of a block stay while it is in another segment. */
const DROP = sql(
  'search.dropSegment',
  `WITH dropped AS (DELETE FROM search_segments WHERE segment = $1),
     postings AS (DELETE FROM search_postings WHERE segment = $1)
   DELETE FROM search_block_posts b WHERE block = ANY ($2)
     AND NOT EXISTS (SELECT FROM search_segments s WHERE s.state <> 'left' AND b.block = ANY (s.blocks))`,
);
