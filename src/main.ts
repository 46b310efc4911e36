import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { startApi } from './api.ts';
import { type Config, loadApiConfig } from './config.ts';
import { startOps } from './ops/listener.ts';
import { ClusterMetrics, Metrics } from './ops/metrics.ts';
import { requireDatabase } from './ops/schema.ts';
import { CannotStart } from './platform/cannotStart.ts';
import { createLog } from './platform/log.ts';
import { Postgres } from './platform/postgres/postgres.ts';
import { inWords } from './platform/postgres/startFailure.ts';
import { type Running, runProcess } from './platform/process.ts';

/** An API process, or with API_PROCESSES > 1 the primary of several that share the port. */
await runProcess(async () => {
  const config = loadApiConfig();
  const start = cluster.isPrimary && config.apiProcesses > 1 ? startCluster : startAlone;
  return inWords(config.databaseUrl, () => start(config));
});

async function startAlone(config: Config): Promise<Running> {
  const log = createLog(config.logLevel, 'api');
  const metrics = new Metrics('api', config.processName);
  const api = await startApi(config, log, { observe: metrics.observeRequest });
  metrics.watchPools(api.pools);
  metrics.watchConcurrency(api.kernel.concurrency);
  metrics.watchCopies(api.kernel.copies);
  // Of a cluster the primary answers for all.
  const ops = cluster.isWorker
    ? undefined
    : await startOps('api', config, log, metrics, { clock: api.clock, replica: api.kernel.replica });
  log.info({ url: api.url }, 'listening');
  return {
    url: api.url,
    opsUrl: ops?.url,
    stop: async () => {
      await api.stop();
      await ops?.stop();
      log.info('stopped');
      log.flush();
    },
  };
}

/** Between the death of a process and its replacement, so that one that cannot start does not start all the time. */
const RESTART_PAUSE_MS = 1_000;

/**
 * Starts the processes; a primary that is told to stop passes it on and waits. One that was ready and dies is replaced, also
 * while others still start; one that is not ready before it dies ends the start, and afterwards is replaced too.
 */
async function startCluster(config: Config): Promise<Running> {
  let stopping = false;
  const log = createLog(config.logLevel, 'api');
  await checkDatabase(config, log);
  const replace = (code: number | null, signal: string | null) => {
    if (stopping) return;
    log.error({ code, signal }, 'an API process ended, another one is started');
    setTimeout(() => !stopping && cluster.fork().once('exit', replace), RESTART_PAUSE_MS);
  };
  const [url] = await Promise.all(Array.from({ length: config.apiProcesses }, () => startWorker(replace)));
  const ops = await startOps('api', config, log, new ClusterMetrics());
  return {
    url,
    opsUrl: ops.url,
    stop: async () => {
      stopping = true;
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
      const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      for (const worker of workers) worker.process.kill('SIGTERM');
      await Promise.all(exits);
      await ops.stop();
      log.flush();
    },
  };
}

/** Before there are processes that would all say the same. */
async function checkDatabase(config: Config, log: Logger): Promise<void> {
  const { databaseUrl: url, databaseStatements: statements, processName } = config;
  const db = new Postgres({ url, statements, maxConnections: 1, applicationName: `forum api ${processName}` });
  await requireDatabase(db, config, log).finally(() => db.close());
}

/** Answers the address of a process once it is ready; `onLoss` is told when it dies after that. */
function startWorker(onLoss: (code: number | null, signal: string | null) => void): Promise<string | undefined> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    worker.once('message', (message: { url?: string }) => {
      worker.once('exit', onLoss);
      resolve(message.url);
    });
    worker.once('exit', (code) =>
      reject(new CannotStart(`An API process ended with code ${code} before it was ready`)),
    );
  });
}
