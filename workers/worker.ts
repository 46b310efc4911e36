import type { Logger } from 'pino';
import type { Config } from '../src/config.ts';
import { Postgres } from '../src/platform/postgres.ts';
import { JobQueue, startWorker } from '../src/platform/queues.ts';
import { connectRedis } from '../src/platform/redis.ts';
import { jobHandlers } from './jobs.ts';
import { runRelay } from './relay.ts';

const CONCURRENCY = 8;
const MAX_CONNECTIONS = CONCURRENCY + 4;

/** The composition root of a worker process: the relay and the job worker. `stop` finishes the jobs under way. */
export async function startWorkers(config: Config, log: Logger): Promise<{ stop(): Promise<void> }> {
  const applicationName = `forum worker ${config.processName}`;
  const db = new Postgres({ url: config.databaseUrl, maxConnections: MAX_CONNECTIONS, applicationName });
  const connections = [connectRedis(config, 'queue'), connectRedis(config, 'queue')] as const;
  const queue = new JobQueue(connections[0]);
  const worker = startWorker(connections[1], jobHandlers(db, config), {
    concurrency: CONCURRENCY,
    onFailure: (job, error) => log.error({ job, err: error }, 'job failed'),
  });
  const stopping = new AbortController();
  const relay = runRelay(db, queue, {
    signal: stopping.signal,
    onFailure: (error) => log.warn({ err: error }, 'relay waits'),
  });
  return {
    stop: async () => {
      stopping.abort();
      await relay;
      await worker.close();
      await queue.close();
      for (const connection of connections) connection.disconnect();
      await db.close();
    },
  };
}
