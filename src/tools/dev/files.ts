import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { isForbidden } from '../../platform/files/folders.ts';

/** Writes a file that only its owner can read, whole or not at all: a reader never sees half of it, nor does a power cut leave that. */
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

/** The file's text, or undefined when there is no such file. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a directory that other users can pass through but not list: the servers' user must reach what lies below. */
export async function makePassableDirectory(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makePassableDirectory(dirname(path));
  await mkdir(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (!isForbidden(error)) throw error;
    const message = `This user may not make ${shortPath(path)} (${error.code})`;
    throw new Error(`${message}: start this in a folder of this user's own.`, { cause: error });
  });
  await chmod(path, 0o711);
  inheritOwner(path);
}

/** What root makes in a user's checkout belongs to that user, who may start the services alone next time. */
export function inheritOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/** A path for people: relative to the working directory when it lies below. */
export function shortPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below.startsWith('..') ? path : below;
}
