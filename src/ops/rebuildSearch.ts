// `npm run search:rebuild`: empties the index of search; workers fill it again from the newest post on, while the
// forum runs. So the index comes to the database of `SEARCH_DATABASE_URL` and, without it, back.
import { existsSync } from 'node:fs';
import { loadConfig } from '../config.ts';
import { searchDatabases } from '../features/search/databases.ts';
import { rebuildIndex } from '../features/search/indexing.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { connectSearchIndex } from './searchIndex.ts';
import { OWN_SERVICES } from './verify.ts';

if (!process.env.DATABASE_URL && existsSync(OWN_SERVICES)) process.loadEnvFile(OWN_SERVICES);
const config = loadConfig();
const { databaseUrl: url, databaseStatements: statements, processName } = config;
const options = { statements, maxConnections: 1, applicationName: `forum search ${processName}` };
const db = new Postgres({ url, ...options });
const index = connectSearchIndex(config, options);
try {
  await rebuildIndex(searchDatabases(db, index));
} finally {
  await db.close();
  await index?.close();
}
console.log(
  'The index of search is empty, and workers fill it. Nothing is missed meanwhile: searches have more pages.',
);
