// `npm run search:rebuild`: empties the search index, and moves it if SEARCH_DATABASE_URL has changed. Workers fill it.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfigWithoutLogKeys } from '../config.ts';
import { rebuildIndex, type SearchDatabases, searchDatabases } from '../features/search/searchIndex.ts';
import { DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE, QUERY_CANCELED, sqlState } from '../platform/postgres/errors.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { exitWith, ignoreClosedOutput, StartupError } from '../platform/startupError.ts';
import { loadOwnServices } from '../start/envFile.ts';
import { requireDatabase, requireWrites } from './schema.ts';
import { connectSearchIndex, requireIndexDatabase } from './searchIndex.ts';

/** A worker that indexes long texts holds the lock for seconds. */
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
        throw new StartupError('The search index is busy and was not changed. Run npm run search:rebuild again.');
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
  // Shows an operator whether the setting is in force.
  const place = index ? 'in the database of SEARCH_DATABASE_URL' : 'in the database of the posts';
  console.log(
    `The search index, ${place}, is empty. Workers fill it. Until then searches still find everything, on more pages.`,
  );
}

await main().catch(exitWith);
