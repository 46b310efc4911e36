// `npm run verify`: checks the karma ledger and prints what is wrong with it. Exit code 0: good, 1: problems found.
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../config.ts';
import { verifyLedger } from '../features/karma/verify.ts';
import { Postgres } from '../platform/postgres.ts';
import { HOLD_SOURCES } from './holds.ts';

/**
 * Checks everything that contract 7 lists under `verify`, as of one moment, while the service goes on. Returns the
 * problems, none when the ledger is good; writes nothing.
 */
export async function verify(db: Postgres): Promise<string[]> {
  return db.inTransaction((snapshot) => verifyLedger(snapshot, HOLD_SOURCES), { snapshot: true });
}

async function main(): Promise<void> {
  const { databaseUrl, processName } = loadConfig();
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: `forum verify ${processName}` });
  try {
    const problems = await verify(db);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
    else console.log('The karma ledger is good.');
  } finally {
    await db.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
