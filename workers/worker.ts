import type { Logger } from 'pino';
import type { Config } from '../src/config.ts';
import { ensureHalfLife } from '../src/features/karma/store.ts';
import { searchDatabases } from '../src/features/search/searchIndex.ts';
import { requireRedis } from '../src/ops/redis.ts';
import { requireDatabase } from '../src/ops/schema.ts';
import { connectSearchIndex, requireSearchIndex } from '../src/ops/searchIndex.ts';
import { startHeartbeat } from '../src/platform/postgres/heartbeat.ts';
import { Postgres } from '../src/platform/postgres/postgres.ts';
import { deploymentId } from '../src/platform/postgres/settings.ts';
import { connectRedis, type RedisConnection } from '../src/platform/redis/redis.ts';
import type { Tracing } from '../src/platform/tracing.ts';
import { withTimeout } from '../src/platform/withTimeout.ts';
import { publishedCheckpoint } from '../src/recording/logTiles.ts';
import { jobHandlers } from './jobs.ts';
import { keepLog } from './log/loop.ts';
import { requireLog } from './log/memory.ts';
import { OutcomeLog } from './outcomeLog.ts';
import { runPeriodicJobs } from './periodic.ts';
import { type JobOutcome, JobQueues, startJobWorkers, TOTAL_CONCURRENCY } from './queues.ts';
import { runRelay } from './relay.ts';

/** One for each concurrent job, and some for the relay and for jobs that use two. */
const MAX_CONNECTIONS = TOTAL_CONCURRENCY + 4;
const READ_CONNECTIONS = 2;
const SEARCH_CONNECTIONS = 2;
/** Redis may start at the same time. */
const REDIS_START_TIMEOUT_MS = 10_000;
/** A command to a silent Redis would never end. */
const STOP_TIMEOUT_MS = 10_000;

export interface Workers {
  readonly db: Postgres;
  /** Finishes the jobs under way, at most 20 s, then closes every connection. */
  stop(): Promise<void>;
}

/** Throws if the log cannot be signed, the ledger has another half-life, or PostgreSQL or Redis is unusable. */
export async function startWorkers(
  config: Config,
  log: Logger,
  { observe = () => {}, tracing }: { observe?: (outcome: JobOutcome) => void; tracing?: Tracing | undefined } = {},
): Promise<Workers> {
  await requireLog(config);
  const applicationName = `forum worker ${config.processName}`;
  const database = { url: config.databaseUrl, statements: config.databaseStatements, applicationName };
  const db = new Postgres({ ...database, maxConnections: MAX_CONNECTIONS });
  const reads = new Postgres({ ...database, maxConnections: 1, readConnections: READ_CONNECTIONS });
  const searchIndex = connectSearchIndex(config, { ...database, maxConnections: SEARCH_CONNECTIONS });
  const searched = searchDatabases(db, searchIndex);
  await requireDatabase(db, config, log);
  await requireSearchIndex(searched, log, config.searchDatabaseUrl);
  await ensureHalfLife(db, config.karmaHalfLifeDays);
  const heartbeat = startHeartbeat(db);
  const connections = [connectRedis(config, 'queue'), connectRedis(config, 'queue')] as const;
  await requireRedis(connections[0], REDIS_START_TIMEOUT_MS);
  const deployment = await deploymentId(db);
  const queues = new JobQueues(connections[0], deployment);
  const outcomes = new OutcomeLog(log);
  const workers = startJobWorkers(connections[1], deployment, jobHandlers({ db, reads, searched }, config), {
    onOutcome: (outcome) => {
      observe(outcome);
      outcomes.logOutcome(outcome);
    },
    onProblem: (error) => outcomes.warn('worker', error),
    tracing,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  if (config.log.signingKey === undefined && (await publishedCheckpoint(db))) {
    log.warn(
      'This worker has no LOG_SIGNING_KEY. The transparency log is signed, so another worker must have the key.',
    );
  }
  const logKeeping = keepLog(db, config, deployment, {
    signal,
    onFailure: (error) => outcomes.warn('the log is delayed', error),
  });
  const loops = [
    runRelay(db, queues, { signal, onFailure: (error) => outcomes.warn('the relay is delayed', error), tracing }),
    runPeriodicJobs(queues, workers.run, {
      signal,
      onFailure: (error) => outcomes.warn('periodic jobs are delayed', error),
    }),
    logKeeping,
  ];
  return {
    db,
    stop: async () => {
      stopping.abort();
      const lost = untilLost(connections);
      await withTimeout(
        Promise.race([Promise.all(loops), lost.then(() => logKeeping)]),
        STOP_TIMEOUT_MS,
        () => undefined,
      );
      const closed = Promise.all([workers.close(), queues.close()]);
      await withTimeout(Promise.race([closed, lost.then(() => workers.finished())]), STOP_TIMEOUT_MS, () => undefined);
      for (const connection of connections) connection.disconnect();
      heartbeat.stop();
      await db.close();
      await reads.close();
      await searchIndex?.close();
    },
  };
}

/** Resolves when a connection is lost or already is: work that needs Redis can no longer end then. */
function untilLost(connections: readonly RedisConnection[]): Promise<void> {
  return new Promise((resolve) => {
    for (const connection of connections) {
      if (connection.status === 'ready') connection.once('close', () => resolve());
      else resolve();
    }
  });
}
