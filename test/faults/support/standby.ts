import { chown, cp, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import pg from 'pg';
import { type Account, chooseAccount } from '../../../src/tools/dev/account.ts';
import { startPostgres } from '../../../src/tools/dev/postgres.ts';
import { findPostgres } from '../../../src/tools/dev/postgresBinaries.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';

/** A second server that replays the WAL of the first. */
export interface Standby {
  readonly url: string;
  stop(): Promise<void>;
}

/** Copies a running server and starts the copy as its standby. */
export async function startStandby(primaryUrl: string): Promise<Standby> {
  const directory = await makeTestDirectory();
  const account = await chooseAccount(directory);
  await copyForStandby(primaryUrl, directory, account);
  const { password, pathname } = new URL(primaryUrl);
  const server = await startPostgres({
    binaries: await findPostgres({ cacheDirectory, account }),
    directory,
    home: directory,
    account,
    password: decodeURIComponent(password),
    preferredPort: undefined,
    durable: false,
  });
  return {
    url: Object.assign(new URL(server.url), { pathname }).href,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Creates data below `directory` from which a standby of the server at `primaryUrl` can start. Returns their path. */
export async function copyForStandby(
  primaryUrl: string,
  directory: string,
  account: Account | undefined,
): Promise<string> {
  const data = await copyWhileRunning(primaryUrl, directory);
  const { username, password, hostname, port } = new URL(primaryUrl);
  const connection = `host=${hostname} port=${port} user=${username} password=${password}`;
  await writeFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  await writeFile(join(data, 'standby.signal'), '');
  await rm(join(data, 'postmaster.pid'), { force: true });
  if (account) await giveTo(account, directory);
  return data;
}

/** The base copy between `pg_backup_start` and `pg_backup_stop`. Its label has the position at which replay begins. */
async function copyWhileRunning(primaryUrl: string, directory: string): Promise<string> {
  const client = new pg.Client({ connectionString: primaryUrl, options: '-c idle_session_timeout=0' });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    const source = rows[0]!.data_directory;
    const copy = join(directory, basename(source));
    await client.query('SELECT pg_backup_start($1, true)', ['standby']);
    await cp(source, copy, { recursive: true });
    const { rows: stopped } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(copy, 'backup_label'), stopped[0]!.labelfile);
    return copy;
  } finally {
    await client.end();
  }
}

async function giveTo({ uid, gid }: Account, path: string): Promise<void> {
  await chown(path, uid, gid);
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await chown(join(entry.parentPath, entry.name), uid, gid);
  }
}
