import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { isForbidden } from '../../platform/files/folders.ts';

/** Writes a file that only its owner can read. The write is atomic, also for a power cut. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    inheritOwner(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

export const readIfPresent = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });

/**
 * Creates a directory that other users can enter but not list, so that the user of the servers reaches the data below.
 */
export async function makePassableDirectory(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makePassableDirectory(dirname(path));
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (!isForbidden(error)) throw error;
    const message = `This user cannot create ${shortPath(path)} (${error.code})`;
    throw new Error(`${message}: run this in a folder that belongs to this user.`, { cause: error });
  });
  await chmod(path, 0o711);
  inheritOwner(path);
}

/** Gives a file that root created to the owner of its directory, who may start the services next time. */
export function inheritOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/** A path for messages, relative to the working directory if it lies below. */
export function shortPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
