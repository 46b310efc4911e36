import type { Services } from '../../src/dev/services.ts';

let services: Services | undefined;

/**
 * Runs once, before all tests: starts the services and migrates the database that every test's own is a copy of.
 * Mocha loads this file in each worker too, hence the imports inside.
 */
export async function mochaGlobalSetup(): Promise<void> {
  const { startTestServices } = await import('./services.ts');
  const { createTemplate } = await import('./template.ts');
  services = await startTestServices();
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  try {
    await createTemplate();
  } catch (error) {
    await mochaGlobalTeardown();
    throw error;
  }
}

/** Runs once, after all tests. */
export async function mochaGlobalTeardown(): Promise<void> {
  await services?.stop();
}
