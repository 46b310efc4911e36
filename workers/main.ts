import { type Config, loadConfig } from '../src/config.ts';
import { startOps } from '../src/ops/listener.ts';
import { Metrics } from '../src/ops/metrics.ts';
import { reloader } from '../src/ops/reload.ts';
import { startTracing } from '../src/ops/tracing.ts';
import { unknownSettings } from '../src/ops/unknownSettings.ts';
import { createLog } from '../src/platform/log.ts';
import { VERSION } from '../src/protocol/service.ts';
import { type Running, runProcess } from '../src/start/process.ts';
import { describeStartFailures } from '../src/start/startFailure.ts';
import { startWorkers } from './worker.ts';

await runProcess(async (draining) => {
  const config = loadConfig();
  for (const problem of unknownSettings()) console.warn(problem);
  return describeStartFailures(config.databaseUrl, () => start(config, draining));
});

async function start(config: Config, draining: AbortSignal): Promise<Running> {
  const log = createLog(config.logLevel, 'worker', VERSION);
  const metrics = new Metrics('worker', config.processName);
  const tracing = await startTracing('worker', config, log);
  const workers = await startWorkers(config, log, { observe: metrics.observeJob, tracing });
  metrics.watchPools({ primary: workers.db });
  const ops = await startOps('worker', config, log, metrics, { draining });
  log.info('working');
  return {
    opsUrl: ops.url,
    reload: reloader(config, log),
    stop: async () => {
      await workers.stop();
      await tracing?.stop();
      await ops.stop();
      log.info('stopped');
      log.flush();
    },
  };
}
