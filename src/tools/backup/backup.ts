// `npm run backup [-- DIRECTORY] [--from DATA]`: runs `pg_dump` with DATABASE_URL, else copies the files of `npm start`
// in .forum or DATA. `-- --in FOLDER` names the directory by the time; `--keep-daily N` and `--keep-weekly N` then
// remove older backups there. `-- --wal DIRECTORY` adds the WAL since then.
import { parseArgs } from 'node:util';
import { StartupError } from '../../platform/startupError.ts';
import { readSecret } from '../../start/envFile.ts';
import { shortPath } from '../dev/files.ts';
import { backUpInto, DEFAULT_FOLDER, type Retention } from './folder.ts';
import { addWal, backUpDatabase, backUpFiles } from './makeBackup.ts';
import type { Manifest } from './manifest.ts';
import { runProgram } from './program.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      from: { type: 'string' },
      wal: { type: 'string' },
      in: { type: 'string' },
      'keep-daily': { type: 'string' },
      'keep-weekly': { type: 'string' },
    },
  });
  const data = values.from ?? '.forum';
  const databaseUrl = values.from === undefined ? readSecret(process.env, 'DATABASE_URL') : undefined;
  if (values.wal !== undefined) {
    if (databaseUrl)
      throw new StartupError(
        '--wal is for the server of npm start. With DATABASE_URL, archive the WAL on the server itself: see deploy/RUNBOOK.md.',
      );
    const manifest = await addWal(values.wal, data);
    return console.log(`WAL added to ${values.wal}, which now has ${describe(manifest)}`);
  }
  const retention = readRetention(values);
  const signal = listenForStop();
  const make = (directory: string) =>
    databaseUrl ? backUpDatabase(directory, databaseUrl, signal) : backUpFiles(directory, data, signal);
  const [named] = positionals;
  if (named !== undefined && (retention || values.in !== undefined))
    throw new StartupError('--in, --keep-daily and --keep-weekly name the directory by the time. Leave DIRECTORY out.');
  const { directory, manifest, removed } =
    named === undefined
      ? await backUpInto(values.in ?? DEFAULT_FOLDER, retention, make)
      : { directory: named, manifest: await make(named), removed: [] };
  const path = shortPath(directory);
  console.log(`Backup in ${path}: ${describe(manifest)}`);
  if (manifest.kind === 'files') {
    console.log(
      'Keep it where only you can read it: it contains the passwords and the keys of the operator and the log.',
    );
    console.log(`Add later writes to it: npm run backup -- --wal ${path}`);
  }
  if (removed.length > 0) console.log(`Removed: ${removed.join(', ')}.`);
  console.log(`Restore: npm run restore -- ${path}`);
}

function readRetention(values: { 'keep-daily'?: string; 'keep-weekly'?: string }): Retention | undefined {
  const [daily = 0, weekly = 0] = (['keep-daily', 'keep-weekly'] as const).map((name) => {
    const text = values[name];
    if (text !== undefined && !/^[1-9]\d{0,4}$/.test(text))
      throw new StartupError(`--${name} must be a number of backups, at least 1.`);
    return Number(text ?? 0);
  });
  return daily + weekly > 0 ? { daily, weekly } : undefined;
}

function describe({ files, upTo }: Manifest): string {
  const megabytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1_000_000;
  const count = `${files.length} file${files.length === 1 ? '' : 's'}`;
  return `everything accepted until ${upTo}, ${megabytes.toFixed(1)} MB in ${count}.`;
}

function listenForStop(): AbortSignal {
  const controller = new AbortController();
  const stop = () => controller.abort(new StartupError('Interrupted: no backup was made.'));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, stop);
  return controller.signal;
}

await runProgram(main);
