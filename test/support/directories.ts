import { accessSync, constants, statfsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const testDirectoryPrefix = 'agent-forum-test-';

/** Kept from run to run: a fetched Redis, how long each test file took. */
export const cacheDirectory = fileURLToPath(new URL('../../.forum', import.meta.url));

const MEMORY = '/dev/shm';
const GIBIBYTE = 2 ** 30;
/** More than the servers of a run ever took, and as much again for other programs. */
const WANTED_BYTES = 4 * GIBIBYTE;
const WANTED_MEMORY_BYTES = 8 * GIBIBYTE;

/**
 * Where test directories are: in memory, where there is plenty. A database is 600 files, and on a disk whose file
 * system makes one in half a millisecond each copy of the template took 0.45 s instead of 0.04.
 */
export const testDirectoriesRoot = isRoomy(MEMORY) ? MEMORY : tmpdir();

function isRoomy(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    const { blocks, bsize } = statfsSync(directory);
    // What a container may have, where that is less than there is; 0 where nothing bounds it.
    const memory = Math.min(totalmem(), process.constrainedMemory() || totalmem());
    return blocks * bsize >= WANTED_BYTES && memory >= WANTED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

/** A temporary directory whose name tells whose it is, so that a later run can clean up after a killed one. */
export async function makeTestDirectory(): Promise<string> {
  const directory = await mkdtemp(join(testDirectoriesRoot, `${testDirectoryPrefix}${process.pid}-`));
  // As root the servers run as another user, who must get through to the data.
  await chmod(directory, 0o711);
  return directory;
}
