import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';

/** The posts that are searched and the index of them, which stands there too or in a database of its own. */
export interface SearchDb {
  readonly posts: Db;
  readonly index: Db;
}

/** The same, to change both; one and the same object where they are one database. */
export interface SearchDatabases {
  readonly posts: Postgres;
  readonly index: Postgres;
}

/** Where the index stands beside the posts, unless it is told where else. */
export const searchDatabases = (posts: Postgres, index = posts): SearchDatabases => ({ posts, index });

const INDEX_LOCK = 5_107_203;
/** What is put into another database meanwhile takes seconds, for which a transaction here has nothing to do. */
const LONGEST_PUT_MS = 60_000;

const LOCK = sql('search.lock', 'SELECT pg_advisory_xact_lock($1)');
/** What a block was made part of has a later number. */
const THERE = sql(
  'search.index',
  `SELECT index_id, coalesce((SELECT max(segment) FROM search_segments), 0) AS newest_block FROM search_backfill`,
);
const FED = sql('search.fedIndex', 'SELECT index_id, newest_block FROM search_index_fed');
const KEEP_FED = sql('search.keepFedIndex', 'SELECT index_id, newest_block FROM search_index_fed FOR NO KEY UPDATE');
const WAIT = sql(
  'search.waitForIndex',
  `SELECT set_config('idle_in_transaction_session_timeout', '${LONGEST_PUT_MS}', true)`,
);

/** One at a time changes which posts are in which segment: until the transaction ends. */
export async function lockIndex(index: Db): Promise<void> {
  await index.query(LOCK, [INDEX_LOCK]);
}

/** An index by its name and the last block that was put into it. */
interface Known {
  readonly index_id: string;
  readonly newest_block: number;
}

/** Whether it is this index that posts are put into, and it has all that was. */
export const isFed = async ({ posts, index }: SearchDb): Promise<boolean> => isSame(await posts.query(FED), index);

async function isSame([fed]: readonly Known[], index: Db): Promise<boolean> {
  const [there] = await index.query<Known>(THERE);
  return fed !== undefined && there?.index_id === fed.index_id && there.newest_block >= fed.newest_block;
}

/**
 * Changes the index and what is kept beside the posts about it: in one transaction where that is one database, else in one of
 * each, of which that of the index commits first. What is lost between the two is done once more, so that a post may be in
 * the index twice, which no search shows, and is never in neither. Nobody else changes the index meanwhile. Throws where
 * another index is fed, unless this one is `adopted`.
 */
export async function changeIndex<T>(
  { posts, index }: SearchDatabases,
  work: (tx: SearchDb) => Promise<T>,
  { adopted = false } = {},
): Promise<T> {
  const locked = async (tx: SearchDb) => {
    await lockIndex(tx.index);
    if (!adopted && !(await isSame(await tx.posts.query(KEEP_FED), tx.index))) throw new Error(NOT_FED);
    return work(tx);
  };
  if (posts === index) return posts.inTransaction((tx) => locked({ posts: tx, index: tx }));
  return posts.inTransaction(async (ofPosts) => {
    await ofPosts.query(WAIT);
    // Tried again as a whole alone: what this transaction of the posts has claimed, it would find gone.
    return index.inTransaction((ofIndex) => locked({ posts: ofPosts, index: ofIndex }), { attempts: 1 });
  });
}

/** Words for whoever started a process with the other `SEARCH_DATABASE_URL`. */
export const NOT_FED =
  'The index of search that SEARCH_DATABASE_URL names, or without it that in DATABASE_URL, is not the one that is kept up: correct it, or run npm run search:rebuild';
