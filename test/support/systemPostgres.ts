import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canRun, chooseAccount } from '../../src/tools/dev/account.ts';
import { type RunningPostgres, startPostgres } from '../../src/tools/dev/postgres.ts';
import type { PostgresBinaries } from '../../src/tools/dev/postgresBinaries.ts';
import { makeTestDirectory } from './directories.ts';
import { createTemplate } from './template.ts';

/** Where Debian keeps each major version, whether or not a cluster of it runs. */
const INSTALLED = '/usr/lib/postgresql';
const OLDEST_MAJOR = 15;

/** The newest PostgreSQL of the system that the service can use; undefined where there is none. */
export async function findSystemPostgres(): Promise<PostgresBinaries | undefined> {
  const majors = (await readdir(INSTALLED).catch(() => [])).map(Number).filter((major) => major >= OLDEST_MAJOR);
  const account = await chooseAccount(INSTALLED);
  for (const major of majors.toSorted((one, other) => other - one)) {
    const [postgres, initdb] = ['postgres', 'initdb'].map((name) => join(INSTALLED, String(major), 'bin', name));
    if (await canRun(postgres!, ['--version'], account)) {
      return { major: String(major), postgres: postgres!, initdb: initdb! };
    }
  }
  return undefined;
}

/** Starts a server from these binaries on new data in `directory`. */
export async function startServerOf(binaries: PostgresBinaries, directory: string): Promise<RunningPostgres> {
  const account = await chooseAccount(directory);
  const place = { directory, home: directory, account };
  return startPostgres({ ...place, binaries, password: 'test', preferredPort: undefined, durable: false });
}

/**
 * Starts a server from these binaries with new data and a migrated template; the tests of this process use it in place
 * of that of the run until it is stopped.
 */
export async function useServerOf(binaries: PostgresBinaries): Promise<{ stop(): Promise<void> }> {
  const directory = await makeTestDirectory();
  const server = await startServerOf(binaries, directory);
  const { TEST_DATABASE_URL: ofTheRun } = process.env;
  process.env.TEST_DATABASE_URL = server.url;
  const stop = async () => {
    process.env.TEST_DATABASE_URL = ofTheRun;
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  await createTemplate().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { stop };
}
