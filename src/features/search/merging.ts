import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Db, manyRows, noRows, type Postgres } from '../../platform/postgres/postgres.ts';
import { lockIndex } from './databases.ts';
import { type EncodedPostings, type IndexSizes, moveBlocks } from './postings.ts';
import { insertPostings, nextStep, readPostings } from './storedPostings.ts';

interface Segment {
  readonly segment: number;
  /** README.md draws how the states follow each other. */
  readonly state: 'made' | 'joined' | 'live' | 'left';
  readonly blocks: readonly number[];
  /** Parts copied into a `made` or `joined` segment, or deleted from a `left` one. */
  readonly parts_made: number;
}

const readSegments = manyRows<Segment>(
  'search.segments',
  'SELECT segment, state, blocks, parts_made FROM search_segments ORDER BY newest, segment',
);
/** Postings joined without a pause for other work: a few milliseconds. */
const ENCODED_AT_ONCE = 5_000;

/**
 * Does one step of merging or deleting segments. Returns false if there is nothing to do. Any worker can do the next
 * step.
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

async function nextWork(db: Db, sizes: IndexSizes): Promise<((tx: Db) => Promise<unknown>) | undefined> {
  const segments = await readSegments(db);
  const inState = (wanted: Segment['state']) => segments.find(({ state }) => state === wanted);
  const [made, joined, left] = [inState('made'), inState('joined'), inState('left')];
  if (made) return (tx) => mergePart(tx, made, sizes);
  if (joined) return (tx) => joinPart(tx, joined, segments, sizes);
  if (left) return (tx) => dropPart(tx, left, sizes);
  const { segmentBlocks, joinedSegments } = sizes;
  const singles = firstRun(segments, { min: 1, max: 1, blocks: segmentBlocks });
  if (singles) return (tx) => beginSegment(tx, singles, 'made');
  const maxBlocks = segmentBlocks * joinedSegments;
  const merged = firstRun(segments, { min: segmentBlocks, max: maxBlocks - 1, blocks: maxBlocks });
  return merged && ((tx) => beginSegment(tx, merged, 'joined'));
}

/** The first neighbouring segments of `min` to `max` blocks each that have exactly `blocks` blocks together. */
function firstRun(
  segments: readonly Segment[],
  { min, max, blocks }: { min: number; max: number; blocks: number },
): readonly number[] | undefined {
  let run: Segment[] = [];
  for (const each of segments) {
    run = each.blocks.length >= min && each.blocks.length <= max ? [...run, each] : [];
    while (countBlocks(run) > blocks) run.shift();
    if (run.length > 0 && countBlocks(run) === blocks) return run.map(({ segment }) => segment);
  }
  return undefined;
}

const countBlocks = (run: readonly Segment[]): number => run.reduce((sum, { blocks }) => sum + blocks.length, 0);

const beginSegment = noRows<[segments: readonly number[], state: Segment['state']]>(
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
/** The first byte of a posting of one block is the place of the block. Rows may exist from steps of another size. */
const mergeRows = noRows<[segment: number, blocks: readonly number[], first: number, last: number]>(
  'search.mergePart',
  `INSERT INTO search_postings (segment, gram, posts)
   SELECT $1, gram, string_agg(set_byte(posts, 0, place::integer - 1), '' ORDER BY place)
   FROM unnest($2::integer[]) WITH ORDINALITY AS b (block, place) JOIN search_postings p ON p.segment = b.block
   WHERE gram BETWEEN $3 AND $4 GROUP BY gram ON CONFLICT DO NOTHING`,
);
const setParts = noRows<[segment: number, parts: number]>(
  'search.partsMade',
  'UPDATE search_segments SET parts_made = $2 WHERE segment = $1',
);
const replaceSegments = noRows<[segment: number, replaced: readonly number[]]>(
  'search.replaceSegments',
  `UPDATE search_segments SET state = CASE WHEN segment = $1 THEN 'live' ELSE 'left' END, parts_made = 0
   WHERE segment = $1 OR segment = ANY ($2)`,
);

/** Merges segments of one block each, whose numbers are those of their blocks. */
async function mergePart(tx: Db, { segment, blocks, parts_made }: Segment, sizes: IndexSizes): Promise<void> {
  const { grams, parts, isLast } = await nextStep(tx, blocks, parts_made, sizes);
  await mergeRows(tx, segment, blocks, ...grams);
  if (isLast) await replaceSegments(tx, segment, blocks);
  else await setParts(tx, segment, parts);
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
  const postings = new Map<number, Buffer[]>();
  for (const each of replaced) {
    const before = blocks.indexOf(each.blocks[0]!);
    for (const { gram, posts } of await readPostings(tx, each.segment, ...grams)) {
      moveBlocks(posts, before);
      postings.set(gram, [...(postings.get(gram) ?? []), posts]);
    }
    await letOthersRun();
  }
  await insertPostings(tx, segment, await concatenate(postings));
  if (isLast) await replaceSegments(tx, segment, numbers);
  else await setParts(tx, segment, parts);
}

async function concatenate(postings: ReadonlyMap<number, readonly Buffer[]>): Promise<EncodedPostings> {
  const grams = Int32Array.from(postings.keys()).sort();
  const joined: Buffer[] = [];
  for (const gram of grams) {
    if (joined.push(Buffer.concat(postings.get(gram)!)) % ENCODED_AT_ONCE === 0) await letOthersRun();
  }
  return { grams, lengths: Int32Array.from(joined, ({ length }) => length), bytes: Buffer.concat(joined) };
}

const dropPostings = noRows<[segment: number, first: number, last: number]>(
  'search.dropPostings',
  'DELETE FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3',
);
/** Keeps the post ids of blocks that are in another segment. */
const dropSegment = noRows<[segment: number, blocks: readonly number[]]>(
  'search.dropSegment',
  `WITH dropped AS (DELETE FROM search_segments WHERE segment = $1)
   DELETE FROM search_block_posts WHERE block = ANY ($2)
     AND block NOT IN (SELECT unnest(blocks) FROM search_segments WHERE state <> 'left')`,
);

async function dropPart(tx: Db, { segment, blocks, parts_made }: Segment, sizes: IndexSizes): Promise<void> {
  const { grams, parts, isLast } = await nextStep(tx, [segment], parts_made, sizes);
  await dropPostings(tx, segment, ...grams);
  if (isLast) await dropSegment(tx, segment, blocks);
  else await setParts(tx, segment, parts);
}
