import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa from 'koa';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { listenFailure } from '../platform/cannotStart.ts';
import { DatabaseClock } from '../platform/postgres/clock.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { connectReplica, type Replica } from '../platform/postgres/replica.ts';
import { deploymentId } from '../platform/postgres/settings.ts';
import { JobQueues } from '../platform/redis/queues.ts';
import { connectRedis, isRedisReady } from '../platform/redis/redis.ts';
import { BacklogMetrics, queueDashboard } from './queues.ts';
import { readiness } from './readiness.ts';

const DASHBOARD_PATH = '/queues';
/** Several processes of one host share a configuration: each takes the next port that is free. */
const PORTS_TRIED = 16;
const MAX_CONNECTIONS = 2;
/** Without Redis too there is something to see. */
const REDIS_WAIT_MS = 1_000;

export interface OpsListener {
  readonly url: string;
  stop(): Promise<void>;
}

/** What a process serves by: its own, and not a second one like it, is what `/ready` tells of. */
interface Serving {
  readonly clock?: DatabaseClock;
  readonly replica?: Replica | undefined;
}

/**
 * What the operator watches (contract 15), on a port of its own: `/queues`, `/metrics`, `/ready`. Every API process (of a
 * cluster the primary) and every worker has one, on OPS_PORT or the next free port after it. It has connections of its
 * own, so that it still answers when the process is busy. `serving` is what the process itself serves by, where it does.
 * Throws when no port is free, or Postgres cannot be reached.
 */
export async function startOps(
  config: Config,
  log: Logger,
  metrics: { text(): Promise<string> },
  serving: Serving = {},
): Promise<OpsListener> {
  const applicationName = `forum ops ${config.processName}`;
  const db = new Postgres({ url: config.databaseUrl, maxConnections: MAX_CONNECTIONS, applicationName });
  // One that fails at once: what is watched must be shown above all when Redis is gone.
  const redis = connectRedis(config, 'admission');
  await isRedisReady(redis, REDIS_WAIT_MS);
  const queues = new JobQueues(redis, await deploymentId(db));
  const ownClock = serving.clock ? undefined : new DatabaseClock(db);
  await ownClock?.start();
  const ownReplica = serving.replica ? undefined : connectReplica(config, db, { maxConnections: 1, applicationName });
  await ownReplica?.start();
  const backlog = new BacklogMetrics(queues, db);

  const app = new Koa();
  app.use(queueDashboard(queues, DASHBOARD_PATH));
  app.use(async (koa) => {
    if (koa.path === '/metrics') {
      koa.type = Registry.PROMETHEUS_CONTENT_TYPE;
      koa.body = `${await metrics.text()}\n${await backlog.text()}`;
    }
    if (koa.path === '/ready') {
      const state = await readiness({
        db,
        redis,
        clock: serving.clock ?? ownClock!,
        replicaState: (serving.replica ?? ownReplica)?.state,
      });
      koa.status = state.ready ? 200 : 503;
      koa.body = state;
    }
  });
  app.on('error', (error: unknown) => log.warn({ err: error }, 'ops listener'));

  const server = await listenOnFirstFree(app, config.opsHost, config.opsPort);
  const url = urlOf(server);
  log.info({ url }, 'ops listener');
  return {
    url,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      ownClock?.stop();
      await ownReplica?.stop();
      await queues.close();
      redis.disconnect();
      await db.close();
    },
  };
}

async function listenOnFirstFree(app: Koa, host: string, firstPort: number): Promise<Server> {
  const handle = app.callback();
  for (let port = firstPort; ; port++) {
    const server = createServer((request, response) => void handle(request, response));
    const failure = await listening(server, host, port);
    if (!failure) return server;
    if (failure.code !== 'EADDRINUSE' || firstPort === 0 || port === firstPort + PORTS_TRIED - 1) {
      throw listenFailure(failure, { host, port, setting: 'OPS_PORT' });
    }
  }
}

function listening(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(undefined));
  });
}

function urlOf(server: Server): string {
  const { family, address, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
