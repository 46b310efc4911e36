// `npm run search:rebuild`: empties the index of search; workers fill it again from the newest post on, while the forum runs.
import { existsSync } from 'node:fs';
import { loadConfig } from '../config.ts';
import { rebuildIndex } from '../features/search/indexing.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { OWN_SERVICES } from './verify.ts';

if (!process.env.DATABASE_URL && existsSync(OWN_SERVICES)) process.loadEnvFile(OWN_SERVICES);
const { databaseUrl: url, databaseStatements: statements, processName } = loadConfig();
const db = new Postgres({ url, statements, maxConnections: 1, applicationName: `forum search ${processName}` });
await rebuildIndex(db).finally(() => db.close());
console.log(
  'The index of search is empty, and workers fill it. Nothing is missed meanwhile: searches have more pages.',
);
