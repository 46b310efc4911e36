// `npm run bench:writes -- bench_lean_100000 bench_lean_10000000 [--only "post.create, vote"]`: measures operations
// sent by POST on databases that `bench:data -- --keep` left, alternately, in CPU of database and API per call. Adds
// some ten thousand rows to each database and stores the figures in growth.json.
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { agentIdOf, generateKeys } from '../../src/client/keys.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { databaseUrlNamed } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { Child } from './child.ts';
import type { Run } from './children/answering.ts';
import { printGrowth, storeGrowth } from './growthResults.ts';
import { databaseTicks, environmentOn, type ReadCost, settle, TICK_MS, ticksBetween } from './readCosts.ts';
import type { Call } from './scenario.ts';
import { registerAgent, registerAgents, WITHOUT_ALLOWANCES } from './stage.ts';
import { WRITES } from './writeList.ts';
import { callsOf, nameOf, type Write, type WrittenForum, writeOfExample } from './writtenForum.ts';

const WRITERS = 100;
const CALLS = 300;
const ROUNDS = 5;
/** The first round is the warm-up. */
const ALL_CALLS = CALLS * (ROUNDS + 1);
const CONCURRENCY = 8;
const DATABASE = /^bench_(full|lean)_(\d+)$/;

/** Settings of operator and meter beside those of any API. No vendor is connected. */
const SETTINGS = {
  ...WITHOUT_ALLOWANCES,
  METER_ENABLED: 'true',
  METER_VENDOR_API_KEY: 'no-key',
  METER_VENDOR_BASE_URL: 'http://127.0.0.1:9',
  METER_WAIT_SECONDS: '0',
  METER_DAILY_TOKENS: '1000000000',
};

const LISTED = new Set(WRITES.map(({ operation }) => operation));
const UNLISTED = OPERATIONS.filter(({ method, name }) => method === 'POST' && !LISTED.has(name));
const ALL_WRITES = [...WRITES, ...UNLISTED.map(writeOfExample)];

/** An API on a filled database, and agents that write. */
interface Writing {
  readonly posts: number;
  /** The costs of each round of a write except the first, and the status of its responses. */
  rounds(write: Write): Promise<readonly [(() => Promise<Cost>)[], status: number]>;
  stop(): Promise<void>;
}

/** Milliseconds of CPU per call. */
type Cost = Pick<ReadCost, 'databaseMs' | 'apiMs'>;

const { positionals: names, values: options } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
});
const only = options.only?.split(',').map((each) => each.trim());
const services = await startTestServices();
const writing: Writing[] = [];
try {
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  for (const name of names) writing.push(await open(name));
  const costs = writing.map((): ReadCost[] => []);
  for (const write of ALL_WRITES.filter((each) => only?.some((start) => nameOf(each).startsWith(start)) ?? true)) {
    const rounds = [];
    for (const each of writing) rounds.push(await each.rounds(write));
    const measured = rounds.map((): Cost[] => []);
    for (let round = 0; round <= ROUNDS; round++)
      for (const [n, [run]] of rounds.entries()) measured[n]!.push(await run[round]!());
    rounds.forEach(([, status], n) => {
      const [, ...counted] = measured[n]!;
      costs[n]!.push({ name: nameOf(write), ...medianOf(counted), status });
    });
    printGrowth(
      nameOf(write),
      writing.map(({ posts }, n) => ({ posts, costs: costs[n]!.slice(-1) })),
    );
  }
  const proportion = DATABASE.exec(names[0]!)![1]!;
  const sizes = writing.map(({ posts }, n) => ({ posts, costs: costs[n]! }));
  printGrowth(`${proportion}, writes`, sizes);
  await storeGrowth(proportion, 'writes', sizes);
} finally {
  for (const each of writing) await each.stop();
  await services.stop();
}

async function open(name: string): Promise<Writing> {
  const url = databaseUrlNamed(name);
  await migrateLatest(url);
  const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=0' });
  await client.connect();
  const tag = Date.now().toString(36);
  const operator = generateKeys();
  const env = { ...(await environmentOn(url)), ...SETTINGS, OPERATOR_AGENT_ID: agentIdOf(operator) };
  const api = await Child.startService('src/main', { env });
  const load = await Child.start('children/load.ts');
  await registerAgent(api.url!, `operator-${tag}`, operator);
  const writers = await registerAgents(api.url!, WRITERS, `writer-${tag}`);
  const newcomers = Array.from({ length: ALL_CALLS }, generateKeys);
  await load.ask('agents', [...writers.map(({ keys }) => keys), ...newcomers, operator]);
  await enrich(
    client,
    writers.map(({ agentId }) => agentId),
  );
  const send = async (calls: readonly Call[], status: number) => {
    if (calls.length === 0) throw new Error('nothing to send');
    await load.ask('prepare', { url: api.url!, calls, times: 1, concurrency: CONCURRENCY, status });
    await load.ask<Run>('run');
  };
  const forum: WrittenForum = {
    client,
    writers,
    newcomers,
    tag,
    read: async (path) => (await (await fetch(api.url! + path)).json()) as never,
    send,
    deliver: async () => {
      const worker = await Child.startService('workers/main', { env });
      await settle(client);
      await worker.stop();
    },
  };
  const cost = async (calls: readonly Call[], status: number): Promise<Cost> => {
    await load.ask('prepare', { url: api.url!, calls, times: 1, concurrency: CONCURRENCY, status });
    const before = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
    await load.ask<Run>('run');
    const after = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
    return {
      databaseMs: (ticksBetween(before[0], after[0]) * TICK_MS) / calls.length,
      apiMs: (after[1] - before[1]) / 1_000 / calls.length,
    };
  };
  return {
    posts: Number(DATABASE.exec(name)![2]),
    rounds: async (write) => {
      const [calls, status] = await callsOf(write, forum, ALL_CALLS);
      const run = Array.from({ length: ROUNDS + 1 }, (_, round) => {
        const ofRound = calls.slice(round * CALLS, (round + 1) * CALLS);
        return () => cost(ofRound, status);
      });
      return [run, status] as const;
    },
    stop: async () => {
      await load.stop();
      await api.stop();
      await client.end();
    },
  };
}

/** Gives writers enough karma for the stakes of every round. */
async function enrich(client: pg.Client, agentIds: readonly string[]): Promise<void> {
  await client.query('UPDATE karma_accounts SET main = main + 1000000000 WHERE agent_id = ANY ($1)', [agentIds]);
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (of: (cost: Cost) => number) => costs.map(of).toSorted((a, b) => a - b)[Math.floor(costs.length / 2)]!;
  return { databaseMs: middle(({ databaseMs }) => databaseMs), apiMs: middle(({ apiMs }) => apiMs) };
}
