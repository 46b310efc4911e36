import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { StartupError } from '../../platform/startupError.ts';
import { copyFile, digestOf, flush, unlessMissing } from './files.ts';
import type { BackedUpFile, FilesBackup } from './manifest.ts';
import { ask } from './origin.ts';
import { copySegments, endSegment, findWal, readSystemIdentifier, segmentAt, WAL_FOLDER } from './wal.ts';

export const DATA_FOLDER = 'data';

/** A start fills these again, or they are temporary. The WAL is copied separately. */
const LEFT_OUT = [
  /^pg_(dynshmem|notify|replslot|serial|snapshots|stat_tmp|subtrans|wal)\//,
  /^postmaster\.(pid|opts)$/,
  /^(backup_label|tablespace_map)(\.old)?$/,
  /(^|\/)pgsql_tmp/,
  /(^|\/)pg_internal\.init/,
  /\/t\d+_\d+/,
];
/** Copied last, so that less WAL has to be replayed. */
const CONTROL_FILE = 'global/pg_control';

type BaseCopy = Omit<FilesBackup, 'kind'> & { readonly files: readonly BackedUpFile[]; readonly upTo: string };

/** A replication slot keeps the WAL until it is copied. The slot and the backup mode end with the connection. */
export async function copyBase(
  client: pg.Client,
  dataDirectory: string,
  backup: string,
  signal: AbortSignal,
): Promise<BaseCopy> {
  const wal = await findWal(client, dataDirectory);
  const systemIdentifier = await readSystemIdentifier(client);
  await client.query('SELECT pg_create_physical_replication_slot($1, true, true)', [`forum_backup_${process.pid}`]);
  const { start } = await ask<{ start: string }>(client, `SELECT pg_backup_start('forum', true) AS start`);
  const { directories, files } = await copyData(dataDirectory, join(backup, DATA_FOLDER), signal);
  const { label } = await ask<{ label: string }>(client, 'SELECT labelfile AS label FROM pg_backup_stop(false)');
  const { at } = await ask<{ at: Date }>(client, 'SELECT clock_timestamp() AS at');
  files.push(await writeLabel(backup, label));
  const { next, upTo } = await endSegment(client, wal);
  await mkdir(join(backup, WAL_FOLDER), { mode: 0o700 });
  files.push(...(await copySegments(wal, { from: segmentAt(start, wal), to: next }, backup)));
  await flush(
    backup,
    files.map(({ path }) => path),
  );
  const { timeline, segmentBytes } = wal;
  const cluster = { systemIdentifier, timeline, segmentBytes, nextSegment: next, consistentAt: at.toISOString() };
  return { cluster, directories, files, upTo };
}

/** Skips files that were dropped meanwhile, because the WAL has their removal. */
async function copyData(
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<{ directories: string[]; files: BackedUpFile[] }> {
  const directories: string[] = [];
  const files: BackedUpFile[] = [];
  await mkdir(to, { mode: 0o700 });
  const copy = async (path: string) => {
    // Signals are handled between two files.
    await setImmediate();
    signal.throwIfAborted();
    const digest = unlessMissing(() => copyFile(join(from, path), join(to, path)));
    if (digest) files.push({ path: `${DATA_FOLDER}/${path}`, ...digest });
  };
  const walk = async (folder: string): Promise<void> => {
    for (const entry of unlessMissing(() => readdirSync(join(from, folder), { withFileTypes: true })) ?? []) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === CONTROL_FILE || LEFT_OUT.some((pattern) => pattern.test(path))) continue;
      if (entry.isSymbolicLink())
        throw new StartupError(`${path} is a symbolic link out of the data directory. Use pg_basebackup.`);
      if (!entry.isDirectory()) await copy(path);
      else {
        directories.push(path);
        await mkdir(join(to, path), { mode: 0o700 });
        await walk(path);
      }
    }
  };
  await walk('');
  await copy(CONTROL_FILE);
  return { directories, files };
}

/** Writes the position from which the WAL has to be replayed. */
async function writeLabel(backup: string, label: string): Promise<BackedUpFile> {
  const path = `${DATA_FOLDER}/backup_label`;
  await writeFile(join(backup, path), label, { mode: 0o600, flag: 'wx' });
  return { path, ...digestOf(join(backup, path)) };
}
