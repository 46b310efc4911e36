// `npm run restore -- DIRECTORY [--to DATA] [--until TIME]` (docs/operations#backup): restores files into .forum or
// DATA, up to data of `npm start` in .forum or DATA, up to its end or to a time. A dump is loaded into the empty
// database of DATABASE_URL.
import { parseArgs } from 'node:util';
import { StartupError } from '../../platform/startupError.ts';
import { readSecret } from '../../start/envFile.ts';
import { restoreDatabase } from './dump.ts';
import { readManifest } from './manifest.ts';
import { requireKnownSchema } from './origin.ts';
import { runProgram } from './program.ts';
import { restoreFiles } from './restoreFiles.ts';

const DEFAULT_DATA = '.forum';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { to: { type: 'string' }, until: { type: 'string' } },
  });
  const [directory] = positionals;
  if (directory === undefined) throw new StartupError('npm run restore -- DIRECTORY [--to DATA] [--until TIME]');
  const databaseUrl = values.to === undefined ? readSecret(process.env, 'DATABASE_URL') : undefined;
  const manifest = await readManifest(directory);
  requireKnownSchema(manifest);
  if (manifest.kind === 'dump') {
    if (!databaseUrl) throw new StartupError(`${directory} is a dump. Set DATABASE_URL to a new, empty database.`);
    if (values.until)
      throw new StartupError(
        `${directory} is a dump, which has a single point in time. --until is for backups with WAL.`,
      );
    await restoreDatabase(directory, manifest, databaseUrl);
    console.log(`Restored: everything accepted until ${manifest.upTo}.`);
    console.log('Next: npm run migrate && npm run verify, then start the API and the worker with this DATABASE_URL.');
    return;
  }
  if (databaseUrl) {
    throw new StartupError(
      `${directory} contains the files of a server of npm start. Unset DATABASE_URL, or name the data directory with --to.`,
    );
  }
  const data = values.to ?? DEFAULT_DATA;
  const lastCommit = await restoreFiles(directory, manifest, data, values.until);
  console.log(`Restored into ${data}: up to ${values.until ?? manifest.upTo} (last commit ${lastCommit}).`);
  const isDefault = data === DEFAULT_DATA;
  const verify = `${isDefault ? '' : `env $(cat ${data}/env) `}npm run verify`;
  console.log(`Next: npm start${isDefault ? '' : ` -- ${data}`}; and while it runs, ${verify}.`);
  const recover = `env $(cat ${data}/env ${data}/log.env) npm run log:recover -- --from MIRROR`;
  console.log(`The log is halted until you recover it from a mirror: ${recover}`);
  console.log('MIRROR is any copy of /log. Use the forum itself if nothing was published after the backup.');
}

await runProgram(main);
