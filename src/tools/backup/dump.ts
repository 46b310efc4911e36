import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { primaryUrl } from '../../platform/postgres/primary.ts';
import { StartupError } from '../../platform/startupError.ts';
import { checkFiles, type Manifest } from './manifest.ts';
import { ask, withConnection } from './origin.ts';

const run = promisify(execFile);

export const DUMP_FILE = 'database.dump';

/** Dumps the database at `url` into `directory` with the `pg_dump` of its server's version. */
export async function dumpDatabase(url: string, major: string, directory: string, signal: AbortSignal): Promise<void> {
  const file = join(directory, DUMP_FILE);
  await runTool('pg_dump', major, url, ['--format=custom', `--file=${file}`], signal);
}

/** Loads a dump into the database at `url` in one transaction. The role of `url` owns everything. */
async function loadDump(url: string, major: string, directory: string): Promise<void> {
  const how = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];
  await runTool('pg_restore', major, url, [...how, join(directory, DUMP_FILE)]);
}

/**
 * Separates a restored database from the original's Redis and log (docs/operations#sharing-a-redis,
 * docs/log#when-it-stops).
 */
export const RENEW_DEPLOYMENT = `WITH halted AS (
    UPDATE log_head SET halted = 'the database was restored' WHERE EXISTS (SELECT FROM log_checkpoint)
  ) DELETE FROM settings WHERE name = 'deployment_id'`;

const MAJOR = `SELECT (current_setting('server_version_num')::integer / 10000)::text AS major`;
const COUNT_TABLES = `SELECT count(*)::integer AS tables FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** Loads a backup by `pg_dump` into the database at `url`. Throws `StartupError` unless that is empty. */
export async function restoreDatabase(directory: string, manifest: Manifest, url: string): Promise<void> {
  const { major, tables } = await withConnection(url, async (client) => ({
    ...(await ask<{ major: string }>(client, MAJOR)),
    ...(await ask<{ tables: number }>(client, COUNT_TABLES)),
  }));
  if (tables > 0)
    throw new StartupError(
      'The database in DATABASE_URL is not empty, so nothing was restored. Name a new, empty database.',
    );
  if (Number(major) < Number(manifest.postgres.major)) {
    throw new StartupError(
      `The backup is from PostgreSQL ${manifest.postgres.major}, but the server in DATABASE_URL is PostgreSQL ${major}. Use the same version or a later one.`,
    );
  }
  checkFiles(directory, manifest);
  await loadDump(url, major, directory);
  await withConnection(url, async (client) => {
    await client.query(RENEW_DEPLOYMENT);
    // A dump has no statistics, without which queries read whole tables.
    await client.query('ANALYZE');
  });
}

async function runTool(
  tool: string,
  major: string,
  databaseUrl: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const path = await findTool(tool, major);
  const { url, password } = withoutPassword(await primaryUrl(databaseUrl));
  const env = { ...process.env, LC_ALL: 'C', ...(password === '' ? {} : { PGPASSWORD: password }) };
  const child = spawn(path, ['--no-password', `--dbname=${url}`, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
    ...(signal ? { signal } : {}),
  });
  const [code, killedBy] = await once(child, 'close').catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  if (code !== 0) throw new StartupError(`${path} failed (${code ?? killedBy}). Its message is above.`);
}

/** Finds a tool of a version in Debian's folder for that version, else in the PATH. */
async function findTool(tool: string, major: string): Promise<string> {
  for (const path of [`/usr/lib/postgresql/${major}/bin/${tool}`, tool]) {
    const version = await run(path, ['--version']).then(
      ({ stdout }) => /(\d+)[.\d]*/.exec(stdout)?.[1],
      () => undefined,
    );
    if (version === major) return path;
  }
  throw new StartupError(
    `${tool} of PostgreSQL ${major} is not installed. Run apt-get install postgresql-client-${major}, or run this command on the host of the server.`,
  );
}

/** Separates the password, because all users of a machine can read arguments. */
function withoutPassword(databaseUrl: string): { url: string; password: string } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
  url.password = '';
  url.searchParams.delete('password');
  return { url: url.href, password };
}
