import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../platform/files/folders.ts';
import { StartupError } from '../../platform/startupError.ts';
import { shortPath } from '../dev/files.ts';
import { withLock } from '../dev/lock.ts';
import { isBackup, type Manifest, readManifest } from './manifest.ts';

/** Outside the data, so that backups survive their removal. */
export const DEFAULT_FOLDER = 'backups';

/** The name that a backup in a folder gets: the UTC time of its start. */
const TIMED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/;
/** What a killed backup, or a killed removal, leaves behind. */
const LEFTOVER = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.(partial|lock)$/;
const DAY_MS = 86_400_000;

export interface FoundBackup {
  readonly name: string;
  readonly path: string;
  readonly manifest: Manifest;
}

/** Keeps the newest backup of each of the last `daily` days and `weekly` weeks that have one. */
export interface Retention {
  readonly daily: number;
  readonly weekly: number;
}

export async function makeBackupFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${shortPath(folder)} cannot be created (${error.code}). Name a folder of this user.`, {
      cause: error,
    });
  });
}

/** The backups of one deployment in `folder`, the newest first. */
export async function backupsIn(folder: string, deploymentId: string | null): Promise<FoundBackup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${shortPath(folder)} cannot be read (${error.code}). Name the folder of the backups.`);
  });
  const found: FoundBackup[] = [];
  for (const name of names) {
    const path = join(folder, name);
    if (name.endsWith('.partial') || !isBackup(path)) continue;
    const manifest = await readManifest(path);
    if (manifest.deploymentId === deploymentId) found.push({ name, path, manifest });
  }
  return found.toSorted((a, b) => Date.parse(b.manifest.upTo) - Date.parse(a.manifest.upTo));
}

/**
 * Makes a backup in `folder`, then removes the backups that `retention` does not keep. Only one process at a time does
 * so. Backups of other deployments, and those with a name of your own, stay.
 */
export async function backUpInto(
  folder: string,
  retention: Retention | undefined,
  make: (directory: string) => Promise<Manifest>,
): Promise<{ directory: string; manifest: Manifest; removed: string[] }> {
  await makeBackupFolder(folder);
  return await withLock(join(folder, 'backups.lock'), async () => {
    const directory = join(folder, new Date().toISOString().slice(0, 19).replaceAll(':', '-'));
    const manifest = await make(directory);
    return { directory, manifest, removed: retention ? await removeOld(folder, manifest, retention) : [] };
  });
}

async function removeOld(folder: string, { deploymentId }: Manifest, retention: Retention): Promise<string[]> {
  for (const name of await readdir(folder)) if (LEFTOVER.test(name)) await rm(join(folder, name), { recursive: true });
  const timed = (await backupsIn(folder, deploymentId)).filter(({ name }) => TIMED.test(name));
  const kept = new Set([
    ...newestOfEach(timed, dayOf).slice(0, retention.daily),
    ...newestOfEach(timed, weekOf).slice(0, retention.weekly),
  ]);
  const removed = timed.filter((backup) => !kept.has(backup));
  for (const { path } of removed) {
    // A killed removal must not leave a directory that looks like a backup.
    await rename(path, `${path}.partial`);
    await rm(`${path}.partial`, { recursive: true });
  }
  return removed.map(({ name }) => name);
}

/** The first of each period, from a list with the newest first. */
function newestOfEach(backups: readonly FoundBackup[], periodOf: (backup: FoundBackup) => number): FoundBackup[] {
  const newest = new Map<number, FoundBackup>();
  for (const backup of backups) if (!newest.has(periodOf(backup))) newest.set(periodOf(backup), backup);
  return [...newest.values()];
}

const dayOf = ({ manifest }: FoundBackup): number => Math.floor(Date.parse(manifest.startedAt) / DAY_MS);
/** Weeks begin on Monday; 1970 began on a Thursday. */
const weekOf = (backup: FoundBackup): number => Math.floor((dayOf(backup) + 3) / 7);
