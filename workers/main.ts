import { loadConfig } from '../src/config.ts';
import { startOps } from '../src/ops/listener.ts';
import { Metrics } from '../src/ops/metrics.ts';
import { createLog } from '../src/platform/log.ts';
import { runProcess } from '../src/platform/process.ts';
import { startWorkers } from './worker.ts';

/** A worker process: relays the outbox to the queue and works on jobs. */
await runProcess(async () => {
  const config = loadConfig();
  const log = createLog(config.logLevel, 'worker');
  const metrics = new Metrics('worker', config.processName);
  const workers = await startWorkers(config, log, { observe: metrics.observeJob });
  metrics.watchPools({ primary: workers.db });
  const ops = await startOps('worker', config, log, metrics);
  log.info('working');
  return {
    opsUrl: ops.url,
    stop: async () => {
      await workers.stop();
      await ops.stop();
      log.info('stopped');
      log.flush();
    },
  };
});
