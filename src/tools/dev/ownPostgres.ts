import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { giveAway } from './account.ts';
import { makePassableDirectory, shortPath } from './files.ts';
import { withLock } from './lock.ts';
import { choosePlace, lockOf, trueName } from './place.ts';
import { isData, postgresDataDirectory, type RunningPostgres, recoverData, startPostgres } from './postgres.ts';
import { findPostgres } from './postgresBinaries.ts';
import { isOnAnyCommandLine } from './processes.ts';
import { loadSecrets } from './secrets.ts';

/**
 * Runs `work` on the PostgreSQL whose data lies below `directory`: the one that runs, else one started for it alone, while
 * whoever else would start one waits. Throws where there is no data.
 */
export async function withOwnPostgres<T>(directory: string, work: (server: RunningPostgres) => Promise<T>): Promise<T> {
  // Looking there must leave nothing there.
  if (!existsSync(join(directory, 'secrets.json')))
    throw new Error(`There is no forum in ${shortPath(resolve(directory))}`);
  const path = await trueName(directory);
  const outcome = await withLock(lockOf(path), async () => {
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

/** What becomes data of a PostgreSQL of our own. */
export interface NewData {
  /** Where it is put together; it appears in its place once `work` is done. */
  draft: string;
  /** As `recoverData`, of the draft. */
  recover(how: { until: Date | undefined; statement: string }): Promise<string>;
}

/**
 * Makes the data of a PostgreSQL of our own below `directory`, whole or not at all, while nothing can be started there.
 * Throws where there is data already, a server still runs, or ours is of another major version.
 */
export async function createData(
  directory: string,
  major: string,
  work: (data: NewData) => Promise<void>,
): Promise<void> {
  await makePassableDirectory(resolve(directory));
  const path = await trueName(directory);
  await withLock(lockOf(path), async () => {
    const place = await choosePlace({ directory: path });
    const binaries = await findPostgres(place);
    if (binaries.major !== major)
      throw new Error(`It is of PostgreSQL ${major}, but here is PostgreSQL ${binaries.major}`);
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

/** A server whose data were moved away beneath it runs on, and writes to the place where they were when it stops. */
async function requireRoom(dataDirectory: string): Promise<void> {
  if (await isOnAnyCommandLine(`-D ${dataDirectory} `)) {
    throw new Error(`A PostgreSQL runs on ${shortPath(dataDirectory)}: stop it, or choose another directory`);
  }
  if ((await readdir(dataDirectory).catch(() => [])).length > 0) {
    throw new Error(`${shortPath(dataDirectory)} holds data: move it away, or choose another directory`);
  }
}
