import { FORUM_THERE } from '../../migrations/run.ts';
import type { Config } from '../config.ts';
import { isFed, NOT_FED, type SearchDb } from '../features/search/databases.ts';
import { isDatabaseFailure, isLoss } from '../features/search/indexHealth.ts';
import { type Db, Postgres, type PostgresOptions, sql } from '../platform/postgres/postgres.ts';
import { startFailure } from '../platform/postgres/startFailure.ts';
import { StartupError } from '../platform/startupError.ts';
import { readIndexSchemaState } from './schema.ts';

const LOST = 'unavailable, searches walk';
const FORUM = sql('ops.forumThere', `SELECT to_regclass('public.search_index_fed') IS NOT NULL AS there`);

/** The database of the index of search, where it has one of its own. */
export function connectSearchIndex(
  { searchDatabaseUrl: url }: Config,
  options: Pick<PostgresOptions, 'statements' | 'applicationName' | 'maxConnections'>,
): Postgres | undefined {
  // Whoever spreads the options of the posts' database into these has its address in them too.
  return url === undefined ? undefined : new Postgres({ ...options, url });
}

/** `ok`, or what is wrong with the index of search: while it lacks posts, or is lost, searches find them by walking. */
export async function searchIndexState(db: SearchDb): Promise<string> {
  try {
    const schema = db.posts === db.index ? 'ok' : await readIndexSchemaState(db.index);
    if (schema !== 'ok') return `${schema}: run npm run migrate`;
    return (await isFed(db)) ? 'ok' : NOT_FED;
  } catch (error) {
    if (!isDatabaseFailure(error)) throw error;
    return LOST;
  }
}

/**
 * Asks at the start of a process whether its index of search is the one that is kept up: throws `StartupError` where another
 * is, in which posts would be found that are not in this one. One that cannot be reached, at `url`, keeps nobody from
 * serving; the log says why it cannot.
 */
export async function requireSearchIndex(
  db: SearchDb,
  log: { warn(facts: object, message: string): void },
  url?: string,
): Promise<void> {
  try {
    if (db.posts !== db.index) {
      await requireNoForum(db.index);
      await requireMigrated(db.index);
    }
    if (!(await isFed(db))) throw new StartupError(NOT_FED);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if (!isDatabaseFailure(error)) throw error;
    isLoss(db, error);
    const known = url === undefined ? error : failureOf(error, url);
    const reason = known instanceof StartupError ? { reason: known.message } : { err: error };
    log.warn({ state: LOST, ...reason }, 'the index of search');
  }
}

/** Throws `StartupError` unless the database at `url` can be given an index. */
export async function requireIndexDatabase(index: Db, url: string): Promise<void> {
  try {
    await requireNoForum(index);
    await requireMigrated(index);
  } catch (error) {
    throw failureOf(error, url);
  }
}

/** In the database of a forum, its own above all, an index would be taken for one of its own and changed from both sides. */
async function requireNoForum(index: Db): Promise<void> {
  const [forum] = await index.query<{ there: boolean }>(FORUM);
  if (forum!.there) throw new StartupError(FORUM_THERE);
}

async function requireMigrated(index: Db): Promise<void> {
  const state = await readIndexSchemaState(index);
  if (state === 'ok') return;
  throw new StartupError(`The database of SEARCH_DATABASE_URL is not up to date (${state}). Run: npm run migrate`);
}

const failureOf = (error: unknown, url: string): unknown => startFailure(error, url, 'SEARCH_DATABASE_URL');
