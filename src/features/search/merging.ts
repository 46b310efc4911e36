import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { lockIndex } from './databases.ts';
import { nextStep } from './parts.ts';
import type { IndexSizes } from './postings.ts';
import { nextSummary } from './summarising.ts';

interface Segment {
  readonly segment: number;
  readonly state: 'made' | 'live' | 'left';
  readonly blocks: readonly number[];
  /** Of one that is made: how many of its parts are there; of one that is left: how many are gone. */
  readonly parts_made: number;
}

const SEGMENTS = sql(
  'search.segments',
  'SELECT segment, state, blocks, parts_made FROM search_segments ORDER BY newest, segment',
);
type Work = (tx: Db) => Promise<unknown>;

/**
 * A step towards one segment of many blocks in the place of many of one block, the end of one that was replaced, or a
 * summary of many; false: there is nothing to be done. What was begun is gone on with by whoever comes next.
 */
export async function arrangeSegments(index: Postgres, sizes: IndexSizes): Promise<boolean> {
  if (!(await nextWork(index, sizes))) return false;
  return index.inTransaction(async (tx) => {
    await lockIndex(tx);
    const work = await nextWork(tx, sizes);
    await work?.(tx);
    return work !== undefined;
  });
}

async function nextWork(db: Db, sizes: IndexSizes): Promise<Work | undefined> {
  const segments = await db.query<Segment>(SEGMENTS);
  const begun = segments.find(({ state }) => state === 'made');
  if (begun) return (tx) => mergePart(tx, begun, sizes);
  const left = segments.find(({ state }) => state === 'left');
  if (left) return (tx) => dropPart(tx, left, sizes);
  const run = firstRun(segments, sizes.segmentBlocks);
  if (run) return (tx) => tx.query(BEGIN_SEGMENT, [run.map(({ segment }) => segment)]);
  const merged = segments.filter(({ blocks }) => blocks.length > 1).map(({ segment }) => segment);
  return nextSummary(db, merged, sizes);
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

/** The first byte is the place of the block (`postings.ts`). Some may be there, of steps that were counted otherwise. */
const MERGE_PART = sql(
  'search.mergePart',
  `INSERT INTO search_postings (segment, gram, posts)
   SELECT $1, gram, string_agg(set_byte(posts, 0, place::integer - 1), '' ORDER BY place)
   FROM unnest($2::integer[]) WITH ORDINALITY AS b (block, place) JOIN search_postings p ON p.segment = b.block
   WHERE gram BETWEEN $3 AND $4 GROUP BY gram ON CONFLICT DO NOTHING`,
);
const PARTS_MADE = sql('search.partsMade', 'UPDATE search_segments SET parts_made = $2 WHERE segment = $1');
const REPLACE = sql(
  'search.replaceSegments',
  `UPDATE search_segments SET state = CASE WHEN segment = $1 THEN 'live' ELSE 'left' END, parts_made = 0
   WHERE segment = $1 OR segment = ANY ($2)`,
);

async function mergePart(tx: Db, { segment, blocks, parts_made }: Segment, sizes: IndexSizes): Promise<void> {
  // A segment of one block has the number of that block.
  const { grams, parts, isLast } = await nextStep(tx, blocks, parts_made, sizes);
  await tx.query(MERGE_PART, [segment, blocks, ...grams]);
  if (isLast) await tx.query(REPLACE, [segment, blocks]);
  else await tx.query(PARTS_MADE, [segment, parts]);
}

const DROP_POSTINGS = sql(
  'search.dropPostings',
  'DELETE FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3',
);
/** The posts of a block stay while it is in another segment. */
const DROP = sql(
  'search.dropSegment',
  `WITH dropped AS (DELETE FROM search_segments WHERE segment = $1)
   DELETE FROM search_block_posts b WHERE block = ANY ($2)
     AND NOT EXISTS (SELECT FROM search_segments s WHERE s.state <> 'left' AND b.block = ANY (s.blocks))`,
);

async function dropPart(tx: Db, { segment, blocks, parts_made }: Segment, sizes: IndexSizes): Promise<void> {
  const { grams, parts, isLast } = await nextStep(tx, [segment], parts_made, sizes);
  await tx.query(DROP_POSTINGS, [segment, ...grams]);
  if (isLast) await tx.query(DROP, [segment, blocks]);
  else await tx.query(PARTS_MADE, [segment, parts]);
}
