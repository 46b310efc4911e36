import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import Koa from 'koa';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { DatabaseClock } from '../platform/postgres/clock.ts';
import { Postgres } from '../platform/postgres/postgres.ts';
import { connectReplica, type Replica } from '../platform/postgres/replica.ts';
import { deploymentId } from '../platform/postgres/settings.ts';
import { openQueues, type Queues } from '../platform/redis/queues.ts';
import { connectRedis } from '../platform/redis/redis.ts';
import { listenFailure } from '../start/startFailure.ts';
import { BacklogMetrics } from './backlog.ts';
import type { ProcessKind } from './metrics.ts';
import { readiness } from './readiness.ts';
import { ReadinessMetrics } from './readinessMetrics.ts';
import { FORGETS_AT_RESTART, forgetsAtRestart, isRedisReady } from './redis.ts';
import { connectSearchIndex } from './searchIndex.ts';

const DASHBOARD_PATH = '/queues';
/** Processes of a kind on one host share a configuration: each uses the first free port of its kind. */
const PORTS_TRIED = 16;
/** The ports of API processes and workers alternate, so that a port always belongs to the same kind. */
const PORT_STEP = 2;
const MAX_PORT = 65_535;
const MAX_CONNECTIONS = 4;
const REDIS_WAIT_MS = 1_000;

export interface OpsListener {
  readonly url: string;
  stop(): Promise<void>;
}

/** What the process itself uses, so that `/ready` reports on that rather than on a second one. */
interface Serving {
  /** Aborts when the process is asked to stop; then `/ready` returns 503. */
  readonly draining?: AbortSignal;
  readonly clock?: DatabaseClock;
  readonly replica?: Replica | undefined;
}

/**
 * Starts the operators' listener (`docs/operations#watching`). Its own connections let it respond while the process is
 * busy.
 */
export async function startOps(
  kind: ProcessKind,
  config: Config,
  log: Logger,
  metrics: { text(): Promise<string> },
  serving: Serving = {},
): Promise<OpsListener> {
  const applicationName = `forum ops ${config.processName}`;
  const { databaseUrl, databaseStatements: statements } = config;
  const db = new Postgres({ url: databaseUrl, statements, maxConnections: MAX_CONNECTIONS, applicationName });
  // This connection fails fast: the listener must respond while Redis is down.
  const redis = connectRedis(config, 'admission');
  if ((await isRedisReady(redis, REDIS_WAIT_MS)) && (await forgetsAtRestart(redis).catch(() => false)))
    log.warn(FORGETS_AT_RESTART);
  const queues = openQueues(redis, await deploymentId(db));
  const ownClock = serving.clock ? undefined : new DatabaseClock(db);
  await ownClock?.start();
  const ownReplica = serving.replica
    ? undefined
    : connectReplica(config, db, { statements, maxConnections: 1, applicationName });
  await ownReplica?.start();
  const searchIndex = connectSearchIndex(config, { statements, maxConnections: 1, applicationName });
  const backlog = new BacklogMetrics(queues, db);
  const readinessMetrics = new ReadinessMetrics(kind);
  const look = async () => {
    const replica = serving.replica ?? ownReplica;
    const clock = serving.clock ?? ownClock!;
    const draining = serving.draining?.aborted ?? false;
    return {
      state: await readiness({ db, redis, clock, replicaState: replica?.state, searchIndex, draining }),
      replica,
    };
  };
  const allMetrics = async () => {
    const ready = look().then(({ state, replica }) => readinessMetrics.text(state, replica));
    return (await Promise.all([metrics.text(), ready, backlog.text()])).join('\n');
  };

  const app = new Koa();
  app.use(knownHostsOnly([config.opsHost, ...config.opsAllowedHosts]));
  if (config.opsToken !== undefined) app.use(requireToken(config.opsToken));
  app.use(dashboardOnDemand(queues));
  app.use(async (koa) => {
    if (koa.path === '/') {
      koa.type = 'html';
      koa.body = frontPage(kind, config.processName);
    }
    if (koa.path === '/metrics') {
      koa.type = Registry.PROMETHEUS_CONTENT_TYPE;
      koa.body = await allMetrics();
    }
    if (koa.path === '/ready') {
      const { state } = await look();
      koa.status = state.ready ? 200 : 503;
      koa.body = state;
    }
  });
  app.on('error', (error: unknown) => log.warn({ err: error }, 'ops listener'));

  const wanted = config.opsPorts[kind];
  const setting = kind === 'worker' ? 'WORKER_OPS_PORT' : 'OPS_PORT';
  const server = await listenOnFirstFree(app, { host: config.opsHost, firstPort: wanted, setting });
  const url = urlOf(server);
  if (wanted === 0 || url.endsWith(`:${wanted}`)) log.info({ url }, 'ops listener');
  else log.warn({ url, wanted }, 'ops listener on another port, because another process uses the configured one');
  return {
    url,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      ownClock?.stop();
      await ownReplica?.stop();
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
      await db.close();
      await searchIndex?.close();
    },
  };
}

/** Rejects unknown `Host` and `Origin`: a foreign page can rebind its own name to this host, but no address. */
function knownHostsOnly(names: readonly string[]): Koa.Middleware {
  const isKnown = (url: string) => {
    if (!URL.canParse(url)) return false;
    const { hostname } = new URL(url);
    return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || hostname === 'localhost' || names.includes(hostname);
  };
  return async (koa, next) => {
    const { host, origin } = koa.headers;
    if (isKnown(`http://${host ?? ''}`) && (origin === undefined || isKnown(origin))) return next();
    koa.status = 403;
    koa.body = 'This host name is not allowed here. Add it to OPS_ALLOWED_HOSTS, or use an IP address or localhost.\n';
  };
}

/** Probes of load balancers have no token, and `/ready` shows no secret. */
function requireToken(token: string): Koa.Middleware {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(`Bearer ${token}`);
  return async (koa, next) => {
    if (koa.path === '/ready' || timingSafeEqual(digest(koa.get('authorization')), expected)) return next();
    koa.status = 401;
    koa.set('www-authenticate', 'Bearer');
    koa.body = 'This listener requires the OPS_TOKEN of its configuration: Authorization: Bearer TOKEN\n';
  };
}

/** Loads the dashboard at its first request: its libraries are a seventh of what a process loads at the start. */
function dashboardOnDemand(queues: Queues): Koa.Middleware {
  let dashboard: Promise<Koa.Middleware> | undefined;
  return async (koa, next) => {
    if (koa.path !== DASHBOARD_PATH && !koa.path.startsWith(`${DASHBOARD_PATH}/`)) return next();
    dashboard ??= import('./dashboard.ts').then(({ queueDashboard }) => queueDashboard(queues, DASHBOARD_PATH));
    await (await dashboard)(koa, next);
  };
}

async function listenOnFirstFree(
  app: Koa,
  { host, firstPort, setting }: { host: string; firstPort: number; setting: string },
): Promise<Server> {
  const handle = app.callback();
  const lastPort = firstPort === 0 ? 0 : Math.min(firstPort + (PORTS_TRIED - 1) * PORT_STEP, MAX_PORT);
  for (let port = firstPort; ; port += PORT_STEP) {
    const server = createServer((request, response) => void handle(request, response));
    const failure = await once(server.listen(port, host), 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (!failure) return server;
    if (failure.code !== 'EADDRINUSE' || port + PORT_STEP > lastPort) {
      throw listenFailure(failure, { host, port, setting });
    }
  }
}

function urlOf(server: Server): string {
  const { family, address, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

const SERVED = {
  '/ready': '200 if this process can serve, else 503 with the problems',
  '/metrics': 'metrics for Prometheus',
  '/queues': 'job queues, read-only',
} as const;

function frontPage(process: ProcessKind, name: string): string {
  const lines = Object.entries(SERVED).map(([path, what]) => `<li><a href="${path}">${path}</a> ${what}</li>`);
  const title = `Forum ${process} ${name.replaceAll(/[<>&"]/g, '')}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<ul>
${lines.join('\n')}
</ul>
</html>
`;
}
