import { type ChildProcess, spawn } from 'node:child_process';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { RedisBinary } from './redisBinary.ts';
import { NotReady, type RunningServer, type ServerOptions, startOrJoin } from './server.ts';

interface RedisOptions extends ServerOptions {
  binary: RedisBinary;
}

interface RunningRedis extends RunningServer {
  url: string;
}

export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const dataDirectory = redisDataDirectory(options.home);
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  if (options.account) await chown(dataDirectory, options.account.uid, options.account.gid);
  const url = (port: number) => `redis://:${options.password}@127.0.0.1:${port}/0`;
  const server = await startOrJoin({
    title: 'Redis',
    recordPath: join(options.directory, 'redis.pid.json'),
    logPath: join(options.home, 'redis.log'),
    preferredPort: options.preferredPort,
    stopSignal: 'SIGTERM',
    killAfterMs: 10_000,
    spawn: (port, logFd) => spawnServer(options, configuration(dataDirectory, port, options), logFd),
    probe: (port) => probe(url(port)),
  });
  return { ...server, url: url(server.port) };
}

export const redisDataDirectory = (home: string): string => join(home, 'redis');

/**
 * Passes the configuration through standard input, so that the password is neither in a file nor in the process list.
 */
function spawnServer(options: RedisOptions, config: string, logFd: number): ChildProcess {
  const child = spawn(options.binary.path, ['-'], {
    ...options.account,
    cwd: options.home,
    env: { ...process.env, ...options.binary.env },
    detached: true,
    stdio: ['pipe', logFd, logFd],
  });
  // The pipe breaks if the server ends at once. Its log has the reason.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(config);
  return child;
}

function configuration(dataDirectory: string, port: number, options: RedisOptions): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${options.password}`,
    `dir "${dataDirectory.replace(/["\\]/g, '\\$&')}"`,
    'appendonly yes',
    `appendfsync ${options.durable ? 'everysec' : 'no'}`,
    'save ""',
    // Queues and counters must not be evicted.
    'maxmemory-policy noeviction',
    'databases 256',
    'daemonize no',
  ];
  return `${lines.join('\n')}\n`;
}

async function probe(url: string): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    if (/WRONGPASS|NOAUTH/.test(String(error))) {
      throw new Error('Redis rejects the password in secrets.json: restore the file', { cause: error });
    }
    throw new NotReady('Redis does not answer yet', { cause: error });
  } finally {
    client.disconnect();
  }
}
