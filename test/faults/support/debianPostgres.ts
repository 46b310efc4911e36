import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseAccount } from '../../../src/dev/account.ts';
import { makePassableDirectory } from '../../../src/dev/files.ts';
import { type RunningPostgres, startPostgres } from '../../../src/dev/postgres.ts';

const INSTALLED = '/usr/lib/postgresql';

/** The newest PostgreSQL that Debian's packages installed with server and client, by its major version. */
export async function findInstalled(): Promise<string | undefined> {
  const majors = await readdir(INSTALLED).catch(() => []);
  const isWhole = (major: string) =>
    ['postgres', 'initdb', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(INSTALLED, major, 'bin', name)));
  return majors.filter(isWhole).sort((a, b) => Number(b) - Number(a))[0];
}

/** Starts it on new data of its own below `directory`, apart from any cluster that the machine has. */
export async function startInstalled(major: string, directory: string): Promise<RunningPostgres> {
  await makePassableDirectory(directory);
  const bin = join(INSTALLED, major, 'bin');
  const binaries = { major, postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb') };
  const account = await chooseAccount(directory);
  const options = { binaries, directory, home: directory, account, password: 'forum', preferredPort: undefined };
  return await startPostgres({ ...options, durable: false });
}
