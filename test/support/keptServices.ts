import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfPresent, writePrivateFile } from '../../src/tools/dev/files.ts';
import { identify, isRunning, type ProcessIdentity } from '../../src/tools/dev/processes.ts';
import { cacheDirectory } from './directories.ts';

/** The PostgreSQL and Redis of `npm run services`, which test runs of a checkout share. */
export interface KeptServices {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The process of `npm run services`. It stops both servers when it ends. */
  readonly keeper: ProcessIdentity;
}

/**
 * The state file of `npm run services`. TEST_SERVICES names another one; `TEST_SERVICES=own` means that a run looks for
 * none.
 */
const recordPath = process.env.TEST_SERVICES || join(cacheDirectory, 'test-services.json');

/** Held while `npm run services` starts or stops, so that one state file never has two. */
export const keptServicesLock = `${recordPath}.lock`;

/** Reads the state file. Returns undefined where its process does not run, or where another user owns the file. */
export async function findKeptServices(): Promise<KeptServices | undefined> {
  if (recordPath === 'own') return undefined;
  const text = await readIfPresent(recordPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error;
    return undefined;
  });
  if (!text) return undefined;
  const services = JSON.parse(text) as KeptServices;
  return (await isRunning(services.keeper)) ? services : undefined;
}

/** Writes the state file, with this process as the keeper. */
export async function recordKeptServices(urls: { databaseUrl: string; redisUrl: string }): Promise<void> {
  const { databaseUrl, redisUrl } = urls;
  writePrivateFile(recordPath, `${JSON.stringify({ databaseUrl, redisUrl, keeper: await identify() }, null, 2)}\n`);
}

export async function removeKeptServicesRecord(): Promise<void> {
  await rm(recordPath, { force: true });
}
