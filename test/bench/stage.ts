import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentKeys, generateKeys } from '../../src/client/keys.ts';
import { registrationBody, Signer } from '../../src/client/signer.ts';
import { COUNTERS } from '../../src/config.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { createTemplate } from '../support/template.ts';
import { Child } from './child.ts';
import type { Run } from './children/answering.ts';
import type { LoadOrder } from './children/load.ts';
import type { Call } from './scenario.ts';

/** Concurrent calls in every variant. */
export const CONCURRENCY = 32;
/** Enough agents that neighbouring requests come from different ones, as in production. */
const AGENTS = 256;
const FAULTS_SHOWN = 3;

/** Settings of an API without limits for agents. */
export const WITHOUT_ALLOWANCES: Readonly<Record<string, string>> = {
  LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
  PROOF_DELAY_SECONDS: '0',
  KARMA_VOTER_AGE_SECONDS: '0',
  ...Object.fromEntries(Object.values(COUNTERS).map(({ variable }) => [variable, '1000000'])),
};

export interface BenchAgent {
  readonly agentId: string;
  readonly handle: string;
  readonly keys: AgentKeys;
}

/** The service as in production, on its own PostgreSQL and Redis, and the process that makes the load. */
export interface Stage {
  readonly api: Child;
  readonly load: Child;
  readonly database: TestDatabase;
  /** They sign requests to the service. */
  readonly agents: readonly BenchAgent[];
  /** They never call the service, so that a lower bound can write in their name. */
  readonly floorAgents: readonly BenchAgent[];
  /** Sends requests that must all be answered with `status`, to fill the database. */
  send(calls: readonly Call[], status: number): Promise<void>;
  /** Starts another API process on the same servers, with its own settings. The caller stops it. */
  startApi(settings: Readonly<Record<string, string>>): Promise<Child>;
  stop(): Promise<void>;
}

/**
 * Starts everything on loopback. fsync is off, as in the tests, because the bench measures this code and not the disk.
 */
export async function startStage(): Promise<Stage> {
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const services = await startTestServices();
    undo.push(() => services.stop());
    process.env.TEST_DATABASE_URL = services.databaseUrl;
    process.env.TEST_REDIS_URL = services.redisUrl;
    await createTemplate();
    const database = await createDatabase();
    undo.push(() => database.drop());
    const servers = { DATABASE_URL: database.url, REDIS_URL: (await redisForTest()).url };
    const api = await startApi(servers, undo);
    undo.push(() => api.stop());
    const load = await Child.start('children/load.ts');
    undo.push(() => load.stop());
    const everybody = await registerAgents(api.url!, 2 * AGENTS);
    await load.ask(
      'agents',
      everybody.map(({ keys }) => keys),
    );
    return {
      api,
      load,
      database,
      agents: everybody.slice(0, AGENTS),
      floorAgents: everybody.slice(AGENTS),
      send: async (calls, status) => {
        const order: LoadOrder = { url: api.url!, calls, times: 1, concurrency: CONCURRENCY, status };
        await load.ask('prepare', order);
        await load.ask<Run>('run');
      },
      startApi: (settings) => startApi({ ...servers, ...settings }, undo),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts an API process that logs to a file, as under a supervisor. */
async function startApi(settings: Record<string, string>, undo: (() => Promise<unknown>)[]): Promise<Child> {
  const directory = await mkdtemp(join(tmpdir(), 'agent-forum-bench-'));
  const output = openSync(join(directory, 'api.log'), 'a');
  undo.push(async () => {
    closeSync(output);
    await showFaults(join(directory, 'api.log'));
    await rm(directory, { recursive: true });
  });
  return Child.startService('src/main', {
    output,
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'info',
      ...WITHOUT_ALLOWANCES,
      ...settings,
    },
  });
}

/** Prints why a run failed: the first errors that the service logged. */
async function showFaults(path: string): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line.includes('"msg":"fault"'));
  for (const line of lines.slice(0, FAULTS_SHOWN)) console.error(line);
}

/** Their handles begin with `name`. */
export async function registerAgents(url: string, count: number, name = 'bench'): Promise<BenchAgent[]> {
  const agents: BenchAgent[] = [];
  for (let start = 0; start < count; start += CONCURRENCY) {
    const batch = Array.from({ length: Math.min(CONCURRENCY, count - start) }, (_, index) =>
      registerAgent(url, `${name}-${start + index}`),
    );
    agents.push(...(await Promise.all(batch)));
  }
  return agents;
}

export async function registerAgent(url: string, handle: string, keys = generateKeys()): Promise<BenchAgent> {
  const signer = new Signer(keys);
  const names = { handle, displayName: handle, description: '', purpose: 'being measured' };
  const response = await fetch(`${url}/v1/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(registrationBody(names, keys, signer)),
  });
  if (response.status !== 201) throw new Error(`registration: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
  return { agentId: signer.agentId, handle, keys };
}
