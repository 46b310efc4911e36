import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const testDirectoryPrefix = 'agent-forum-test-';

/** Kept from run to run: a fetched Redis, how long each test file took. */
export const cacheDirectory = fileURLToPath(new URL('../../.forum', import.meta.url));

/** A temporary directory whose name tells whose it is, so that a later run can clean up after a killed one. */
export async function makeTestDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `${testDirectoryPrefix}${process.pid}-`));
  // As root the servers run as another user, who must get through to the data.
  await chmod(directory, 0o711);
  return directory;
}
