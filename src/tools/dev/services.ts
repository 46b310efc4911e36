import { rm, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { choosePlace, type Place, substituteFor } from './account.ts';
import { makePassableDirectory, shortPath } from './files.ts';
import { withDirectoryLock } from './lock.ts';
import { startPostgres } from './postgres.ts';
import { findPostgres } from './postgresBinaries.ts';
import { redisDataDirectory, startRedis } from './redis.ts';
import { findRedis } from './redisBinary.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import type { RunningServer } from './server.ts';

export interface Services {
  databaseUrl: string;
  redisUrl: string;
  /** Reports each server that ends before `stop` is called. It is not restarted. */
  onEnd(report: (what: string) => void): void;
  /** Stops the servers that this call started or took over. Shared servers continue. */
  stop(): Promise<void>;
}

interface ServicesOptions {
  /** Contains data, records and secrets. It is created if it does not exist. */
  directory: string;
  /** Contains files that other directories can use too, such as a fetched Redis. By default `directory`. */
  cacheDirectory?: string;
  durable: boolean;
  /** Used if they are free and the directory had no others before. */
  preferredPorts?: { postgres: number; redis: number };
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  log(line: string): void;
}

interface Service {
  url: string;
  ended(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Uses the given addresses, else own servers on 127.0.0.1, shared or taken over. If one fails, the other is stopped.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  await makePassableDirectory(resolve(options.directory));
  return withDirectoryLock(options.directory, async (directory) => {
    const services = await startBoth({ ...options, directory });
    // Under the lock, so that no other start shares a server that is about to stop.
    return { ...services, stop: () => withDirectoryLock(directory, services.stop) };
  });
}

async function startBoth(options: ServicesOptions): Promise<Services> {
  const place = await choosePlace(options);
  const secrets = await loadSecrets(options.directory);
  const both = [providePostgres(place, secrets, options), provideRedis(place, secrets, options)] as const;
  const [database, redis] = await Promise.all(both).catch(async (error: unknown) => {
    for (const outcome of await Promise.allSettled(both))
      if (outcome.status === 'fulfilled') await outcome.value.stop();
    throw error;
  });
  let isStopping = false;
  return {
    databaseUrl: database.url,
    redisUrl: redis.url,
    onEnd: (report) => {
      for (const server of [database, redis]) void server.ended().then((what) => isStopping || report(what));
    },
    stop: async () => {
      isStopping = true;
      await database.stop();
      await redis.stop();
      if (!options.durable) await removeSubstitute(place.directory);
    },
  };
}

async function providePostgres(place: Place, secrets: Secrets, options: ServicesOptions): Promise<Service> {
  if (options.databaseUrl !== undefined) return pointTo('PostgreSQL', 'DATABASE_URL', options.databaseUrl, options);
  const startedAt = performance.now();
  const binaries = await findPostgres(place);
  const server = await startPostgres({
    ...place,
    binaries,
    password: secrets.postgresPassword,
    preferredPort: options.preferredPorts?.postgres,
    durable: options.durable,
  });
  const data = `${server.createdData ? 'new data' : 'data'} in ${shortPath(server.dataDirectory)}`;
  options.log(describe(`PostgreSQL ${binaries.major}`, server, data, startedAt));
  return server;
}

async function provideRedis(place: Place, secrets: Secrets, options: ServicesOptions): Promise<Service> {
  if (options.redisUrl !== undefined) return pointTo('Redis', 'REDIS_URL', options.redisUrl, options);
  const startedAt = performance.now();
  const binary = await findRedis(place);
  const server = await startRedis({
    ...place,
    binary,
    password: secrets.redisPassword,
    preferredPort: options.preferredPorts?.redis,
    durable: options.durable,
  });
  const source = binary.fetched ? ", fetched from the distribution's packages" : '';
  const data = `data in ${shortPath(redisDataDirectory(place.home))}${source}`;
  options.log(describe(binary.title, server, data, startedAt));
  return server;
}

function pointTo(title: string, variable: string, url: string, { log }: ServicesOptions): Service {
  log(`${title}: the server that ${variable} names`);
  return { url, ended: () => new Promise(() => undefined), stop: async () => undefined };
}

function describe(title: string, server: RunningServer, data: string, startedAt: number): string {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  return `${title} ${server.origin} on 127.0.0.1:${server.port} in ${seconds} s, ${data}`;
}

/** Removes the data of a directory that root stores elsewhere. */
export async function removeSubstitute(directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const substitute = substituteFor(directory);
  await rm(substitute, { recursive: true, force: true });
  // Removes the parent if it is empty.
  await rmdir(dirname(substitute)).catch(() => undefined);
}
