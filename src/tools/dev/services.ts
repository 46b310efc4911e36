import { rm, rmdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { substituteFor } from './account.ts';
import { makePassableDirectory, shortPath } from './files.ts';
import { withLock } from './lock.ts';
import { choosePlace, lockOf, type Place, trueName } from './place.ts';
import { postgresRecordPath, startPostgres } from './postgres.ts';
import { findPostgres } from './postgresBinaries.ts';
import { redisDataDirectory, redisRecordPath, startRedis } from './redis.ts';
import { findRedis } from './redisBinary.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { type RunningServer, stopAbandoned } from './server.ts';

export interface Services {
  databaseUrl: string;
  redisUrl: string;
  /** Tells of each of our own that ends before `stop`: nothing starts it again. */
  onEnd(tell: (what: string) => void): void;
  /** Stops what this call started or took over, PostgreSQL first. Servers shared with another process stay. */
  stop(): Promise<void>;
}

export interface ServicesOptions {
  /** Holds data, pid files and secrets; made when absent. */
  directory: string;
  /** Keeps what can be used again by other directories, such as a fetched Redis. By default `directory`. */
  cacheDirectory?: string;
  /** False trades safety from crashes for speed and keeps nothing: for tests, whose caller deletes `directory`. */
  durable: boolean;
  /** Listened on when they are free and the directory has had no others; without them any free ones. */
  preferredPorts?: { postgres: number; redis: number };
  /** Used as it is; no server is started then. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  log(line: string): void;
}

interface Inhabited extends Place {
  secrets: Secrets;
}

interface Service {
  url: string;
  ended(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * PostgreSQL and Redis for development and tests: those pointed at by a URL, else our own on 127.0.0.1 with a random
 * password and their data below `directory`. A second call on the same directory shares running servers, and takes
 * over those whose starter has died. Never attaches to a server by guess. Throws with the ways out when a server
 * cannot be had, and leaves none of the two running then.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  await makePassableDirectory(resolve(options.directory));
  const directory = await trueName(options.directory);
  const services = await withLock(lockOf(directory), () => startBoth({ ...options, directory }));
  // Under the lock, so that another start does not share a server that is just about to stop.
  return { ...services, stop: () => withLock(lockOf(directory), () => services.stop()) };
}

/** Ends the servers of a directory whose starter has died, and removes what root kept elsewhere for it. */
export async function stopAbandonedServices(directory: string): Promise<void> {
  await stopAbandoned(postgresRecordPath(directory), 'SIGINT');
  await stopAbandoned(redisRecordPath(directory), 'SIGTERM');
  await removeSubstitute(directory);
}

async function startBoth(options: ServicesOptions): Promise<Services> {
  const place = { ...(await choosePlace(options)), secrets: await loadSecrets(options.directory) };
  const [database, redis] = await Promise.allSettled([providePostgres(place, options), provideRedis(place, options)]);
  if (database.status === 'fulfilled' && redis.status === 'fulfilled') {
    let isStopping = false;
    return {
      databaseUrl: database.value.url,
      redisUrl: redis.value.url,
      onEnd: (tell) => {
        for (const { value } of [database, redis]) void value.ended().then((what) => isStopping || tell(what));
      },
      stop: async () => {
        isStopping = true;
        await database.value.stop();
        await redis.value.stop();
        if (!options.durable) await removeSubstitute(place.directory);
      },
    };
  }
  if (database.status === 'fulfilled') await database.value.stop();
  if (redis.status === 'fulfilled') await redis.value.stop();
  throw [database, redis].find((outcome) => outcome.status === 'rejected')?.reason;
}

async function providePostgres(place: Inhabited, options: ServicesOptions): Promise<Service> {
  if (options.databaseUrl !== undefined) return pointTo('PostgreSQL', 'DATABASE_URL', options.databaseUrl, options);
  const startedAt = performance.now();
  const binaries = await findPostgres(place);
  const server = await startPostgres({
    ...place,
    binaries,
    password: place.secrets.postgresPassword,
    preferredPort: options.preferredPorts?.postgres,
    durable: options.durable,
  });
  const data = `${server.createdData ? 'new data' : 'data'} in ${shortPath(server.dataDirectory)}`;
  options.log(describe(`PostgreSQL ${binaries.major}`, server, data, startedAt));
  return server;
}

async function provideRedis(place: Inhabited, options: ServicesOptions): Promise<Service> {
  if (options.redisUrl !== undefined) return pointTo('Redis', 'REDIS_URL', options.redisUrl, options);
  const startedAt = performance.now();
  const binary = await findRedis(place);
  const server = await startRedis({
    ...place,
    binary,
    password: place.secrets.redisPassword,
    preferredPort: options.preferredPorts?.redis,
    durable: options.durable,
  });
  const source = binary.fetched ? ", fetched from the distribution's packages" : '';
  options.log(
    describe(binary.title, server, `data in ${shortPath(redisDataDirectory(place.home))}${source}`, startedAt),
  );
  return server;
}

function pointTo(title: string, variable: string, url: string, options: ServicesOptions): Service {
  options.log(`${title}: the one that ${variable} points at`);
  return { url, ended: () => new Promise(() => undefined), stop: async () => undefined };
}

function describe(title: string, server: RunningServer, data: string, startedAt: number): string {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  return `${title} ${server.origin} on 127.0.0.1:${server.port} in ${seconds} s, ${data}`;
}

async function removeSubstitute(directory: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const substitute = substituteFor(directory);
  await rm(substitute, { recursive: true, force: true });
  // The parent goes with the last one in it.
  await rmdir(dirname(substitute)).catch(() => undefined);
}
