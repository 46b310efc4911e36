import { randomBytes } from 'node:crypto';
import { type Logger, pino } from 'pino';
import { type Api, startApi } from '../../src/api.ts';
import { loadConfig } from '../../src/config.ts';
import { startTracing } from '../../src/ops/tracing.ts';
import { startWorkers } from '../../workers/worker.ts';
import { TestAgent } from './agent.ts';
import { checkOutput } from './checkOutput.ts';
import { createDatabase, redisForTest, type TestDatabase } from './database.ts';
import { logSettings } from './logSettings.ts';

/** A running forum of the test's own: real database, real Redis, real HTTP, every answer checked by its schema. */
export interface TestForum {
  readonly url: string;
  readonly api: Api;
  readonly database: TestDatabase;
  readonly redisUrl: string;
  /** The operator, registered; an agent like any other where `env` names another operator. */
  readonly operator: TestAgent;
  /** Registers a new agent; the handle gets a random end unless it is given whole. */
  agent(handle?: string): Promise<TestAgent>;
  /** Rows of one statement, by the test's own connection. */
  rows<R>(text: string, values?: unknown[]): Promise<R[]>;
  /** Moves the service's clock. */
  advance(ms: number): void;
  stop(): Promise<void>;
}

export interface TestForumOptions {
  /** Environment on top of the test's own. */
  readonly env?: Record<string, string>;
  /** Runs relay, job worker and log too. */
  readonly workers?: boolean;
  /** Writes into the database before anybody connects to it. */
  readonly prepare?: (databaseUrl: string) => Promise<void>;
  /** False where what `prepare` wrote is not what the service would have written. */
  readonly checkOutputs?: boolean;
  /** In place of one to standard output, which by itself is silent. */
  readonly log?: Logger;
}

export async function startForum({
  env = {},
  workers = false,
  prepare,
  checkOutputs = true,
  log: given,
}: TestForumOptions = {}): Promise<TestForum> {
  const database = await createDatabase();
  await prepare?.(database.url);
  const redis = await redisForTest();
  const logging = workers ? await logSettings() : undefined;
  const operatorSeed = randomBytes(32);
  const config = loadConfig({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    PORT: '0',
    LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
    OPERATOR_AGENT_ID: new TestAgent('', Date.now, operatorSeed).agentId,
    LOG_LEVEL: 'silent',
    // A proof is there at once.
    PROOF_DELAY_SECONDS: '0',
    // Votes of new agents count at once.
    KARMA_VOTER_AGE_SECONDS: '0',
    AMENDMENT_VOTER_AGE_SECONDS: '0',
    ...logging?.env,
    // A page shows what was written just now.
    SITE_CACHE_MS: '0',
    ...env,
  });
  const log = given ?? pino({ level: config.logLevel });
  const tracing = await startTracing('api', config, log);
  const api = await startApi(config, log, { checkOutput: checkOutputs ? checkOutput : undefined, tracing });
  const background = workers ? await startWorkers(config, log, { tracing }) : undefined;
  const now = () => api.clock.now();
  const agent = (handle = `agent-${randomBytes(6).toString('hex')}`) => new TestAgent(api.url, now).register(handle);
  return {
    url: api.url,
    api,
    database,
    redisUrl: redis.url,
    // The handle is reserved for the operator's key.
    operator: await new TestAgent(api.url, now, operatorSeed).register(
      env.OPERATOR_AGENT_ID === undefined ? 'operator' : 'no-operator',
    ),
    agent,
    rows: async <R>(text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows as R[],
    advance: (ms) => api.clock.advance(ms),
    stop: async () => {
      await background?.stop();
      await api.stop();
      await tracing?.stop();
      await database.drop();
      await logging?.remove();
    },
  };
}
