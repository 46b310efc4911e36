// `npm run verify`: checks the karma ledger, the record of moderation, the counts, the log and what rows refer to, and prints
// what is wrong with them.
// Exit code 0: good, 1: problems found.
import { pathToFileURL } from 'node:url';
import { loadConfigWithoutLogKeys } from '../config.ts';
import { verifyModeration } from '../features/governance/moderation/verify.ts';
import { verifyLedger } from '../features/karma/verify.ts';
import { verifyStoredLog } from '../features/log/verify.ts';
import { verifyCounts } from '../features/overview/verify.ts';
import { loadOwnServices } from '../platform/envFile.ts';
import { type Db, Postgres } from '../platform/postgres/postgres.ts';
import { exitWith, ignoreClosedOutput } from '../platform/startupError.ts';
import { HOLD_SOURCES } from './holds.ts';
import { verifyReferences } from './references.ts';
import { requireDatabase } from './schema.ts';

/** Each of one moment of its own, so that none of them keeps what was deleted meanwhile for long. */
const PARTS: readonly ((snapshot: Db) => Promise<string[]>)[] = [
  (snapshot) => verifyLedger(snapshot, HOLD_SOURCES),
  verifyModeration,
  verifyCounts,
  verifyStoredLog,
  verifyReferences,
];

/**
 * Checks everything that docs/karma#the-ledger lists under `verify`, and the rest that must agree, while the service goes on.
 * Returns the problems, none when all is good; writes nothing.
 */
export async function verify(db: Postgres): Promise<string[]> {
  const problems: string[] = [];
  for (const part of PARTS) problems.push(...(await db.inTransaction(part, { snapshot: true })));
  return problems;
}

async function main(): Promise<void> {
  ignoreClosedOutput();
  loadOwnServices();
  const config = loadConfigWithoutLogKeys();
  const { databaseUrl: url, databaseStatements: statements, processName } = config;
  const db = new Postgres({ url, statements, maxConnections: 1, applicationName: `forum verify ${processName}` });
  try {
    await requireDatabase(db, config, { warn: (_facts, message) => console.warn(message) });
    const problems = await verify(db);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) process.exitCode = 1;
    else
      console.log(
        'The karma ledger is good, and so are the record of moderation, the counts, the log and what rows refer to.',
      );
  } finally {
    await db.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main().catch(exitWith);
