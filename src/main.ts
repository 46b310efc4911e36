import cluster from 'node:cluster';
import { startApi } from './api.ts';
import { loadConfig } from './config.ts';
import { createLog } from './platform/log.ts';
import { runProcess } from './platform/process.ts';

/** An API process, or with API_PROCESSES > 1 the primary of several that share the port. */
await runProcess(async () => {
  const config = loadConfig();
  if (cluster.isPrimary && config.apiProcesses > 1) return startCluster(config.apiProcesses);
  const log = createLog(config.logLevel, 'api');
  const api = await startApi(config, log);
  log.info({ url: api.url }, 'listening');
  return {
    url: api.url,
    stop: async () => {
      await api.stop();
      log.info('stopped');
      log.flush();
    },
  };
});

/** Starts the processes; a primary that is told to stop passes it on and waits. One that dies is replaced. */
async function startCluster(processes: number): Promise<{ url: string | undefined; stop(): Promise<void> }> {
  let stopping = false;
  const ready = Array.from({ length: processes }, () => {
    const worker = cluster.fork();
    return new Promise<string | undefined>((resolve) =>
      worker.on('message', (message: { url?: string }) => resolve(message.url)),
    );
  });
  cluster.on('exit', () => {
    if (!stopping) cluster.fork();
  });
  const [url] = await Promise.all(ready);
  return {
    url,
    stop: async () => {
      stopping = true;
      const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
      const exits = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
      for (const worker of workers) worker.process.kill('SIGTERM');
      await Promise.all(exits);
    },
  };
}
