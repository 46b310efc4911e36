import { NothingSent } from '../../platform/postgres/errors.ts';
import {
  type Db,
  isPostgresUnavailable,
  isTimeout,
  noRows,
  oneRow,
  type Postgres,
  sqlState,
} from '../../platform/postgres/postgres.ts';
import { withTimeout } from '../../platform/withTimeout.ts';

/**
 * The database of the posts and the database of the search index: one and the same unless SEARCH_DATABASE_URL is set.
 */
export interface SearchDb {
  readonly posts: Db;
  readonly index: Db;
}

export interface SearchDatabases extends SearchDb {
  readonly posts: Postgres;
  readonly index: Postgres;
}

export const searchDatabases = (posts: Postgres, index = posts): SearchDatabases => ({ posts, index });

const INDEX_LOCK = 5_107_203;
/** How long the transaction on the posts may be idle while the other database stores a block. */
const MAX_PUT_MS = 60_000;

/** Lets one transaction at a time change which posts are in which segment. */
export const lockIndex = noRows('search.lock', `SELECT pg_advisory_xact_lock(${INDEX_LOCK})`);
interface IndexState {
  readonly index_id: string;
  readonly newest_block: number;
}

/** A merged segment has a higher number than its blocks, so the maximum never falls. */
const readPresent = oneRow<IndexState>(
  'search.index',
  `SELECT index_id, coalesce((SELECT max(segment) FROM search_segments), 0) AS newest_block FROM search_backfill`,
);
const readCurrent = oneRow<IndexState>('search.fedIndex', 'SELECT index_id, newest_block FROM search_index_fed');
const lockCurrent = oneRow<IndexState>(
  'search.keepFedIndex',
  'SELECT index_id, newest_block FROM search_index_fed FOR NO KEY UPDATE',
);
const allowIdle = noRows(
  'search.waitForIndex',
  `SELECT set_config('idle_in_transaction_session_timeout', '${MAX_PUT_MS}', true)`,
);

const WRONG_INDEX =
  'Workers do not maintain the search index in SEARCH_DATABASE_URL, or in DATABASE_URL if that is not set: correct the setting, or run npm run search:rebuild';

/**
 * Returns what is wrong when workers fill another index, or this one lacks blocks; undefined when it is the current
 * one.
 */
export const indexProblem = async ({ posts, index }: SearchDb): Promise<string | undefined> =>
  problemOf(await readCurrent(posts), index);

async function problemOf(current: IndexState | undefined, index: Db): Promise<string | undefined> {
  const present = await readPresent(index);
  const isCurrent = current && present?.index_id === current.index_id && present.newest_block >= current.newest_block;
  return isCurrent ? undefined : WRONG_INDEX;
}

/** The index commits first: a crash in between may index a post twice, but loses none. `adopts` replaces another. */
export async function changeIndex<T>(
  { posts, index }: SearchDatabases,
  work: (tx: SearchDb) => Promise<T>,
  { adopts = false } = {},
): Promise<T> {
  const locked = async (tx: SearchDb) => {
    await lockIndex(tx.index);
    const problem = adopts ? undefined : await problemOf(await lockCurrent(tx.posts), tx.index);
    if (problem) throw new Error(problem);
    return work(tx);
  };
  if (posts === index) return posts.inTransaction((tx) => locked({ posts: tx, index: tx }));
  return posts.inTransaction(async (postsTx) => {
    await allowIdle(postsTx);
    // A retry of this part alone would find that the outer transaction has already claimed its posts.
    return index.inTransaction((indexTx) => locked({ posts: postsTx, index: indexTx }), { attempts: 1 });
  });
}

/** How long searches skip a lost index: a check of a lost host may take seconds. */
const LOST_MS = 5_000;
/** How long a successful check is valid. */
const CURRENT_MS = 1_000;
/** How long a search waits for a check. */
const CHECK_WAIT_MS = 300;

interface Health {
  currentAt: number;
  lostAt: number;
  check?: Promise<boolean> | undefined;
}
const healthByIndex = new WeakMap<Db, Health>();

function healthOf(index: Db): Health {
  const health = healthByIndex.get(index) ?? { currentAt: -Infinity, lostAt: -Infinity };
  healthByIndex.set(index, health);
  return health;
}

const origins = ({ posts, index }: SearchDb): SearchDb => ({
  posts: posts.origin ?? posts,
  index: index.origin ?? index,
});

/** An index beside the posts is always used, a separate one unless it is lost or was replaced over a second ago. */
export async function isUsable(db: SearchDb): Promise<boolean> {
  const { posts, index } = origins(db);
  if (posts === index) return true;
  const health = healthOf(index);
  const now = performance.now();
  if (now - health.currentAt < CURRENT_MS) return true;
  if (now - health.lostAt < LOST_MS) return false;
  health.check ??= checkHealth({ posts, index }, health).finally(() => {
    health.check = undefined;
  });
  return health.lostAt > -Infinity ? false : withTimeout(health.check, CHECK_WAIT_MS, () => false);
}

async function checkHealth(db: SearchDb, health: Health): Promise<boolean> {
  try {
    const isCurrent = (await indexProblem(db)) === undefined;
    health.lostAt = -Infinity;
    if (isCurrent) health.currentAt = performance.now();
    return isCurrent;
  } catch (error) {
    noteLoss(db, error);
    return false;
  }
}

/** Whether a database is unreachable or not set up, not just slow. Searches then skip a separate index for 5 s. */
export function noteLoss(db: SearchDb, error: unknown): boolean {
  const isFailure = error instanceof NothingSent || sqlState(error) !== undefined || isPostgresUnavailable(error);
  if (!isFailure || isTimeout(error)) return false;
  const { posts, index } = origins(db);
  if (posts !== index) Object.assign(healthOf(index), { currentAt: -Infinity, lostAt: performance.now() });
  return true;
}

/** Whether the index has a database of its own, so that searches continue without it. */
export function isSeparate(db: SearchDb): boolean {
  const { posts, index } = origins(db);
  return posts !== index;
}
