// `npm run services`: starts the PostgreSQL and Redis of tests and leaves them up, so that a test run of this checkout
// starts in seconds. Ctrl-C, a signal or `npm run services -- stop` ends them.
import { makePassableDirectory } from '../../src/tools/dev/files.ts';
import { withLock } from '../../src/tools/dev/lock.ts';
import { onParentGone } from '../../src/tools/dev/parent.ts';
import { stopProcess } from '../../src/tools/dev/processes.ts';
import type { Services } from '../../src/tools/dev/services.ts';
import { cacheDirectory } from './directories.ts';
import { findKeptServices, keptServicesLock, recordKeptServices, removeKeptServicesRecord } from './keptServices.ts';
import { startTestServices } from './services.ts';
import { createTemplate } from './template.ts';

const STOP_WITHIN_MS = 40_000;

const [command] = process.argv.slice(2);
if (command === undefined) await keep();
else if (command === 'stop') await stop();
else fail(`Unknown command ${command}. Use: npm run services, or: npm run services -- stop`);
process.exit();

/** Starts the servers and returns after they were stopped, or at once when another process keeps them. */
async function keep(): Promise<void> {
  const stopRequest = nextStopRequest();
  await makePassableDirectory(cacheDirectory);
  const services = await withLock(keptServicesLock, start);
  if (!services) return;
  const serverEnd = new Promise<string>((resolve) => services.onEnd(resolve));
  const reason = await Promise.race([stopRequest, serverEnd.then((what) => `${what} unexpectedly`)]);
  console.log(`Stopping: ${reason}`);
  await withLock(keptServicesLock, async () => {
    await removeKeptServicesRecord();
    await services.stop();
  });
}

async function start(): Promise<Services | undefined> {
  const startedAt = performance.now();
  const running = await findKeptServices();
  if (running) {
    console.log(`The services of this checkout are up already, kept by process ${running.keeper.pid}.`);
    return undefined;
  }
  const services = await startTestServices();
  try {
    process.env.TEST_DATABASE_URL = services.databaseUrl;
    process.env.TEST_REDIS_URL = services.redisUrl;
    await createTemplate();
    await recordKeptServices(services);
  } catch (error) {
    await services.stop();
    throw error;
  }
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const [postgres, redis] = [services.databaseUrl, services.redisUrl].map((url) => new URL(url).host);
  console.log(`PostgreSQL on ${postgres} and Redis on ${redis} are up after ${seconds} s.
Test runs of this checkout use them. Ctrl-C or \`npm run services -- stop\` ends them.`);
  return services;
}

async function stop(): Promise<void> {
  const running = await findKeptServices();
  if (!running) return console.log('No services of this checkout are up.');
  await stopProcess(running.keeper, { stopSignal: 'SIGTERM', killAfterMs: STOP_WITHIN_MS });
  console.log('Stopped.');
}

async function nextStopRequest(): Promise<string> {
  // Nothing else keeps this process alive: the servers run in the background.
  setInterval(() => undefined, 60_000);
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
    void onParentGone(() => resolve('the parent process ended'));
  });
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 2;
}
