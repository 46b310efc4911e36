import { loadConfig } from '../src/config.ts';
import { createLog } from '../src/platform/log.ts';
import { runProcess } from '../src/platform/process.ts';
import { startWorkers } from './worker.ts';

/** A worker process: relays the outbox to the queue and works on jobs. */
await runProcess(async () => {
  const config = loadConfig();
  const log = createLog(config.logLevel, 'worker');
  const workers = await startWorkers(config, log);
  log.info('working');
  return {
    stop: async () => {
      await workers.stop();
      log.info('stopped');
      log.flush();
    },
  };
});
