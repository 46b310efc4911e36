// `npm run restore -- DIRECTORY [--to DATA] [--until TIME]`: restores a backup, that of files as data of `npm start` in .forum or
// DATA, up to its end or to a moment, that of `pg_dump` into the empty database that DATABASE_URL names.
import { parseArgs } from 'node:util';
import { CannotStart } from '../platform/cannotStart.ts';
import { readManifest } from './manifest.ts';
import { requireKnownSchema } from './origin.ts';
import { runProgram } from './program.ts';
import { restoreDatabase } from './restoreDatabase.ts';
import { restoreFiles } from './restoreFiles.ts';

const DEFAULT_DATA = '.forum';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, until: { type: 'string' } },
  });
  const [directory] = positionals;
  if (directory === undefined) throw new CannotStart('npm run restore -- DIRECTORY [--to DATA] [--until TIME]');
  const databaseUrl = values.to === undefined ? process.env.DATABASE_URL : undefined;
  const manifest = await readManifest(directory);
  requireKnownSchema(manifest);
  if (manifest.kind === 'dump') {
    if (!databaseUrl) throw new CannotStart(`${directory} is a dump: let DATABASE_URL name a new, empty database.`);
    if (values.until) throw new CannotStart(`${directory} is a dump, of one moment: --until is for backups with WAL.`);
    await restoreDatabase(directory, manifest, databaseUrl);
    console.log(`Restored: all that was accepted by ${manifest.upTo}.`);
    console.log('Next: npm run migrate && npm run verify, then start the API and the worker with this DATABASE_URL.');
    return;
  }
  if (databaseUrl) {
    throw new CannotStart(
      `${directory} has the files of a server of npm start: unset DATABASE_URL, or name the data by --to.`,
    );
  }
  const until = readMoment(values.until, manifest);
  const data = values.to ?? DEFAULT_DATA;
  const lastCommit = await restoreFiles(directory, manifest, data, until);
  console.log(`Restored into ${data}: up to ${until?.toISOString() ?? manifest.upTo} (last commit ${lastCommit}).`);
  console.log(`Next: npm start${data === DEFAULT_DATA ? '' : ` -- ${data}`}, then npm run verify.`);
}

/** Within what the backup has; a time without its zone would be that of whoever restores. */
function readMoment(
  text: string | undefined,
  { cluster, upTo }: { cluster: { consistentAt: string }; upTo: string },
): Date | undefined {
  if (text === undefined) return undefined;
  const moment = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (moment >= new Date(cluster.consistentAt) && moment <= new Date(upTo)) return moment;
  throw new CannotStart(`--until must be a time from ${cluster.consistentAt} to ${upTo}, with its zone as there.`);
}

await runProgram(main);
