import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { startApi } from './api.ts';
import { type Config, loadConfigWithoutLogKeys } from './config.ts';
import { ClusterMetrics } from './ops/clusterMetrics.ts';
import { startOps } from './ops/listener.ts';
import { Metrics } from './ops/metrics.ts';
import { reloader } from './ops/reload.ts';
import { requireDatabase } from './ops/schema.ts';
import { startTracing } from './ops/tracing.ts';
import { unknownSettings } from './ops/unknownSettings.ts';
import { createLog } from './platform/log.ts';
import { Postgres } from './platform/postgres/postgres.ts';
import { StartupError } from './platform/startupError.ts';
import { VERSION } from './protocol/service.ts';
import { type Running, runProcess } from './start/process.ts';
import { describeStartFailures } from './start/startFailure.ts';

async function startAlone(config: Config, draining: AbortSignal): Promise<Running> {
  const log = createLog(config.logLevel, 'api', VERSION);
  const metrics = new Metrics('api', config.processName);
  const tracing = await startTracing('api', config, log);
  const api = await startApi(config, log, { observe: metrics.observeRequest, draining, tracing });
  metrics.watchPools(api.pools);
  metrics.watchConcurrency(api.services.concurrency);
  metrics.watchCache(api.services.cache);
  metrics.watchBlocks(config.blockList);
  // In a cluster the primary reports for all processes.
  const ops = cluster.isWorker
    ? undefined
    : await startOps('api', config, log, metrics, { clock: api.clock, replica: api.services.replica, draining });
  log.info({ url: api.url }, 'listening');
  return {
    url: api.url,
    opsUrl: ops?.url,
    shutdownDelayMs: config.shutdownDelayMs,
    reload: reloader(config, log, (next) => {
      metrics.watchBlocks(next.blockList);
      api.reload(next);
    }),
    stop: async () => {
      await api.stop();
      await tracing?.stop();
      await ops?.stop();
      log.info('stopped');
      log.flush();
    },
  };
}

/** The pause before a replacement, so that a process that cannot start is not restarted all the time. */
const RESTART_PAUSE_MS = 1_000;
/** How often the primary asks its processes for a sign of life, and after what silence it replaces one. */
const ASK_EVERY_MS = 5_000;
const SILENT_TOO_LONG_MS = 15_000;

/**
 * Starts API_PROCESSES processes that share the port. Replaces one that ends, or is silent for 15 s, after it was
 * ready.
 */
async function startCluster(config: Config, draining: AbortSignal): Promise<Running> {
  const log = createLog(config.logLevel, 'api', VERSION);
  await checkDatabase(config, log);
  const metrics = new ClusterMetrics();
  const replace = (code: number | null, signal: string | null) => {
    if (draining.aborted) return;
    log.error({ code, signal }, 'an API process ended and will be replaced');
    metrics.countRestart();
    setTimeout(() => !draining.aborted && cluster.fork().once('exit', replace), RESTART_PAUSE_MS);
  };
  const [url] = await Promise.all(Array.from({ length: config.apiProcesses }, () => startWorker(replace)));
  const watch = setInterval(() => void endSilentProcesses(metrics, log), ASK_EVERY_MS);
  const ops = await startOps('api', config, log, metrics, { draining });
  const exits = new Promise<void>((resolve) =>
    draining.addEventListener('abort', () => void stopProcesses().then(resolve), { once: true }),
  );
  return {
    url,
    opsUrl: ops.url,
    shutdownDelayMs: config.shutdownDelayMs,
    // The signal ends a process that does not listen yet. Its replacement starts with the new settings.
    reload: reloader(config, log, () => {
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGUSR2');
    }),
    stop: async () => {
      clearInterval(watch);
      await exits;
      await ops.stop();
      log.flush();
    },
  };
}

/**
 * Passes the signal on at once, since each process waits for the shutdown delay itself; resolves when all have ended.
 */
async function stopProcesses(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
  const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
  for (const worker of workers) worker.process.kill('SIGTERM');
  await Promise.all(exits);
}

/** Kills processes that have not answered for too long. The end of a process starts its replacement. */
async function endSilentProcesses(metrics: ClusterMetrics, log: Logger): Promise<void> {
  await metrics.ask();
  for (const worker of Object.values(cluster.workers ?? {})) {
    if (!worker || metrics.silentMs(worker) < SILENT_TOO_LONG_MS) continue;
    log.error({ pid: worker.process.pid }, 'an API process did not respond for 15 s and is killed');
    worker.process.kill('SIGKILL');
  }
}

/** Checks the database before there are processes that would all report the same. */
async function checkDatabase(config: Config, log: Logger): Promise<void> {
  const { databaseUrl: url, databaseStatements: statements, processName } = config;
  const db = new Postgres({ url, statements, maxConnections: 1, applicationName: `forum api ${processName}` });
  await requireDatabase(db, config, log).finally(() => db.close());
}

/** Starts a process and returns its address once it is ready. `onLoss` is called when the process ends after that. */
function startWorker(onLoss: (code: number | null, signal: string | null) => void): Promise<string | undefined> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    worker.on('message', ({ ready, url }: { ready?: boolean; url?: string }) => {
      if (!ready) return;
      worker.once('exit', onLoss);
      resolve(url);
    });
    worker.once('exit', (code) =>
      reject(
        new StartupError(
          `An API process ended with code ${code} before it was ready. Its messages above show the cause`,
        ),
      ),
    );
  });
}

// This is the end of the module, because constants below it would have no value while it waits.
await runProcess(async (draining) => {
  const config = loadConfigWithoutLogKeys();
  if (cluster.isPrimary) for (const problem of unknownSettings()) console.warn(problem);
  const start = cluster.isPrimary && config.apiProcesses > 1 ? startCluster : startAlone;
  return describeStartFailures(config.databaseUrl, () => start(config, draining));
});
