// `npm run search:rebuild`: empties the index of search; workers fill it again from the newest post on, while the
// forum runs. So the index comes to the database of `SEARCH_DATABASE_URL` and, without it, back.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfigWithoutLogKeys } from '../config.ts';
import { type SearchDatabases, searchDatabases } from '../features/search/databases.ts';
import { rebuildIndex } from '../features/search/indexing.ts';
import { loadOwnServices } from '../platform/envFile.ts';
import { DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE, QUERY_CANCELED, sqlState } from '../platform/postgres/errors.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { exitWith, ignoreClosedOutput, StartupError } from '../platform/startupError.ts';
import { requireDatabase, requireWrites } from './schema.ts';
import { connectSearchIndex, requireIndexDatabase } from './searchIndex.ts';

/** A lock was not to be had in time: a worker that puts long texts into the index holds it for seconds. */
const BUSY = [LOCK_NOT_AVAILABLE, QUERY_CANCELED, DEADLOCK_DETECTED];
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

async function rebuildPatiently(databases: SearchDatabases): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rebuildIndex(databases);
    } catch (error) {
      if (!BUSY.includes(sqlState(error) ?? '')) throw error;
      if (attempt === ATTEMPTS)
        throw new StartupError('The index of search is busy, and was left as it is: run npm run search:rebuild again.');
      await sleep(PAUSE_MS);
    }
  }
}

async function main(): Promise<void> {
  ignoreClosedOutput();
  loadOwnServices();
  const config = loadConfigWithoutLogKeys();
  const { databaseUrl: url, searchDatabaseUrl, databaseStatements: statements, processName } = config;
  const options = { statements, maxConnections: 1, applicationName: `forum search ${processName}` };
  const db = new Postgres({ url, ...options });
  const index = connectSearchIndex(config, options);
  try {
    await requireDatabase(db, config, { warn: (_facts, message) => console.warn(message) });
    await requireWrites(db, url, 'DATABASE_URL');
    if (index) {
      await requireIndexDatabase(index, searchDatabaseUrl!);
      await requireWrites(index, searchDatabaseUrl!, 'SEARCH_DATABASE_URL');
    }
    await rebuildPatiently(searchDatabases(db, index));
  } finally {
    await db.close();
    await index?.close();
  }
  // Whoever forgot the setting, or to forget it, sees it here.
  const place = index ? 'in the database of SEARCH_DATABASE_URL' : 'beside the posts';
  console.log(
    `The index of search, ${place}, is empty, and workers fill it. Nothing is missed meanwhile: searches have more pages.`,
  );
}

await main().catch(exitWith);
