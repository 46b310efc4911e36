import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Account } from '../../../src/tools/dev/account.ts';
import { findPostgres, type PostgresBinaries } from '../../../src/tools/dev/postgresBinaries.ts';
import { type OwnServer, startOwnServer } from '../../faults/support/ownServer.ts';
import { copyForStandby } from '../../faults/support/standby.ts';
import { cacheDirectory } from '../../support/directories.ts';
import type { Host } from './network.ts';
import { asAccount } from './redis.ts';

const run = promisify(execFile);
const PORT = 5432;
const SETTINGS = {
  port: String(PORT),
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  timezone: 'UTC',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // The replica does not wait for its readers: it replays conflicting changes and cancels their statements.
  max_standby_streaming_delay: '50ms',
  hot_standby_feedback: 'off',
};

/** A PostgreSQL on a host, which all hosts can reach. */
export class HostPostgres {
  readonly url: string;
  readonly #start: () => Promise<OwnServer>;
  #server: OwnServer | undefined;

  private constructor(url: string, start: () => Promise<OwnServer>) {
    this.url = url;
    this.#start = start;
  }

  /** A primary with an empty database `forum`. */
  static async primary(host: Host, directory: string, account: Account | undefined): Promise<HostPostgres> {
    const binaries = await findPostgres({ cacheDirectory, account });
    const password = randomBytes(16).toString('hex');
    const data = join(directory, 'primary');
    await mkdir(data, { mode: 0o700 });
    const passwordFile = join(directory, 'password');
    await writeFile(passwordFile, password);
    if (account) for (const path of [data, passwordFile]) await chown(path, account.uid, account.gid);
    const args = ['-D', data, '-U', 'forum', '--encoding=UTF8', '--locale=C', '--lc-ctype=C.UTF-8', '--no-sync'];
    args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`);
    await run(binaries.initdb, args, { ...account, cwd: directory });
    const everybody = 'samenet scram-sha-256\n';
    await appendFile(join(data, 'pg_hba.conf'), `host all all ${everybody}host replication all ${everybody}`);
    const server = new HostPostgres(urlOf(host, password, 'forum'), starter(host, binaries, data, account, password));
    await server.start();
    await withClient(urlOf(host, password, 'postgres'), (client) => client.query('CREATE DATABASE forum'));
    return server;
  }

  /** A server that replays the WAL of another one. */
  static async replicaOf(primary: HostPostgres, host: Host, directory: string, account: Account | undefined) {
    const copies = join(directory, 'replica');
    await rm(copies, { recursive: true, force: true });
    await mkdir(copies);
    if (account) await chown(copies, account.uid, account.gid);
    const data = await copyForStandby(primary.url, copies, account);
    const { password } = new URL(primary.url);
    const binaries = await findPostgres({ cacheDirectory, account });
    const server = new HostPostgres(urlOf(host, password, 'forum'), starter(host, binaries, data, account, password));
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    this.#server = await this.#start();
  }

  /** Kills the server; its child processes end with it. */
  async kill(): Promise<void> {
    await this.#server?.stop();
    this.#server = undefined;
  }

  /** Stops the server in order. */
  async stop(): Promise<void> {
    if (this.#server) process.kill(this.#server.pid, 'SIGINT');
    // Processes that have not ended by then are killed.
    for (let look = 0; look < 50 && this.#server && isAlive(this.#server.pid); look++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await this.kill();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const urlOf = ({ address }: Host, password: string, name: string): string =>
  `postgres://forum:${password}@${address}:${PORT}/${name}`;

function starter(
  host: Host,
  { postgres }: PostgresBinaries,
  data: string,
  account: Account | undefined,
  password: string,
): () => Promise<OwnServer> {
  const settings = { ...SETTINGS, listen_addresses: host.address };
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  return async () => {
    await rm(join(data, 'postmaster.pid'), { force: true });
    return startOwnServer({
      ...host.command(postgres, args, asAccount(account)),
      account: undefined,
      detached: true,
      cwd: data,
      probe: () => withClient(urlOf(host, password, 'postgres'), (client) => client.query('SELECT 1')),
    });
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
