import { FORUM_THERE } from '../../migrations/run.ts';
import type { Config } from '../config.ts';
import { indexProblem, noteLoss, type SearchDb } from '../features/search/searchIndex.ts';
import { type Db, Postgres, type PostgresOptions, sql } from '../platform/postgres/postgres.ts';
import { StartupError } from '../platform/startupError.ts';
import { startFailure } from '../start/startFailure.ts';
import { readIndexSchemaState } from './schema.ts';

const LOST = 'unavailable, searches scan the posts';
const FORUM = sql('ops.forumThere', `SELECT to_regclass('public.search_index_fed') IS NOT NULL AS there`);

/** Connects to the database of the search index; undefined unless SEARCH_DATABASE_URL is set. */
export function connectSearchIndex(
  { searchDatabaseUrl: url }: Config,
  options: Pick<PostgresOptions, 'statements' | 'applicationName' | 'maxConnections'>,
): Postgres | undefined {
  // `url` is last because callers spread options that include the address of the posts' database.
  return url === undefined ? undefined : new Postgres({ ...options, url });
}

/**
 * `ok`, or what is wrong with the search index. Searches walk posts that it lacks, and all posts while it is
 * unreachable.
 */
export async function searchIndexState(db: SearchDb): Promise<string> {
  try {
    const schema = db.posts === db.index ? 'ok' : await readIndexSchemaState(db.index);
    return schema === 'ok' ? ((await indexProblem(db)) ?? 'ok') : `${schema}: run npm run migrate`;
  } catch (error) {
    if (!noteLoss(db, error)) throw error;
    return LOST;
  }
}

/** Throws `StartupError`. Only warns if the index is unreachable, because searches work without it. */
export async function requireSearchIndex(
  db: SearchDb,
  log: { warn(facts: object, message: string): void },
  url?: string,
): Promise<void> {
  try {
    if (db.posts !== db.index) await requireIndexSchema(db.index);
    const problem = await indexProblem(db);
    if (problem) throw new StartupError(problem);
  } catch (error) {
    if (error instanceof StartupError || !noteLoss(db, error)) throw error;
    const known = url === undefined ? error : failureOf(error, url);
    const reason = known instanceof StartupError ? { reason: known.message } : { err: error };
    log.warn({ state: LOST, ...reason }, 'search index');
  }
}

/** Throws `StartupError` unless the database at `url` can contain a search index. */
export async function requireIndexDatabase(index: Db, url: string): Promise<void> {
  await requireIndexSchema(index).catch((error: unknown) => {
    throw failureOf(error, url);
  });
}

/** Rejects the database of a forum: that forum would use and change the same index. */
async function requireIndexSchema(index: Db): Promise<void> {
  const [forum] = await index.query<{ there: boolean }>(FORUM);
  if (forum!.there) throw new StartupError(FORUM_THERE);
  const state = await readIndexSchemaState(index);
  if (state !== 'ok')
    throw new StartupError(`The database of SEARCH_DATABASE_URL is not up to date (${state}). Run: npm run migrate`);
}

const failureOf = (error: unknown, url: string): unknown => startFailure(error, url, 'SEARCH_DATABASE_URL');
