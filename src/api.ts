import type { Logger } from 'pino';
import { type Config, defaultLogOrigin } from './config.ts';
import { originOf } from './discovery/addresses.ts';
import { agentDirectory } from './features/agents/directory.ts';
import { CheckerPool } from './features/challenges/checkerPool.ts';
import { ensureHalfLife } from './features/karma/store.ts';
import { createApp, listen, type ObserveRequest } from './http/app.ts';
import { Refusal } from './operation/errors.ts';
import { OPERATIONS, OPERATIONS_BY_NAME } from './operations.ts';
import { OutageReports } from './ops/outages.ts';
import { describePostgresLoss } from './ops/postgresLoss.ts';
import { adviceOn, findRedisFault } from './ops/redis.ts';
import { requireDatabase } from './ops/schema.ts';
import { connectSearchIndex, requireSearchIndex } from './ops/searchIndex.ts';
import { AdmissionControl } from './pipeline/admission.ts';
import { ConcurrencyLimit, type Services } from './pipeline/execute.ts';
import { MAX_WAITING_SEARCHES } from './pipeline/read.ts';
import type { CheckOutput } from './pipeline/run.ts';
import { VersionedCache } from './pipeline/versionedCache.ts';
import { Cursors } from './platform/codec/cursor.ts';
import { useSodium } from './platform/crypto/ed25519.ts';
import { lazy } from './platform/lazy.ts';
import { DatabaseClock } from './platform/postgres/clock.ts';
import { startHeartbeat } from './platform/postgres/heartbeat.ts';
import { isPostgresUnavailable, Postgres } from './platform/postgres/postgres.ts';
import { connectReplica } from './platform/postgres/replica.ts';
import { Semaphore } from './platform/postgres/semaphore.ts';
import { cursorSecret, deploymentId, feedName } from './platform/postgres/settings.ts';
import { connectRedis, type RedisConnection } from './platform/redis/redis.ts';
import { SingleFlight } from './platform/singleFlight.ts';
import type { Tracing } from './platform/tracing.ts';
import { publishedCheckpoint } from './recording/logTiles.ts';
import { Site } from './web/site.ts';

/** For writes of several statements, previews and registrations. */
const MAX_CONNECTIONS = 12;
/** With 32 concurrent reads, four are faster than one or eight (bench post.read). */
const READ_CONNECTIONS = 4;
/** How long a start waits for a Redis that starts beside it. */
const REDIS_WAIT_MS = 2_000;

export type Api = Awaited<ReturnType<typeof startApi>>;

/** Throws without PostgreSQL. Without Redis, reads are served and writes are `unavailable`. */
export async function startApi(
  config: Config,
  log: Logger,
  {
    checkOutput,
    observe,
    draining = new AbortController().signal,
    tracing,
  }: {
    checkOutput?: CheckOutput | undefined;
    observe?: ObserveRequest;
    draining?: AbortSignal;
    tracing?: Tracing | undefined;
  } = {},
) {
  if (!useSodium()) log.info(WITHOUT_SODIUM);
  const applicationName = `forum api ${config.processName}`;
  const pool = {
    statements: config.databaseStatements,
    maxConnections: MAX_CONNECTIONS,
    readConnections: READ_CONNECTIONS,
    writeConnections: config.writeConnections,
    applicationName,
  };
  const db = new Postgres({ url: config.databaseUrl, ...pool });
  const replica = connectReplica(config, db, pool);
  const searchIndex = connectSearchIndex(config, pool);
  const redis = connectRedis(config, 'admission');
  const clock = new DatabaseClock(db);
  await requireDatabase(db, config, log);
  await requireSearchIndex({ posts: db, index: searchIndex ?? db }, log, config.searchDatabaseUrl);
  await clock.start();
  await replica?.start();
  const heartbeat = startHeartbeat(db);
  await ensureHalfLife(db, config.karmaHalfLifeDays);
  await waitForRedis(redis, log);
  if (config.trustProxy && config.registrationsPerAddress === 0) log.warn(UNLIMITED);

  const outages = new OutageReports((facts) => log.error(facts, 'requests refused'));
  const blocked = new OutageReports((facts) => log.info(facts, 'requests of blocked addresses refused'));
  const checker = new CheckerPool();
  const stopping = new AbortController();
  const deployment = await deploymentId(db);
  const logName = (await publishedCheckpoint(db))?.origin ?? config.log.origin ?? defaultLogOrigin(config, deployment);
  const admission = new AdmissionControl(redis, deployment, db, config);
  const services: Services & { config: Config } = {
    config,
    clock,
    db,
    replica,
    searchIndex,
    admission,
    concurrency: new ConcurrencyLimit(),
    searches: new Semaphore(config.searchConcurrency, MAX_WAITING_SEARCHES),
    cache: new VersionedCache(),
    singleFlight: new SingleFlight(),
    directory: agentDirectory(db),
    cursors: new Cursors(await cursorSecret(db, config.cursorSecret)),
    feedName: await feedName(db, logName),
    checker,
    operations: OPERATIONS_BY_NAME,
    tracing,
    draining,
    stopping: stopping.signal,
    checkOutput,
    onUnreadableAddress: lazy(() => log.warn(UNREADABLE_ADDRESS)),
    onFault: (error, requestId) => {
      const reason = outageOf(error);
      if (reason === undefined) log.error({ err: error, id: requestId }, 'fault');
      else outages.count(reason, requestId);
    },
    onBlocked: (reason, requestId) => blocked.count(reason, requestId),
    onSlow: (statement, ms, requestId) => log.warn({ statement, ms: Math.round(ms), id: requestId }, 'slow statement'),
  };
  const site = new Site(services, originOf(config));
  const newApp = () => createApp(services, OPERATIONS, log, site, observe);
  const server = await listen(newApp(), clock, config);
  return {
    url: server.url,
    services,
    clock,
    pools: { primary: db, ...(replica ? { replica: replica.connections } : {}) },
    /** Serves further requests with the settings of `next` that reload. Documents show some of them. */
    reload: (next: Config) => {
      services.config = next;
      admission.settings = next;
      server.serve(newApp());
    },
    /** Stops accepting, finishes the requests under way, and closes every connection. */
    stop: async () => {
      const drained = server.drain();
      stopping.abort();
      await drained;
      clock.stop();
      heartbeat.stop();
      await checker.stop();
      await site.stop();
      redis.disconnect();
      await db.close();
      await replica?.stop();
      await searchIndex?.close();
    },
  };
}

/** Messages of the Redis client are cut to this length. */
const MAX_REASON_LENGTH = 200;

/**
 * The outage because of which an error refuses all requests that need a server. Undefined for a fault of one request.
 */
function outageOf(error: unknown): string | undefined {
  if (error instanceof Refusal) {
    const { reason } = error.details;
    if (error.token !== 'unavailable' || reason === undefined) return undefined;
    return error.cause instanceof Error ? `${reason}: ${error.cause.message.slice(0, MAX_REASON_LENGTH)}` : reason;
  }
  const loss = isPostgresUnavailable(error) ? describePostgresLoss(error) : undefined;
  return loss === undefined ? undefined : `PostgreSQL: ${loss}`;
}

const WITHOUT_SODIUM =
  'signatures are verified by node:crypto, which takes twice as long: the package sodium-native is not installed, or does not support this machine';
const UNLIMITED = 'TRUST_PROXY is on, but registrations per address are unlimited: set LIMIT_REGISTRATIONS_PER_ADDRESS';

const UNREADABLE_ADDRESS =
  'The last entry of X-Forwarded-For is not an IP address. Such requests count as requests of the proxy. Configure the proxy to append the address of the client.';

/** Waits a moment for Redis. Without it the log gets a warning now, and another one when it can be used. */
async function waitForRedis(redis: RedisConnection, log: Logger): Promise<void> {
  const fault = await findRedisFault(redis, REDIS_WAIT_MS);
  if (fault === undefined) return;
  log.warn(`Redis is not usable (${fault}), so writes return 503: ${adviceOn(fault)}`);
  if (redis.status !== 'ready') redis.once('ready', () => log.warn('Redis is usable now: writes are accepted'));
}
