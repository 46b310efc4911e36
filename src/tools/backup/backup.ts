// `npm run backup [-- DIRECTORY] [--from DATA]`: runs `pg_dump` with DATABASE_URL, else copies the files of `npm start`
// in .forum or DATA. `-- --wal DIRECTORY` adds the WAL since then.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readSecret } from '../../platform/envFile.ts';
import { StartupError } from '../../platform/startupError.ts';
import { shortPath } from '../dev/files.ts';
import { addWal, backUpDatabase, backUpFiles } from './makeBackup.ts';
import type { Manifest } from './manifest.ts';
import { runProgram } from './program.ts';

/** Outside the data, so that backups survive their removal. */
const FOLDER = 'backups';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { from: { type: 'string' }, wal: { type: 'string' } },
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
  const directory = positionals[0] ?? join(FOLDER, new Date().toISOString().slice(0, 19).replaceAll(':', '-'));
  const signal = listenForStop();
  const manifest = databaseUrl
    ? await backUpDatabase(directory, databaseUrl, signal)
    : await backUpFiles(directory, data, signal);
  const path = shortPath(directory);
  console.log(`Backup in ${path}: ${describe(manifest)}`);
  if (manifest.kind === 'files') {
    console.log(
      'Keep it where only you can read it: it contains the passwords and the keys of the operator and the log.',
    );
    console.log(`Add later writes to it: npm run backup -- --wal ${path}`);
  }
  console.log(`Restore: npm run restore -- ${path}`);
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
