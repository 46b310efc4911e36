import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isForbidden } from '../../platform/files/folders.ts';
import { exitWith, StartupError } from '../../platform/startupError.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Removes folders of an earlier build. Ends the program with a message if this user may not write there. */
export function clearTarget(target: string, folders: readonly string[]): void {
  try {
    mkdirSync(target, { recursive: true });
    rmdirSync(mkdtempSync(join(target, '.build-')));
    for (const folder of folders) rmSync(join(target, folder), { recursive: true, force: true });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const { code, path = target } = error as NodeJS.ErrnoException;
    exitWith(
      new StartupError(
        `This user may not write to ${path} (${code}): build in a copy of this folder that is this user's own.`,
      ),
    );
  }
}

/** Runs the compiler. If it fails, this program ends with its code. */
export function compile(args: readonly string[]): void {
  const { status, error } = spawnSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
