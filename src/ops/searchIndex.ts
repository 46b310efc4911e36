import type { Config } from '../config.ts';
import { isDatabaseFailure, isFed, NOT_FED, type SearchDb } from '../features/search/databases.ts';
import { CannotStart } from '../platform/cannotStart.ts';
import { Postgres, type PostgresOptions, sqlState } from '../platform/postgres/postgres.ts';

const UNDEFINED_TABLE = '42P01';

/** The database of the index of search, where it has one of its own. */
export function connectSearchIndex(
  { searchDatabaseUrl: url }: Config,
  options: Pick<PostgresOptions, 'statements' | 'applicationName' | 'maxConnections'>,
): Postgres | undefined {
  return url === undefined ? undefined : new Postgres({ url, ...options });
}

/** `ok`, or what is wrong with the index of search: while it lacks posts, or is lost, searches find them by walking. */
export async function searchIndexState(db: SearchDb): Promise<string> {
  try {
    return (await isFed(db)) ? 'ok' : NOT_FED;
  } catch (error) {
    if (sqlState(error) === UNDEFINED_TABLE) return 'not migrated: run npm run migrate';
    if (!isDatabaseFailure(error)) throw error;
    return 'unavailable, searches walk';
  }
}

/**
 * Asks at the start of a process whether its index of search is the one that is kept up: throws `CannotStart` where another
 * is, in which posts would be found that are not in this one. One that cannot be reached keeps nobody from serving.
 */
export async function requireSearchIndex(
  db: SearchDb,
  log: { warn(facts: object, message: string): void },
): Promise<void> {
  const state = await searchIndexState(db);
  if (state === NOT_FED) throw new CannotStart(NOT_FED);
  if (state !== 'ok') log.warn({ state }, 'the index of search');
}
