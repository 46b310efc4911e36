import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Runnable } from 'mocha';
import { onParentGone } from '../../src/tools/dev/parent.ts';
import type { Services } from '../../src/tools/dev/services.ts';
import { offerCalm, takeCalm } from './calm.ts';
import { makeTestDirectory } from './directories.ts';
import { followSlowness } from './speed.ts';
import { currentSlowness, scaleWait } from './waits.ts';
import { areServicesWanted, askForServices, offerServices, type ServiceUrls } from './wanted.ts';

// Mocha loads this file in the process of the run and in each worker. The run's set-up goes before the workers are
// forked, so that they inherit where its directory is; only they load test files, unless a run is not parallel.

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const servicesWithinMs = 180_000;
/** Two files that take long may be before. */
const calmWithinMs = 300_000;

let directory: string | undefined;
let offers: Server[] = [];
let services: Services | undefined;
let starting: Promise<ServiceUrls> | undefined;
let calm: { leave(): void } | undefined;

scaleMochaTimeouts();

/**
 * Ends a run early: stops the servers that it started, whatever its tests are doing, so that none of them is left
 * behind.
 */
function endOnSignal(): void {
  let isEnding = false;
  const end = async (code: number) => {
    if (isEnding) return;
    isEnding = true;
    await starting?.catch(() => undefined);
    await mochaGlobalTeardown();
    process.exit(code);
  };
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(signal, () => void end(128 + number));
  }
  // Mocha's outer process dies of SIGTERM without passing it on.
  void onParentGone(() => void end(143));
}

/** Runs once, before all tests: measures the machine, and starts services as soon as a loaded file wants them. */
export async function mochaGlobalSetup(): Promise<void> {
  directory = await makeTestDirectory();
  process.env.TEST_RUN_DIRECTORY = directory;
  endOnSignal();
  await followSlowness(directory);
  offers = [await offerServices(directory, () => (starting = provideServices())), await offerCalm(directory)];
}

/** Runs once, after all tests. */
export async function mochaGlobalTeardown(): Promise<void> {
  for (const offer of offers) offer.close();
  await services?.stop();
  if (directory !== undefined) await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

export const mochaHooks = {
  /** Runs before the tests of a file, or of all files in a run that is not parallel. */
  async beforeAll(this: Mocha.Context): Promise<void> {
    const runDirectory = process.env.TEST_RUN_DIRECTORY;
    if (runDirectory === undefined) return;
    this.timeout(calmWithinMs + servicesWithinMs);
    calm = await takeCalm(runDirectory);
    if (!areServicesWanted()) return;
    const { databaseUrl, redisUrl, template } = await askForServices(runDirectory);
    process.env.TEST_DATABASE_URL = databaseUrl;
    process.env.TEST_REDIS_URL = redisUrl;
    process.env.TEST_DATABASE_TEMPLATE = template;
  },

  /** Runs after them. */
  afterAll(): void {
    calm?.leave();
  },
};

/**
 * Provides PostgreSQL, Redis and the migrated template. Uses the servers that TEST_DATABASE_URL and TEST_REDIS_URL
 * name, else those of `npm run services` where they are up, else starts servers for this run.
 */
async function provideServices(): Promise<ServiceUrls> {
  const { findKeptServices } = await import('./keptServices.ts');
  const { createTemplate } = await import('./template.ts');
  const kept = process.env.TEST_DATABASE_URL ? undefined : await findKeptServices();
  const { databaseUrl, redisUrl } = kept ?? (await startOwn());
  process.env.TEST_DATABASE_URL = databaseUrl;
  process.env.TEST_REDIS_URL = redisUrl;
  if (kept) {
    // A run that was killed could not drop its databases.
    const { dropAbandonedDatabases } = await import('./database.ts');
    await Promise.all([createTemplate(), dropAbandonedDatabases()]);
  } else {
    // A run that starts servers is mostly one of many files, some of which start the compiled programs.
    const { compileTree } = await import('../../src/tools/dev/compiled.ts');
    await Promise.all([createTemplate(), compileTree(ROOT)]);
  }
  return { databaseUrl, redisUrl, template: process.env.TEST_DATABASE_TEMPLATE! };
}

async function startOwn(): Promise<Services> {
  const { startTestServices } = await import('./services.ts');
  services = await startTestServices();
  return services;
}

/** Makes mocha's time-outs of tests and hooks follow the machine, wherever they are set. */
function scaleMochaTimeouts(): void {
  const timeout = Runnable.prototype.timeout as (this: Runnable, ms?: string | number) => number;
  const granted = new WeakMap<Runnable, number>();
  Runnable.prototype.timeout = function (this: Runnable, ms?: string | number) {
    if (ms !== undefined) return timeout.call(this, ms);
    // Mocha asks again when a test has ended; the load may have gone meanwhile.
    const factor = Math.max(granted.get(this) ?? 1, currentSlowness());
    granted.set(this, factor);
    return scaleWait(timeout.call(this), factor);
  } as typeof Runnable.prototype.timeout;
}
