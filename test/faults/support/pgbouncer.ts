import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chown, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { chooseAccount } from '../../../src/tools/dev/account.ts';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { startOwnServer } from './ownServer.ts';

const EXAMPLE = new URL('../../../deploy/pgbouncer/pgbouncer.ini', import.meta.url);
/** The first version that keeps prepared statements in transaction mode. */
const KEEPS_NAMES = { major: 1, minor: 21 };

/** A PgBouncer of this system. */
export interface PgBouncer {
  readonly path: string;
  /** As in `1.18.0`. */
  readonly version: string;
  /** True if it supports `max_prepared_statements`. */
  readonly keepsNames: boolean;
}

/** Finds it on the PATH or in Debian's directory. Undefined if it is not installed. */
export function findPgBouncer(): PgBouncer | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  for (const directory of directories.filter((name) => name !== '')) {
    const path = join(directory, 'pgbouncer');
    try {
      accessSync(path, constants.X_OK);
    } catch {
      continue;
    }
    const printed = execFileSync(path, ['--version'], { encoding: 'utf8' });
    const [, version = '', major, minor] = /PgBouncer ((\d+)\.(\d+)\S*)/.exec(printed) ?? [];
    const keepsNames = Number(major) * 1_000 + Number(minor) >= KEEPS_NAMES.major * 1_000 + KEEPS_NAMES.minor;
    return { path, version, keepsNames };
  }
  return undefined;
}

/** A running pooler in front of the server of a database. */
export interface Pooler {
  /** The address of a database of that server, through the pooler. */
  through(databaseUrl: string): string;
  stop(): Promise<void>;
}

/**
 * Starts a pooler in front of the server of `databaseUrl`, with the settings of `deploy/pgbouncer` and these changes.
 */
export async function startPooler(
  { path }: PgBouncer,
  databaseUrl: string,
  changes: Readonly<Record<string, string | number>>,
): Promise<Pooler> {
  const directory = await makeTestDirectory();
  const account = await chooseAccount(directory);
  const port = await chooseFreePort([]);
  const server = new URL(databaseUrl);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_file: join(directory, 'userlist.txt'),
    ...changes,
  };
  const place = `host=${server.hostname} port=${server.port || 5432}`;
  const ini = withSettings(await readFile(EXAMPLE, 'utf8'), place, settings);
  const [user, password] = [decodeURIComponent(server.username), decodeURIComponent(server.password)];
  const files = { 'pgbouncer.ini': ini, 'userlist.txt': `"${user}" "${password}"\n` };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    if (account) await chown(join(directory, name), account.uid, account.gid);
  }
  const through = (url: string) => Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  const running = await startOwnServer({
    file: path,
    args: [join(directory, 'pgbouncer.ini')],
    account,
    cwd: '/',
    probe: () => connectOnce(through(databaseUrl)),
  });
  return {
    through,
    stop: async () => {
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The example with other values. Settings that it does not contain are added at the end. */
function withSettings(example: string, place: string, settings: Readonly<Record<string, string | number>>): string {
  const lines = example.split('\n').map((line) => (line.startsWith('forum = ') ? `* = ${place}` : line));
  const kept = lines.filter((line) => !Object.keys(settings).some((name) => line.startsWith(`${name} = `)));
  return [...kept, ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`), ''].join('\n');
}

async function connectOnce(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end().catch(() => undefined);
  }
}
