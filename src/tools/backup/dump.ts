import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '../../platform/startupError.ts';

const run = promisify(execFile);

export const DUMP_FILE = 'database.dump';

/** Writes the database at `url` into `directory`, as of one moment, by the `pg_dump` of its server's version. */
export async function dumpDatabase(url: string, major: string, directory: string, signal: AbortSignal): Promise<void> {
  const file = join(directory, DUMP_FILE);
  await runTool('pg_dump', major, url, ['--format=custom', `--file=${file}`], signal);
}

/**
 * Reads what `dumpDatabase` wrote into the database at `url`, whole or not at all; all that is in it is the role's whom
 * `url` names.
 */
export async function loadDump(url: string, major: string, directory: string): Promise<void> {
  const how = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];
  await runTool('pg_restore', major, url, [...how, join(directory, DUMP_FILE)]);
}

async function runTool(
  tool: string,
  major: string,
  databaseUrl: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  const path = await findTool(tool, major);
  const { url, password } = withoutPassword(databaseUrl);
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
  if (code !== 0) throw new StartupError(`${path} ended with ${code ?? killedBy}, as it says above.`);
}

/** Where Debian has the tools of each version, then the path. */
async function findTool(tool: string, major: string): Promise<string> {
  for (const path of [`/usr/lib/postgresql/${major}/bin/${tool}`, tool]) {
    const version = await run(path, ['--version']).then(
      ({ stdout }) => /(\d+)[.\d]*/.exec(stdout)?.[1],
      () => undefined,
    );
    if (version === major) return path;
  }
  throw new StartupError(
    `There is no ${tool} of PostgreSQL ${major} here: apt-get install postgresql-client-${major}, or run this where the server is.`,
  );
}

/** An argument is seen by everyone on the machine. */
function withoutPassword(databaseUrl: string): { url: string; password: string } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password) || (url.searchParams.get('password') ?? '');
  url.password = '';
  url.searchParams.delete('password');
  return { url: url.href, password };
}
