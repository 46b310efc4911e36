import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { lockIndex } from './databases.ts';
import { nextStep } from './parts.ts';
import { type Encoded, type IndexSizes, moveBlocks } from './postings.ts';
import { postingsOf, putPostings } from './storedPostings.ts';
import { nextSummary } from './summarising.ts';

interface Segment {
  readonly segment: number;
  /** Made of segments of one block, or joined of those of many; asked then, and left when it was replaced. */
  readonly state: 'made' | 'joined' | 'live' | 'left';
  readonly blocks: readonly number[];
  /** Of one that is made or joined: how many of its parts are there; of one that is left: how many are gone. */
  readonly parts_made: number;
}

const SEGMENTS = sql(
  'search.segments',
  'SELECT segment, state, blocks, parts_made FROM search_segments ORDER BY newest, segment',
);
/** What is joined without a pause: some milliseconds. */
const ENCODED_AT_ONCE = 5_000;
type Work = (tx: Db) => Promise<unknown>;

/**
 * A step towards one segment in the place of several smaller ones, the end of one that was replaced, or a summary of many;
 * false: there is nothing to be done. What was begun is gone on with by whoever comes next.
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
  const { segmentBlocks, joinedSegments } = sizes;
  const segments = await db.query<Segment>(SEGMENTS);
  const begun = segments.find(({ state }) => state === 'made');
  if (begun) return (tx) => mergePart(tx, begun, sizes);
  const joined = segments.find(({ state }) => state === 'joined');
  if (joined) return (tx) => joinPart(tx, joined, segments, sizes);
  const left = segments.find(({ state }) => state === 'left');
  if (left) return (tx) => dropPart(tx, left, sizes);
  const singles = firstRun(segments, { least: 1, most: 1, blocks: segmentBlocks });
  if (singles) return (tx) => tx.query(BEGIN_SEGMENT, [singles, 'made']);
  const mostBlocks = segmentBlocks * joinedSegments;
  const some = firstRun(segments, { least: segmentBlocks, most: mostBlocks - 1, blocks: mostBlocks });
  if (some) return (tx) => tx.query(BEGIN_SEGMENT, [some, 'joined']);
  const numbersOf = (some: readonly Segment[]) => some.map(({ segment }) => segment);
  const whole = segments.filter(({ blocks }) => blocks.length >= mostBlocks);
  return nextSummary(db, { live: numbersOf(segments), whole: numbersOf(whole) }, sizes);
}

/**
 * The first segments of `least` to `most` blocks, with none between them, that have just `blocks` together: what becomes one
 * lies side by side.
 */
function firstRun(
  segments: readonly Segment[],
  { least, most, blocks: wanted }: { least: number; most: number; blocks: number },
): readonly number[] | undefined {
  let run: Segment[] = [];
  for (const each of segments) {
    const count = each.blocks.length;
    run = count >= least && count <= most ? [...run, each] : [];
    while (blocksOf(run) > wanted) run.shift();
    if (run.length > 0 && blocksOf(run) === wanted) return run.map(({ segment }) => segment);
  }
  return undefined;
}

const blocksOf = (run: readonly Segment[]): number => run.reduce((sum, { blocks }) => sum + blocks.length, 0);

const BEGIN_SEGMENT = sql(
  'search.beginSegment',
  `INSERT INTO search_segments (segment, state, oldest, newest, blocks, blocks_oldest, blocks_newest)
   SELECT nextval('public.search_segments_seq')::integer, $2, of_some.* FROM (
     SELECT min(s.oldest), max(s.newest), array_agg(b.block ORDER BY s.newest, s.segment, b.number),
       array_agg(b.oldest ORDER BY s.newest, s.segment, b.number), array_agg(b.newest ORDER BY s.newest, s.segment, b.number)
     FROM search_segments s
     CROSS JOIN LATERAL unnest(s.blocks, s.blocks_oldest, s.blocks_newest) WITH ORDINALITY AS b (block, oldest, newest, number)
     WHERE s.segment = ANY ($1)
   ) of_some`,
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

async function joinPart(
  tx: Db,
  { segment, blocks, parts_made }: Segment,
  segments: readonly Segment[],
  sizes: IndexSizes,
): Promise<void> {
  const replaced = segments.filter((each) => each.state === 'live' && blocks.includes(each.blocks[0]!));
  const numbers = replaced.map((each) => each.segment);
  const { grams, parts, isLast } = await nextStep(tx, numbers, parts_made, sizes);
  const stored = new Map<number, Buffer[]>();
  for (const each of replaced) {
    const before = blocks.indexOf(each.blocks[0]!);
    for (const { gram, posts } of await postingsOf(tx, each.segment, grams)) {
      moveBlocks(posts, before);
      stored.set(gram, [...(stored.get(gram) ?? []), posts]);
    }
    await letOthersRun();
  }
  await putPostings(tx, segment, await encoded(stored));
  if (isLast) await tx.query(REPLACE, [segment, numbers]);
  else await tx.query(PARTS_MADE, [segment, parts]);
}

async function encoded(stored: ReadonlyMap<number, readonly Buffer[]>): Promise<Encoded> {
  const grams = Int32Array.from(stored.keys()).sort();
  const postings: Buffer[] = [];
  for (const gram of grams) {
    if (postings.push(Buffer.concat(stored.get(gram)!)) % ENCODED_AT_ONCE === 0) await letOthersRun();
  }
  const lengths = Int32Array.from(postings, ({ length }) => length);
  return { grams, lengths, bytes: Buffer.concat(postings) };
}

const DROP_POSTINGS = sql(
  'search.dropPostings',
  'DELETE FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3',
);
/** The posts of a block stay while it is in another segment. */
const DROP = sql(
  'search.dropSegment',
  `WITH dropped AS (DELETE FROM search_segments WHERE segment = $1)
   DELETE FROM search_block_posts WHERE block = ANY ($2)
     AND block NOT IN (SELECT unnest(blocks) FROM search_segments WHERE state <> 'left')`,
);

async function dropPart(tx: Db, { segment, blocks, parts_made }: Segment, sizes: IndexSizes): Promise<void> {
  const { grams, parts, isLast } = await nextStep(tx, [segment], parts_made, sizes);
  await tx.query(DROP_POSTINGS, [segment, ...grams]);
  if (isLast) await tx.query(DROP, [segment, blocks]);
  else await tx.query(PARTS_MADE, [segment, parts]);
}
