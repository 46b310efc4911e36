// `npm run rehearse [-- FOLDER]`: restores the newest backup in `backups` or FOLDER into a scratch database, migrates
// and verifies it, and drops it. Of the database of DATABASE_URL it changes only the stored time of the last rehearsal.
import { parseArgs } from 'node:util';
import { migrateLatest } from '../../../migrations/run.ts';
import { verify } from '../../ops/verify.ts';
import { Postgres } from '../../platform/postgres/postgres.ts';
import { primaryUrl } from '../../platform/postgres/primary.ts';
import { StartupError } from '../../platform/startupError.ts';
import { readSecret } from '../../start/envFile.ts';
import { restoreDatabase } from './dump.ts';
import { backupsIn, DEFAULT_FOLDER } from './folder.ts';
import { readOrigin, recordTime, requireKnownSchema, withConnection } from './origin.ts';
import { runProgram } from './program.ts';
import { scratchBeside, withScratchDatabase } from './scratch.ts';

async function main(): Promise<void> {
  const [folder = DEFAULT_FOLDER] = parseArgs({ allowPositionals: true }).positionals;
  const url = readSecret(process.env, 'DATABASE_URL');
  if (!url) throw new StartupError('Set DATABASE_URL to the database of the backups.');
  const { deploymentId } = await withConnection(url, readOrigin);
  const [newest] = await backupsIn(folder, deploymentId);
  if (!newest)
    throw new StartupError(`${folder} has no backup of this forum. Make one: npm run backup -- --in ${folder}`);
  const { path, manifest } = newest;
  if (manifest.kind !== 'dump')
    throw new StartupError(`${path} has the files of a server. Try it with npm run restore -- ${path} --to DATA`);
  requireKnownSchema(manifest);
  const named = readSecret(process.env, 'REHEARSAL_DATABASE_URL');
  const server = await primaryUrl(named ?? url);
  const scratch = named === undefined ? scratchBeside(server) : server;
  await withScratchDatabase(scratch, async () => {
    const took = stopwatch();
    await restoreDatabase(path, manifest, scratch);
    const restored = took();
    await migrateLatest(scratch);
    const migrated = took();
    await requireVerified(scratch, path);
    console.log(`Rehearsed ${path}: restored in ${restored} s, migrated in ${migrated} s, verified in ${took()} s.`);
  });
  await recordTime(url, 'last_rehearsal_at');
}

async function requireVerified(url: string, path: string): Promise<void> {
  const db = new Postgres({ url, maxConnections: 1, applicationName: 'forum rehearsal' });
  const problems = await verify(db).finally(() => db.close());
  if (problems.length > 0)
    throw new StartupError(`${problems.join('\n')}\n${path} was restored, but has these ${problems.length} problems.`);
}

/** Each call returns the seconds since the call before. */
function stopwatch(): () => string {
  let since = performance.now();
  return () => {
    const before = since;
    since = performance.now();
    return ((since - before) / 1_000).toFixed(1);
  };
}

await runProgram(main);
