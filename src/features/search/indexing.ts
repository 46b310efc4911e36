import { setImmediate as letOthersRun } from 'node:timers/promises';
import { BEYOND_ALL, type Db, manyRows, noRows, oneValue, sql } from '../../platform/postgres/postgres.ts';
import type { PostType } from '../posts/schemas.ts';
import { changeIndex, indexProblem, type SearchDatabases, type SearchDb } from './databases.ts';
import { eraseNextPart } from './erasing.ts';
import { eachGram, factGrams } from './grams.ts';
import { arrangeSegments } from './merging.ts';
import { BLOCK_POSTS, BlockPostings, type IndexSizes, MAX_SEGMENT_BLOCKS } from './postings.ts';
import { IDS_PER_ROW } from './segments.ts';
import { waitingFrom } from './store.ts';
import { insertPostings } from './storedPostings.ts';

/** A job begins no step after this time, so that a worker can stop. */
const JOB_MS = 10_000;
/** The sizes of a forum in use (docs/operations#the-index-of-search). */
const SIZES: IndexSizes = {
  blockPosts: BLOCK_POSTS,
  blockGrams: 500_000,
  segmentBlocks: 32,
  joinedSegments: 8,
  stepRows: 65_536,
};

/** For 10 s at most (docs/operations#the-index-of-search). A full block of waiting posts goes before older posts. */
export async function indexPosts(databases: SearchDatabases, changed: Partial<IndexSizes> = {}): Promise<number> {
  const sizes = { ...SIZES, ...changed };
  requirePossible(sizes);
  // Checked before texts are read: a worker with a wrong SEARCH_DATABASE_URL would read them in vain each time.
  const problem = await indexProblem(databases);
  if (problem) throw new Error(problem);
  const endsAt = performance.now() + JOB_MS;
  let indexed = 0;
  while (performance.now() < endsAt) {
    const isErasing = await eraseNextPart(databases, sizes);
    // A small segment costs a search as much as a large one, so merging comes before adding.
    if (await arrangeSegments(databases.index, sizes)) continue;
    const put = await putNextBlock(databases, sizes);
    indexed += put;
    if (put === 0 && !isErasing) break;
  }
  return indexed;
}

function requirePossible({ blockPosts, segmentBlocks, joinedSegments }: IndexSizes): void {
  if (blockPosts > BLOCK_POSTS || segmentBlocks * joinedSegments > MAX_SEGMENT_BLOCKS)
    throw new RangeError(`at most ${BLOCK_POSTS} posts a block, ${MAX_SEGMENT_BLOCKS} blocks a segment`);
}

const readWaiting = manyRows<{ post_id: string }, [from: string, limit: number]>(
  'search.waiting',
  'SELECT post_id FROM search_waiting WHERE post_id >= $1 ORDER BY post_id LIMIT $2',
);
const readBelow = oneValue<string>('search.below', 'SELECT below FROM search_backfill');
const readNotIndexed = manyRows<{ post_id: string }, [below: string, limit: number]>(
  'search.notIndexed',
  'SELECT post_id FROM posts WHERE NOT hidden AND post_id < $1 ORDER BY post_id DESC LIMIT $2',
);

/** Returns how many posts were added: 0 if another worker added them, or there are not enough. */
async function putNextBlock(databases: SearchDatabases, sizes: IndexSizes): Promise<number> {
  const { posts, index } = databases;
  const { blockPosts } = sizes;
  const waiting = await readWaiting(posts, await waitingFrom(posts), blockPosts);
  if (waiting.length === blockPosts) {
    const postIds = waiting.map(({ post_id }) => post_id);
    return putBlock(databases, { postIds, from: 'oldest', claim: takeWaiting }, sizes);
  }
  const below = (await readBelow(index)) ?? '';
  if (below === '') return 0;
  const older = await readNotIndexed(posts, below, blockPosts);
  const postIds = older.map(({ post_id }) => post_id);
  const claim = async (tx: SearchDb, taken: readonly string[]) =>
    (await moveBelow(tx.index, below, taken[0] ?? '')) !== undefined;
  return putBlock(databases, { postIds, from: 'newest', claim }, sizes);
}

const deleteWaiting = oneValue<number, [postIds: readonly string[]]>(
  'search.takeWaiting',
  `WITH taken AS (
     DELETE FROM search_waiting WHERE post_id = ANY ($1)
       AND (SELECT count(*) FROM search_waiting WHERE post_id = ANY ($1)) = cardinality($1::text[]) RETURNING post_id
   ) SELECT count(*)::integer AS count FROM taken`,
);

/** Claims all posts, or none if one no longer waits: the others then belong to another block. */
const takeWaiting = async ({ posts }: SearchDb, postIds: readonly string[]): Promise<boolean> =>
  (await deleteWaiting(posts, postIds)) === postIds.length;

const moveBelow = oneValue<string, [from: string, to: string]>(
  'search.moveBelow',
  'UPDATE search_backfill SET below = $2 WHERE below = $1 RETURNING below',
);

const insertSegment = oneValue<number, [oldest: string, newest: string]>(
  'search.putSegment',
  `WITH drawn AS (SELECT nextval('public.search_segments_seq')::integer AS segment)
   INSERT INTO search_segments (segment, state, oldest, newest, blocks, blocks_oldest, blocks_newest)
   SELECT segment, 'live', $1, $2, ARRAY[segment], ARRAY[$1], ARRAY[$2] FROM drawn RETURNING segment`,
);
const insertPostIds = noRows<[block: number, postIds: readonly string[], idsPerRow: number]>(
  'search.putPostIds',
  `INSERT INTO search_block_posts (block, part, post_ids)
   SELECT $1, ((place - 1) / $3::integer)::integer, array_agg(post_id ORDER BY place)
   FROM unnest($2::text[]) WITH ORDINALITY AS p (post_id, place) GROUP BY 2`,
);

/** Texts never change, except that erasure empties the title. */
const countErased = oneValue<number, [postIds: readonly string[]]>(
  'search.erased',
  `SELECT count(*)::integer AS count FROM posts WHERE post_id = ANY ($1) AND title = ''`,
);

const setNewestBlock = noRows<[block: number]>('search.hasBlock', 'UPDATE search_index_fed SET newest_block = $1');

/** Posts in order, beginning with the oldest or the newest. */
interface BlockSource {
  readonly postIds: readonly string[];
  readonly from: 'oldest' | 'newest';
  /** Claims posts, the oldest first; false if another worker has claimed one. */
  readonly claim: (tx: SearchDb, postIds: readonly string[]) => Promise<boolean>;
}

/** Reads the texts first, then claims the posts; stores nothing if that fails or a post was erased meanwhile. */
async function putBlock(
  databases: SearchDatabases,
  { postIds, from, claim }: BlockSource,
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
    const segment = (await insertSegment(index, taken[0]!, taken.at(-1)!))!;
    await insertPostIds(index, segment, taken, IDS_PER_ROW);
    await insertPostings(index, segment, encoded);
    await setNewestBlock(posts, segment);
    return count;
  });
}

/** Posts whose texts are read by one statement: at most a few megabytes. */
const READ_POSTS = 128;
/** UTF-16 units processed without a pause for other work. */
const UNITS_AT_ONCE = 100_000;

const TEXTS = sql(
  'search.texts',
  `SELECT (wanted.number - 1)::integer AS place, p.title, p.body, p.author_id AS "authorId",
     p.community_slug AS "communitySlug", p.post_type AS "postType"
   FROM unnest($1::text[]) WITH ORDINALITY AS wanted (post_id, number) JOIN posts p ON p.post_id = wanted.post_id
   ORDER BY wanted.number`,
);

interface PostText {
  /** The place in the list of wanted posts. */
  readonly place: number;
  readonly title: string;
  readonly body: string;
  readonly authorId: string;
  readonly communitySlug: string | null;
  readonly postType: PostType;
}

/** The postings of the first `count` posts, which fill a block; at least one post, however long it is. */
async function gatherBlock(db: Db, postIds: readonly string[], { blockGrams }: IndexSizes) {
  const postings = new BlockPostings();
  let units = 0;
  for (let from = 0; from < postIds.length; from += READ_POSTS) {
    for (const text of await db.query<PostText>(TEXTS, [postIds.slice(from, from + READ_POSTS)])) {
      const place = from + text.place;
      const add = (gram: number) => postings.add(gram, place);
      eachGram(text.title, add);
      eachGram(text.body, add);
      factGrams(text).forEach(add);
      if (postings.isFull(blockGrams)) return { count: place + 1, postings };
      units += text.title.length + text.body.length;
      if (units < UNITS_AT_ONCE) continue;
      await letOthersRun();
      units = 0;
    }
  }
  return { count: postIds.length, postings };
}

const emptyWaiting = oneValue<string>(
  'search.letGo',
  `WITH emptied AS (DELETE FROM search_waiting RETURNING post_id)
   SELECT coalesce(greatest((SELECT max(post_id) FROM posts WHERE NOT hidden), (SELECT max(post_id) FROM emptied)) || '~', '')
     AS below`,
);
/** Gives an index in a database of its own a new id, so that another forum that used it notices. */
const emptyIndex = oneValue<string, [below: string]>(
  'search.empty',
  `WITH left_behind AS (UPDATE search_segments SET state = 'left', parts_made = 0 WHERE state <> 'left')
   INSERT INTO search_backfill (below) VALUES ($1)
   ON CONFLICT (single) DO UPDATE SET below = EXCLUDED.below, index_id = EXCLUDED.index_id RETURNING index_id`,
);
const lockCurrent = noRows('search.holdFedIndex', 'SELECT FROM search_index_fed FOR UPDATE');
const setCurrent = noRows<[indexId: string]>(
  'search.feed',
  'UPDATE search_index_fed SET index_id = $1, newest_block = 0',
);
const emptyFormer = noRows<[below: string]>('search.giveUp', 'SELECT release.give_up_search_index($1)');

/** Makes the emptied index the current one; jobs fill it from the newest post on. Meanwhile searches walk the posts. */
export async function rebuildIndex(databases: SearchDatabases): Promise<void> {
  await changeIndex(
    databases,
    async ({ posts, index }) => {
      // Locked before the waiting posts, in the same order as `changeIndex` does; otherwise both would deadlock.
      await lockCurrent(posts);
      const below = (await emptyWaiting(posts))!;
      await setCurrent(posts, (await emptyIndex(index, below))!);
      // BEYOND_ALL: later posts are not in the former index either.
      if (posts !== index) await emptyFormer(posts, BEYOND_ALL);
    },
    { adopts: true },
  );
}
