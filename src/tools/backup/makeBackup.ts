import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { StartupError } from '../../platform/startupError.ts';
import { shortPath } from '../dev/files.ts';
import { withLock } from '../dev/lock.ts';
import { logKeyFiles } from '../dev/log.ts';
import { withOwnPostgres } from '../dev/ownPostgres.ts';
import { copyBase } from './baseCopy.ts';
import { DUMP_FILE, dumpDatabase } from './dump.ts';
import { digestOf, flush, flushOne } from './files.ts';
import { makeBackupFolder } from './folder.ts';
import {
  type BackedUpFile,
  type FilesBackup,
  type Manifest,
  type Origin,
  readManifest,
  writeManifest,
} from './manifest.ts';
import { ask, readOrigin, recordTime, withConnection } from './origin.ts';
import { copySegments, endSegment, findWal, readSystemIdentifier, type WalPlace } from './wal.ts';

/** Files beside the data that a backup needs: the passwords of the data, and the keys of the operator and the log. */
const keptBeside = (data: string): string[] => ['secrets.json', 'operator.json', ...logKeyFiles(data)];

/** Backs up the server of `npm start` with its data in `data` into a new directory (docs/operations#backup). */
export async function backUpFiles(directory: string, data: string, signal: AbortSignal): Promise<Manifest> {
  return await withOwnPostgres(data, ({ url, dataDirectory }) =>
    makeDirectory(directory, url, (draft) =>
      withConnection(url, async (client) => {
        const startedAt = new Date().toISOString();
        const origin = await readOrigin(client);
        const { files, ...copy } = await copyBase(client, dataDirectory, draft, signal);
        const beside = await copyBeside(data, draft);
        const backup = { kind: 'files', ...origin, startedAt, ...copy, files: [...files, ...beside] } as const;
        await writeManifest(draft, backup);
      }),
    ),
  );
}

async function copyBeside(data: string, backup: string): Promise<BackedUpFile[]> {
  const there = keptBeside(data).filter((name) => existsSync(join(data, name)));
  for (const name of there) {
    await mkdir(dirname(join(backup, name)), { recursive: true, mode: 0o700 });
    await copyFile(join(data, name), join(backup, name));
  }
  await flush(backup, there);
  return there.map((path) => ({ path, ...digestOf(join(backup, path)) }));
}

export async function backUpDatabase(directory: string, url: string, signal: AbortSignal): Promise<Manifest> {
  return await makeDirectory(directory, url, async (draft) => {
    const startedAt = new Date().toISOString();
    const { origin, upTo } = await withConnection(url, async (client) => ({
      origin: await readOrigin(client),
      upTo: (await ask<{ now: Date }>(client, 'SELECT clock_timestamp() AS now')).now.toISOString(),
    }));
    await dumpDatabase(url, origin.postgres.major, draft, signal);
    const files = [{ path: DUMP_FILE, ...digestOf(join(draft, DUMP_FILE)) }];
    await writeManifest(draft, { kind: 'dump', ...origin, startedAt, upTo, files });
  });
}

/** Adds the WAL since then to a backup of files. The backup does not change if this fails. */
export async function addWal(directory: string, data: string): Promise<Manifest> {
  await withLock(`${resolve(directory)}.lock`, async () => {
    const manifest = await readManifest(directory);
    if (manifest.kind !== 'files')
      throw new StartupError(`${directory} is a dump. WAL can be added only to a backup of files.`);
    await withOwnPostgres(data, ({ url, dataDirectory }) =>
      withConnection(url, async (client) => {
        const origin = await readOrigin(client);
        const place = await findWal(client, dataDirectory);
        await requireSameData(client, place, origin, manifest);
        const { cluster } = manifest;
        const { next, upTo } = await endSegment(client, place);
        const added = await copySegments(place, { from: cluster.nextSegment, to: next }, directory);
        const files = [...manifest.files, ...added];
        await flush(directory, [added.at(-1)?.path ?? '.']);
        const changed = { ...origin, upTo, files, cluster: { ...cluster, nextSegment: next } };
        await writeManifest(directory, Object.assign({}, manifest, changed));
      }),
    );
  });
  return await readManifest(directory);
}

/** Throws if the data are not those of the backup, or were restored since. */
async function requireSameData(
  client: pg.Client,
  { timeline }: WalPlace,
  { deploymentId }: Origin,
  { cluster, deploymentId: former }: Origin & FilesBackup,
): Promise<void> {
  const isSameName = former === null || former === deploymentId;
  const isSameLog = (await readSystemIdentifier(client)) === cluster.systemIdentifier && timeline === cluster.timeline;
  if (!isSameLog || !isSameName)
    throw new StartupError('The backup is of other data. Make a new one with npm run backup');
}

/** Fills a directory under a temporary name, renames it once it is complete, and records that in the database. */
async function makeDirectory(
  directory: string,
  url: string,
  fill: (draft: string) => Promise<void>,
): Promise<Manifest> {
  const path = resolve(directory);
  const draft = `${path}.partial`;
  await makeBackupFolder(dirname(path));
  await withLock(`${path}.lock`, async () => {
    if (existsSync(path))
      throw new StartupError(
        `${shortPath(path)} already exists, and a backup is never overwritten. Choose another directory.`,
      );
    await rm(draft, { recursive: true, force: true });
    try {
      await mkdir(draft, { mode: 0o700 });
      await fill(draft);
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      throw error;
    }
    await flushOne(dirname(path));
  });
  const manifest = await readManifest(path);
  await recordTime(url, 'last_backup_at', manifest.upTo).catch((error: Error) => {
    throw new StartupError(
      `The backup in ${shortPath(path)} is complete, but its time could not be stored in the database: ${error.message}`,
      { cause: error },
    );
  });
  return manifest;
}
