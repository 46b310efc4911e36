import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { type Executable, fetchRedis, findUnpackedRedis } from './redisPackages.ts';

const run = promisify(execFile);
const oldest = { major: 6, minor: 2 };

/** Where package managers put a server, whatever the PATH of who starts this one. */
const USUAL_DIRECTORIES = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/snap/bin',
];

export interface RedisBinary extends Executable {
  /** As in `Redis 7.0.15`. */
  title: string;
  fetched: boolean;
}

interface SearchOptions {
  /** Keeps what was fetched or copied; the account can enter it. */
  cacheDirectory: string;
  account: Account | undefined;
  /** Looked into after the PATH; default: where package managers put a server. */
  usualDirectories?: readonly string[];
}

/**
 * A Redis or Valkey server, 6.2 or later, that the account can run: from the PATH, else from the usual directories, else
 * from the cache, else fetched from the distribution's packages. Throws an error that names the ways out when there is
 * none, and why those that there are will not do.
 */
export async function findRedis(options: SearchOptions): Promise<RedisBinary> {
  const refused: string[] = [];
  for (const path of await findInstalled(['redis-server', 'valkey-server'], options)) {
    const tried = await tryRunning({ path, env: {} }, options);
    const found = tried.binary ?? (await tryCopy(path, options));
    if (found) return found;
    refused.push(`${path} ${tried.problem}.`);
  }
  const root = join(options.cacheDirectory, 'redis-packages');
  const unpacked = await findUnpackedRedis(root);
  const cached = unpacked && (await tryRunning(unpacked, options)).binary;
  if (cached) return cached;
  return await fetchInto(root, options, refused);
}

async function fetchInto(root: string, options: SearchOptions, refused: string[]): Promise<RedisBinary> {
  try {
    const { binary, problem } = await tryRunning(await fetchRedis(root), options);
    if (binary) return { ...binary, fetched: true };
    refused.push(`The server from the distribution's packages ${problem}.`);
  } catch (error) {
    refused.push(`Fetching it from the distribution's packages failed: ${firstLine(error)}`);
  }
  throw new Error(waysOut(refused));
}

/** Root may find a server in a place that the account cannot reach, such as root's home. */
async function tryCopy(path: string, options: SearchOptions): Promise<RedisBinary | undefined> {
  if (!options.account) return undefined;
  const directory = join(options.cacheDirectory, 'redis-copy');
  const copy = join(directory, basename(path));
  try {
    await mkdir(directory, { recursive: true });
    await chmod(directory, 0o755);
    await copyFile(path, copy);
    await chmod(copy, 0o755);
  } catch {
    // The copy in use by a running server cannot be overwritten, and need not be.
  }
  return (await tryRunning({ path: copy, env: {} }, options)).binary;
}

/** A server that will do, or why it will not, as the end of a sentence about it. */
type Tried = { binary: RedisBinary; problem?: undefined } | { binary?: undefined; problem: string };

async function tryRunning({ path, env }: Executable, options: SearchOptions): Promise<Tried> {
  try {
    const settings = { ...options.account, cwd: '/', env: { ...process.env, ...env }, timeout: 10_000 };
    const { stdout } = await run(path, ['--version'], settings);
    const [, product, version, major, minor] = /^(\w+) server v=((\d+)\.(\d+)[\w.]*)/.exec(stdout) ?? [];
    if (version === undefined) return { problem: 'does not say which version it is' };
    const title = `${product} ${version}`;
    const isRecent = Number(major) * 1_000 + Number(minor) >= oldest.major * 1_000 + oldest.minor;
    if (!isRecent) return { problem: `is ${title}, older than ${oldest.major}.${oldest.minor}` };
    return { binary: { path, env, title, fetched: false } };
  } catch (error) {
    return { problem: `does not run here: ${firstLine(error)}` };
  }
}

/** Executables of these names on the PATH and in the usual directories, the preferred name first. */
async function findInstalled(
  names: readonly string[],
  { usualDirectories = USUAL_DIRECTORIES }: SearchOptions,
): Promise<string[]> {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const directories = [...new Set([...onPath, ...usualDirectories])];
  const candidates = names.flatMap((name) => directories.map((directory) => join(directory, name)));
  const usable = await Promise.all(
    candidates.map((path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return candidates.filter((_, index) => usable[index]);
}

function firstLine(error: unknown): string {
  const { message, stderr } = error as { message: string; stderr?: string };
  const line = (stderr ?? '').split('\n').find((text) => text.startsWith('E:'));
  return line ?? message.split('\n')[0] ?? message;
}

function waysOut(refused: string[]): string {
  return [
    `No Redis server was found, and this service needs one. ${refused.join(' ')}`,
    'Any one of these will do:',
    '  1. Point to a Redis or Valkey 6.2 or later that already runs:  REDIS_URL=redis://127.0.0.1:6379 npm start',
    '  2. Install one with the package manager of your system (redis, redis-server or valkey); it need not be running.',
    '  3. Put the program redis-server or valkey-server into a directory of the PATH.',
    '  4. Run everything in containers:  docker compose up',
  ].join('\n');
}
