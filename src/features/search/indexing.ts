import { BEYOND_ALL, type Db, sql } from '../../platform/postgres/postgres.ts';
import { changeIndex, isFed, NOT_FED, type SearchDatabases, type SearchDb } from './databases.ts';
import { eraseNextPart } from './erasing.ts';
import { gatherBlock } from './gathering.ts';
import { arrangeSegments } from './merging.ts';
import { BLOCK_POSTS, type IndexSizes, MOST_SEGMENT_BLOCKS, MOST_SUMMARY_SEGMENTS } from './postings.ts';
import { PART_POSTS } from './segments.ts';
import { putPostings } from './storedPostings.ts';
import { waitingFrom } from './waiting.ts';

/** How much a job does at most, so that it does not outlast a process that ends. */
const JOB_MS = 10_000;
/**
 * How many posts make a block, blocks a segment, and segments a joined one and a summary (docs/operations#the-index-of-search).
 */
const SIZES: IndexSizes = {
  blockPosts: BLOCK_POSTS,
  blockGrams: 500_000,
  segmentBlocks: 32,
  joinedSegments: 8,
  summarySegments: 16,
  stepRows: 65_536,
};

/**
 * Takes out what was erased, arranges segments and puts posts into them (docs/operations#the-index-of-search), until there is
 * nothing to do or the job was long enough: a whole block of posts that wait, else the newest of those that were there before
 * the index. Returns how many posts it put there.
 */
export async function indexPosts(databases: SearchDatabases, changed: Partial<IndexSizes> = {}): Promise<number> {
  const sizes = { ...SIZES, ...changed };
  requirePossible(sizes);
  // Before texts are read for it: a worker with the other setting would do so for nothing, again and again.
  if (!(await isFed(databases))) throw new Error(NOT_FED);
  const endsAt = performance.now() + JOB_MS;
  let indexed = 0;
  while (performance.now() < endsAt) {
    const isErasing = await eraseNextPart(databases, sizes);
    // Segments of one block cost a search as much as those of many: they are arranged before there are more.
    if (await arrangeSegments(databases.index, sizes)) continue;
    const put = await putNextBlock(databases, sizes);
    indexed += put;
    if (put === 0 && !isErasing) break;
  }
  return indexed;
}

function requirePossible({ blockPosts, segmentBlocks, joinedSegments, summarySegments }: IndexSizes): void {
  const mostBlocks = segmentBlocks * joinedSegments;
  if (blockPosts > BLOCK_POSTS || mostBlocks > MOST_SEGMENT_BLOCKS || summarySegments > MOST_SUMMARY_SEGMENTS)
    throw new RangeError(
      `at most ${BLOCK_POSTS} posts a block, ${MOST_SEGMENT_BLOCKS} blocks a segment, ${MOST_SUMMARY_SEGMENTS} segments a summary`,
    );
}

const WAITING = sql(
  'search.waiting',
  'SELECT post_id FROM search_waiting WHERE post_id >= $1 ORDER BY post_id LIMIT $2',
);
const BELOW = sql('search.below', 'SELECT below FROM search_backfill');
const NOT_INDEXED = sql(
  'search.notIndexed',
  'SELECT post_id FROM posts WHERE NOT hidden AND post_id < $1 ORDER BY post_id DESC LIMIT $2',
);

/** How many posts were put into a block; none when somebody else did so meanwhile, or there are not enough. */
async function putNextBlock(databases: SearchDatabases, sizes: IndexSizes): Promise<number> {
  const { posts, index } = databases;
  const { blockPosts } = sizes;
  const waiting = await posts.query<{ post_id: string }>(WAITING, [await waitingFrom(posts), blockPosts]);
  if (waiting.length === blockPosts) {
    const postIds = waiting.map(({ post_id }) => post_id);
    return putBlock(databases, { postIds, from: 'oldest', claim: takeWaiting }, sizes);
  }
  const [{ below } = { below: '' }] = await index.query<{ below: string }>(BELOW);
  if (below === '') return 0;
  const older = await posts.query<{ post_id: string }>(NOT_INDEXED, [below, blockPosts]);
  const postIds = older.map(({ post_id }) => post_id);
  const claim = (tx: SearchDb, taken: readonly string[]) => moveBelow(tx, below, taken[0] ?? '');
  return putBlock(databases, { postIds, from: 'newest', claim }, sizes);
}

const TAKE_WAITING = sql(
  'search.takeWaiting',
  `WITH taken AS (
     DELETE FROM search_waiting WHERE post_id = ANY ($1)
       AND (SELECT count(*) FROM search_waiting WHERE post_id = ANY ($1)) = cardinality($1::text[]) RETURNING post_id
   ) SELECT count(*)::integer AS count FROM taken`,
);

/** Whether all of them still waited; else none is taken, for those that do belong into another block. */
async function takeWaiting({ posts }: SearchDb, postIds: readonly string[]): Promise<boolean> {
  const [taken] = await posts.query<{ count: number }>(TAKE_WAITING, [postIds]);
  return taken!.count === postIds.length;
}

const MOVE_BELOW = sql('search.moveBelow', 'UPDATE search_backfill SET below = $2 WHERE below = $1 RETURNING below');

const moveBelow = async ({ index }: SearchDb, from: string, to: string): Promise<boolean> =>
  (await index.query(MOVE_BELOW, [from, to])).length === 1;

const PUT_SEGMENT = sql(
  'search.putSegment',
  `WITH drawn AS (SELECT nextval('public.search_segments_seq')::integer AS segment)
   INSERT INTO search_segments (segment, state, oldest, newest, blocks, blocks_oldest, blocks_newest)
   SELECT segment, 'live', $1, $2, ARRAY[segment], ARRAY[$1], ARRAY[$2] FROM drawn RETURNING segment`,
);
const PUT_POST_IDS = sql(
  'search.putPostIds',
  `INSERT INTO search_block_posts (block, part, post_ids)
   SELECT $1, ((place - 1) / $3::integer)::integer, array_agg(post_id ORDER BY place)
   FROM unnest($2::text[]) WITH ORDINALITY AS p (post_id, place) GROUP BY 2`,
);

/** Of texts nothing changes but that they are erased, which leaves no title. */
const ERASED = sql(
  'search.erased',
  `SELECT count(*)::integer AS count FROM posts WHERE post_id = ANY ($1) AND title = ''`,
);

async function countErased(db: Db, postIds: readonly string[]): Promise<number> {
  const [erased] = await db.query<{ count: number }>(ERASED, [postIds]);
  return erased!.count;
}

const HAS = sql('search.hasBlock', 'UPDATE search_index_fed SET newest_block = $1');

/** Posts in order, from the oldest or the newest of them on. */
interface Wanted {
  readonly postIds: readonly string[];
  readonly from: 'oldest' | 'newest';
  /** Takes some, the oldest first, from where they were; false: they are there no more. */
  readonly claim: (tx: SearchDb, postIds: readonly string[]) => Promise<boolean>;
}

/**
 * Makes a segment of one block of as many of them as there is room for. Texts are read before; the transaction claims the
 * posts, and does nothing when they are gone or one was erased since. Who is erased later is found in the block
 * (`erasing.ts`).
 */
async function putBlock(
  databases: SearchDatabases,
  { postIds, from, claim }: Wanted,
  sizes: IndexSizes,
): Promise<number> {
  const erased = await countErased(databases.posts, postIds);
  const { count, postings } = await gatherBlock(databases.posts, postIds, sizes);
  const taken = postIds.slice(0, count);
  if (from === 'newest') taken.reverse();
  const encoded = await postings.encode(from === 'newest' ? (place) => count - 1 - place : (place) => place);
  return changeIndex(databases, async (tx) => {
    const { posts, index } = tx;
    if ((await countErased(posts, postIds)) !== erased || !(await claim(tx, taken)) || count === 0) return 0;
    const [put] = await index.query<{ segment: number }>(PUT_SEGMENT, [taken[0], taken.at(-1)]);
    await index.query(PUT_POST_IDS, [put!.segment, taken, PART_POSTS]);
    await putPostings(index, put!.segment, encoded);
    await posts.query(HAS, [put!.segment]);
    return count;
  });
}

const LET_GO = sql(
  'search.letGo',
  `WITH emptied AS (DELETE FROM search_waiting RETURNING post_id)
   SELECT coalesce(greatest((SELECT max(post_id) FROM posts WHERE NOT hidden), (SELECT max(post_id) FROM emptied)) || '~', '')
     AS below`,
);
/** One in a database of its own gets another name: a forum that had it knows it by the old one. */
const EMPTY = sql(
  'search.empty',
  `WITH left_behind AS (UPDATE search_segments SET state = 'left', parts_made = 0 WHERE state <> 'left')
   INSERT INTO search_backfill (below) VALUES ($1)
   ON CONFLICT (single) DO UPDATE SET below = EXCLUDED.below, index_id = EXCLUDED.index_id RETURNING index_id`,
);
const HOLD_FED = sql('search.holdFedIndex', 'SELECT FROM search_index_fed FOR UPDATE');
const FEED = sql('search.feed', 'UPDATE search_index_fed SET index_id = $1, newest_block = 0');
const GIVE_UP = sql('search.giveUp', 'SELECT release.give_up_search_index($1)');

/**
 * Begins anew with an empty index, which jobs fill from the newest post on; until then searches walk. From then on it is the
 * one that is kept up: one beside the posts is emptied when another takes its place.
 */
export async function rebuildIndex(databases: SearchDatabases): Promise<void> {
  await changeIndex(
    databases,
    async ({ posts, index }) => {
      // Before what waits, as those do who put it into the index that is fed: the other way round each would wait for the other.
      await posts.query(HOLD_FED);
      const [first] = await posts.query<{ below: string }>(LET_GO);
      const { below } = first!;
      const [emptied] = await index.query<{ index_id: string }>(EMPTY, [below]);
      await posts.query(FEED, [emptied!.index_id]);
      // Of what comes later nothing is there either: it waits for the other, and then no more.
      if (posts !== index) await posts.query(GIVE_UP, [BEYOND_ALL]);
    },
    { adopted: true },
  );
}
