import { execFile, spawn } from 'node:child_process';
import { chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { readIfPresent, shortPath } from './files.ts';
import type { PostgresBinaries } from './postgresBinaries.ts';
import { commandLine } from './processes.ts';
import { lastLines, NotReady, type RunningServer, type ServerOptions, startOrJoin } from './server.ts';

const run = promisify(execFile);

const user = 'forum';
const database = 'forum';

interface PostgresOptions extends ServerOptions {
  binaries: PostgresBinaries;
}

export interface RunningPostgres extends RunningServer {
  url: string;
  dataDirectory: string;
  createdData: boolean;
}

/** Starts, shares or takes over the PostgreSQL with its data in `home`, and creates the database `forum`. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const dataDirectory = postgresDataDirectory(options.home, options.binaries.major);
  const createdData = !(await isData(dataDirectory));
  if (!createdData) await requireOwnData(dataDirectory, options.account?.uid ?? process.getuid?.());
  if (createdData) await initialize(dataDirectory, options);
  await removeStalePidFile(dataDirectory);
  const server = await startOrJoin({
    title: 'PostgreSQL',
    recordPath: join(options.directory, 'postgresql.pid.json'),
    logPath: join(options.home, 'postgresql.log'),
    preferredPort: options.preferredPort,
    stopSignal: 'SIGINT',
    killAfterMs: 15_000,
    spawn: (port, logFd) =>
      spawn(options.binaries.postgres, serverArguments(dataDirectory, port, options.durable), {
        ...options.account,
        cwd: options.home,
        env: environment(),
        detached: true,
        stdio: ['ignore', logFd, logFd],
      }),
    probe: (port) => probe(databaseUrl(port, options.password, 'postgres'), dataDirectory),
  });
  await createForumDatabase(databaseUrl(server.port, options.password, 'postgres'));
  return { ...server, url: databaseUrl(server.port, options.password, database), dataDirectory, createdData };
}

/** Throws with the remedy if PostgreSQL would refuse the data because of its owner or mode. */
async function requireOwnData(directory: string, uid: number | undefined): Promise<void> {
  const { uid: owner, mode } = await stat(directory);
  const shown = shortPath(directory);
  if (uid !== undefined && owner !== uid) {
    const [theirs, ours] = await Promise.all([userName(owner), userName(uid)]);
    throw new Error(
      `The data in ${shown} belongs to the user ${theirs}, but PostgreSQL runs as ${ours}: chown -R ${ours} ${shown}, or start as ${theirs}.`,
    );
  }
  if (process.platform !== 'win32' && (mode & 0o027) !== 0) {
    throw new Error(`Other users can read the data in ${shown}, which PostgreSQL refuses: chmod -R go-rwx ${shown}`);
  }
}

const userName = (uid: number): Promise<string> =>
  run('id', ['-un', String(uid)]).then(
    ({ stdout }) => stdout.trim(),
    () => String(uid),
  );

export const isData = async (directory: string): Promise<boolean> =>
  (await readIfPresent(join(directory, 'PG_VERSION'))) !== undefined;

/** The name has the major version, because another one cannot read the data. */
export const postgresDataDirectory = (home: string, major: string): string => join(home, `postgresql-${major}`);

/** Creates the data in a draft that is then renamed, so that an interrupted start leaves no incomplete data. */
async function initialize(dataDirectory: string, options: PostgresOptions): Promise<void> {
  const draft = `${dataDirectory}.new`;
  const passwordFile = join(options.home, 'initdb-password');
  await rm(draft, { recursive: true, force: true });
  await rm(passwordFile, { force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, options.password, { mode: 0o600 });
  if (options.account) {
    await chown(draft, options.account.uid, options.account.gid);
    await chown(passwordFile, options.account.uid, options.account.gid);
  }
  const args = ['-D', draft, '-U', user, '--encoding=UTF8', '--locale=C'];
  args.push('--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-instructions');
  // A random password needs no iterations, which cost milliseconds for each connection.
  if (Number(options.binaries.major) >= 16) args.push('-c', 'scram_iterations=1');
  if (!options.durable) args.push('--no-sync');
  try {
    await run(options.binaries.initdb, args, { ...options.account, cwd: options.home, env: environment() });
    await rename(draft, dataDirectory);
  } catch (error) {
    throw new Error(`PostgreSQL could not create its data in ${shortPath(dataDirectory)}: ${reasonOf(error)}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/** The error message of the server, such as that of a full disk, else the first line of the output. */
function reasonOf(error: unknown): string {
  const { message, stderr = '' } = error as { message: string; stderr?: string };
  const [, said] = /(?:FATAL|PANIC|error): +(.+)/.exec(stderr) ?? [];
  return said ?? (stderr.trim() || message).split('\n')[0]!;
}

/**
 * Replays the WAL in a copy of the data, then runs one statement. Returns the server's log, or throws with the end of
 * it.
 */
export async function recoverData(
  dataDirectory: string,
  { binaries, home, account }: Pick<PostgresOptions, 'binaries' | 'home' | 'account'>,
  { until, statement }: { until: Date | undefined; statement: string },
): Promise<string> {
  const settings = {
    ...SETTINGS,
    // All WAL is in the copy, so there is nothing to fetch.
    restore_command: 'exit 1',
    // A single-user server cannot serve readers.
    hot_standby: 'off',
    recovery_target_action: 'promote',
    // During recovery PostgreSQL does not know abbreviations of time zones, such as Z.
    ...(until ? { recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00') } : {}),
    exit_on_error: 'on',
  };
  const args = ['--single', '-D', dataDirectory, ...flags(settings), database];
  const options = { ...account, cwd: home, env: environment(), maxBuffer: 64 << 20 };
  const running = run(binaries.postgres, args, options);
  running.child.stdin?.on('error', () => undefined);
  running.child.stdin?.end(`${statement.replaceAll('\n', ' ')}\n`);
  try {
    return (await running).stderr;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`PostgreSQL did not recover the data:\n${lastLines(stderr ?? String(error))}`, { cause: error });
  }
}

/** Removes a pid file that a crash left. PostgreSQL would not start while any process has that pid. */
async function removeStalePidFile(dataDirectory: string): Promise<void> {
  const path = join(dataDirectory, 'postmaster.pid');
  const pid = Number((await readIfPresent(path))?.split('\n')[0]);
  if (!pid || (await commandLine(pid)).includes(dataDirectory)) return;
  await rm(path, { force: true });
}

function serverArguments(dataDirectory: string, port: number, durable: boolean): string[] {
  const network = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const risk = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_keep_size: '0' };
  return ['-D', dataDirectory, '-p', String(port), ...flags({ ...SETTINGS, ...network, ...(durable ? {} : risk) })];
}

/** Recovery needs the limits with which the data were written. */
const SETTINGS = {
  max_connections: '200',
  shared_buffers: '128MB',
  // For `npm run backup -- --wal`, which copies the WAL since its last run.
  wal_keep_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

function flags(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Without variables such as PGDATA and PGPORT, which the programs would use. */
function environment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(entries), LC_ALL: 'C' };
}

/** The server has no TLS, whatever PGSSLMODE says. */
function databaseUrl(port: number, password: string, name: string): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${name}?sslmode=disable`;
}

async function probe(url: string, dataDirectory: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    // Class 28: the server refuses the password, so there is no need to try again.
    if (code.startsWith('28')) {
      const message = `PostgreSQL rejects the password in secrets.json, which belongs to the data in ${dataDirectory}`;
      throw new Error(`${message}: restore the file, or delete that data to start again without it`, { cause: error });
    }
    throw new NotReady('PostgreSQL does not answer yet', { cause: error });
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createForumDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}
