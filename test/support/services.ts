import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { identify } from '../../src/tools/dev/processes.ts';
import { type Services, startServices } from '../../src/tools/dev/services.ts';
import { cacheDirectory, makeTestDirectory, testDirectoriesRoot, testDirectoryPrefix } from './directories.ts';
import { stopAbandonedServices } from './stopAbandonedServices.ts';

/** PostgreSQL and Redis for one test run, in a temporary directory that `stop()` removes again. */
export async function startTestServices(): Promise<Services> {
  await removeAbandoned();
  const directory = await makeTestDirectory();
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  const starting = startServices({
    directory,
    cacheDirectory,
    durable: false,
    databaseUrl: process.env.TEST_DATABASE_URL || undefined,
    redisUrl: process.env.TEST_REDIS_URL || undefined,
    log: () => undefined,
  });
  starting.catch(removeDirectory);
  const services = await starting;
  return {
    ...services,
    stop: async () => {
      await services.stop();
      await removeDirectory();
    },
  };
}

/** Ends the servers of test runs that were killed, and removes their data. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(testDirectoriesRoot)) {
    const pid = Number(new RegExp(`^${testDirectoryPrefix}(\\d+)-`).exec(name)?.[1]);
    if (!pid || (await identify(pid))) continue;
    const directory = join(testDirectoriesRoot, name);
    try {
      await stopAbandonedServices(directory);
      await rm(directory, { recursive: true, force: true });
    } catch (error) {
      // What another user left behind is that user's to remove, and a run beside this one may clean up as well.
      if (!['EACCES', 'EPERM', 'ENOENT', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }
}
