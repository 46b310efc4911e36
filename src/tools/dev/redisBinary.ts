import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, copyFile, mkdir } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account.ts';
import { type Executable, fetchRedis, findUnpackedRedis } from './redisPackages.ts';

const run = promisify(execFile);
const OLDEST = { major: 6, minor: 2 };

/** Where package managers install a server, searched after the PATH. */
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
  /** Such as `Redis 7.0.15`. */
  title: string;
  fetched: boolean;
}

interface SearchOptions {
  /** For fetched and copied programs. The account can enter it. */
  cacheDirectory: string;
  account: Account | undefined;
  usualDirectories?: readonly string[];
}

/**
 * Looks in the PATH, usual directories, the cache and the distribution's packages for Redis or Valkey of 6.2 or later.
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
  throw new Error(describeRemedies(refused));
}

/** Tries a copy of a server, because root may find it where the account cannot read, such as in root's home. */
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
    // The copy that a running server uses cannot be overwritten.
  }
  return (await tryRunning({ path: copy, env: {} }, options)).binary;
}

/** A usable server, or its problem as the end of a sentence. */
type Tried = { binary: RedisBinary; problem?: undefined } | { binary?: undefined; problem: string };

async function tryRunning({ path, env }: Executable, options: SearchOptions): Promise<Tried> {
  try {
    const settings = { ...options.account, cwd: '/', env: { ...process.env, ...env }, timeout: 10_000 };
    const { stdout } = await run(path, ['--version'], settings);
    const [, product, version, major, minor] = /^(\w+) server v=((\d+)\.(\d+)[\w.]*)/.exec(stdout) ?? [];
    if (version === undefined) return { problem: 'does not report its version' };
    const title = `${product} ${version}`;
    const isRecent = Number(major) * 1_000 + Number(minor) >= OLDEST.major * 1_000 + OLDEST.minor;
    if (!isRecent) return { problem: `is ${title}, older than ${OLDEST.major}.${OLDEST.minor}` };
    return { binary: { path, env, title, fetched: false } };
  } catch (error) {
    return { problem: `does not run here: ${firstLine(error)}` };
  }
}

/** Executables with one of the names. Those with the first name come first. */
async function findInstalled(
  names: readonly string[],
  { usualDirectories = USUAL_DIRECTORIES }: SearchOptions,
): Promise<string[]> {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  const directories = [...new Set([...onPath, ...usualDirectories])];
  const candidates = names.flatMap((name) => directories.map((directory) => join(directory, name)));
  const usable = await Promise.allSettled(candidates.map((path) => access(path, constants.X_OK)));
  return candidates.filter((_, index) => usable[index]!.status === 'fulfilled');
}

function firstLine(error: unknown): string {
  const { message, stderr } = error as { message: string; stderr?: string };
  const line = (stderr ?? '').split('\n').find((text) => text.startsWith('E:'));
  return line ?? message.split('\n')[0] ?? message;
}

function describeRemedies(refused: string[]): string {
  return [
    `No Redis server was found, and this service needs one. ${refused.join(' ')}`,
    'Do one of the following:',
    '  1. Point to a Redis or Valkey 6.2 or later that already runs:  REDIS_URL=redis://127.0.0.1:6379 npm start',
    '  2. Install one with the package manager of your system (redis, redis-server or valkey); it need not be running.',
    '  3. Put the program redis-server or valkey-server into a directory of the PATH.',
    '  4. Run everything in containers:  docker compose up',
  ].join('\n');
}
