// `npm run verify`: prints problems of the ledger, moderation, counts, ranks, log and references. Exit code 1 if there
// are any.
import { pathToFileURL } from 'node:url';
import { loadConfigWithoutLogKeys } from '../config.ts';
import { verifyAgentRanks } from '../features/agents/verify.ts';
import { OPEN_CHALLENGE_HOLDS, OPEN_STAKE_HOLDS } from '../features/challenges/store.ts';
import { verifyModeration } from '../features/governance/moderation/verify.ts';
import { verifyProvenance } from '../features/karma/provenance.ts';
import { type HoldSource, verifyLedger } from '../features/karma/verify.ts';
import { verifyStoredLog } from '../features/log/verify.ts';
import { verifyCounts } from '../features/overview/verify.ts';
import { verifyPostRanks } from '../features/posts/verify.ts';
import { OPEN_BOUNTY_HOLDS } from '../features/questions/store.ts';
import { type Db, Postgres } from '../platform/postgres/postgres.ts';
import { exitWith, ignoreClosedOutput } from '../platform/startupError.ts';
import { loadOwnServices } from '../start/envFile.ts';
import { verifyReferences } from './references.ts';
import { requireDatabase } from './schema.ts';

/** Everything that holds karma in escrow. Each feature that takes holds must be listed here. */
export const HOLD_SOURCES: readonly HoldSource[] = [
  { type: 'bounty_escrow', openHolds: OPEN_BOUNTY_HOLDS },
  { type: 'challenge_escrow', openHolds: OPEN_CHALLENGE_HOLDS },
  { type: 'stake_escrow', openHolds: OPEN_STAKE_HOLDS },
];

/** Each part has a snapshot of its own, so that no snapshot delays the removal of deleted rows for long. */
const PARTS: readonly ((snapshot: Db) => Promise<string[]>)[] = [
  (snapshot) => verifyLedger(snapshot, HOLD_SOURCES),
  verifyProvenance,
  verifyModeration,
  verifyCounts,
  verifyPostRanks,
  verifyAgentRanks,
  verifyStoredLog,
  verifyReferences,
];

/** Returns the problems of all parts (docs/karma#the-ledger). Writes nothing, and can run while the service does. */
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
        'No problems were found in the karma ledger, the moderation record, the counts, the ranks, the log and the references.',
      );
  } finally {
    await db.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main().catch(exitWith);
