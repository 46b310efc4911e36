import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { choosePlace, giveAway } from './account.ts';
import { makePassableDirectory, shortPath } from './files.ts';
import { withDirectoryLock } from './lock.ts';
import { isData, postgresDataDirectory, type RunningPostgres, recoverData, startPostgres } from './postgres.ts';
import { findPostgres } from './postgresBinaries.ts';
import { isOnAnyCommandLine } from './processes.ts';
import { loadSecrets } from './secrets.ts';

/** Starts PostgreSQL for `work` if it does not run; other starts wait. Throws if there is no data. */
export async function withOwnPostgres<T>(directory: string, work: (server: RunningPostgres) => Promise<T>): Promise<T> {
  if (!existsSync(join(directory, 'secrets.json')))
    throw new Error(`There is no forum in ${shortPath(resolve(directory))}`);
  const outcome = await withDirectoryLock(directory, async (path) => {
    const server = await startOwn(path);
    if (server.origin === 'shared') return { server };
    return { result: await work(server).finally(() => server.stop()) };
  });
  return 'result' in outcome ? outcome.result : await work(outcome.server);
}

async function startOwn(directory: string): Promise<RunningPostgres> {
  const place = await choosePlace({ directory });
  const binaries = await findPostgres(place);
  const data = postgresDataDirectory(place.home, binaries.major);
  if (!(await isData(data))) throw new Error(`There is no data of PostgreSQL ${binaries.major} in ${shortPath(data)}`);
  const { postgresPassword: password } = await loadSecrets(directory);
  return await startPostgres({ ...place, binaries, password, preferredPort: undefined, durable: true });
}

interface NewData {
  /** The directory to fill. It is renamed once `work` is done. */
  draft: string;
  recover(how: { until: Date | undefined; statement: string }): Promise<string>;
}

/**
 * Atomic, while no server can start there. Throws if there is data, a server runs, or PostgreSQL has another major
 * version.
 */
export async function createData(
  directory: string,
  major: string,
  work: (data: NewData) => Promise<void>,
): Promise<void> {
  await makePassableDirectory(resolve(directory));
  await withDirectoryLock(directory, async (path) => {
    const place = await choosePlace({ directory: path });
    const binaries = await findPostgres(place);
    if (binaries.major !== major)
      throw new Error(`It is of PostgreSQL ${major}, but PostgreSQL ${binaries.major} is installed`);
    const dataDirectory = postgresDataDirectory(place.home, major);
    await requireRoom(dataDirectory);
    const draft = `${dataDirectory}.new`;
    await rm(draft, { recursive: true, force: true });
    try {
      await mkdir(draft, { mode: 0o700 });
      await work({
        draft,
        recover: async (how) => {
          if (place.account) await giveAway(draft, place.account);
          return await recoverData(draft, { ...place, binaries }, how);
        },
      });
      await rename(draft, dataDirectory);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

/** Checks also for a server whose data were moved: when it stops, it writes to the old place. */
async function requireRoom(dataDirectory: string): Promise<void> {
  if (await isOnAnyCommandLine(`-D ${dataDirectory} `)) {
    throw new Error(`A PostgreSQL server uses ${shortPath(dataDirectory)}: stop it, or choose another directory`);
  }
  if ((await readdir(dataDirectory).catch(() => [])).length > 0) {
    throw new Error(`${shortPath(dataDirectory)} already contains data: move it away, or choose another directory`);
  }
}
