// `npm run bench:writes -- bench_lean_100000 bench_lean_10000000`: what writes cost on databases that `bench:data -- --keep` left, in
// turns, CPU of database and API a call. It adds some thousand rows to each.
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { databaseUrlNamed } from '../support/database.ts';
import { startTestServices } from '../support/services.ts';
import { Child } from './child.ts';
import type { Run } from './children/answering.ts';
import { newPost } from './content.ts';
import { databaseTicks, environmentOn, shown, TICK_MS, ticksBetween } from './readCosts.ts';
import type { Call } from './scenario.ts';
import { registerAgents } from './stage.ts';

const AGENTS = 100;
const CALLS = 400;
const ROUNDS = 5;
const CONCURRENCY = 8;

/** What is written about: none of it twice. */
interface Targets {
  readonly posts: readonly string[];
  readonly replies: readonly string[];
}

interface Write {
  readonly name: string;
  readonly status: number;
  call(targets: Targets, number: number): Pick<Call, 'path'> & { readonly body: object };
}

const WRITES: readonly Write[] = [
  { name: 'post', status: 201, call: () => ({ path: '/v1/posts', body: newPost() }) },
  {
    name: 'question',
    status: 201,
    call: () => ({ path: '/v1/questions', body: newPost() }),
  },
  {
    name: 'reply',
    status: 201,
    call: ({ posts }, n) => ({ path: `/v1/posts/${posts[n]}/replies`, body: { body: newPost().body } }),
  },
  {
    name: 'vote',
    status: 200,
    call: ({ posts }, n) => ({ path: '/v1/votes', body: { targetId: posts[n], value: 'up' } }),
  },
  {
    name: 'report of a reply',
    status: 201,
    call: ({ replies }, n) => ({
      path: '/v1/reports',
      body: { targetType: 'reply', targetId: replies[n], category: 'spam', details: 'measured' },
    }),
  },
  {
    name: 'feedback',
    status: 201,
    call: () => ({ path: '/v1/feedback', body: { kind: 'feature', ...newPost() } }),
  },
];

/** An API on a filled database, with agents who write. */
interface Writing {
  /** Milliseconds of database and API for a call. */
  cost(write: Write, from: number): Promise<readonly [number, number]>;
  stop(): Promise<void>;
}

const names = process.argv.slice(2);
const services = await startTestServices();
const writing: Writing[] = [];
try {
  process.env.TEST_DATABASE_URL = services.databaseUrl;
  process.env.TEST_REDIS_URL = services.redisUrl;
  for (const name of names) writing.push(await open(name));
  console.log(`${'CPU ms, database + API'.padEnd(24)}${names.map((name) => name.padStart(24)).join('')}  growth`);
  for (const write of WRITES) {
    const costs = writing.map((): (readonly [number, number])[] => []);
    // The first round is the warm-up.
    for (let round = 0; round <= ROUNDS; round++)
      for (const [n, each] of writing.entries()) {
        const cost = await each.cost(write, round * CALLS);
        if (round > 0) costs[n]!.push(cost);
      }
    const medians = costs.map((each) => [0, 1].map((part) => median(each.map((cost) => cost[part]!))));
    const whole = medians.map(([database, api]) => database! + api!);
    const growth = whole.slice(1).map((each, n) => (each / whole[n]!).toFixed(2));
    const figures = medians.map(([database, api]) => `${shown(database!)} + ${shown(api!)}`.padStart(24));
    console.log(`${write.name.padEnd(24)}${figures.join('')}  ${growth.join(' ')}`);
  }
} finally {
  for (const each of writing) await each.stop();
  await services.stop();
}

async function open(name: string): Promise<Writing> {
  const url = databaseUrlNamed(name);
  await migrateLatest(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const limits = ['POSTS', 'REPLIES', 'VOTES', 'BOUNTY_WRITES', 'FEEDBACK_WRITES'];
  const api = await Child.startService('src/main', {
    env: {
      ...(await environmentOn(url)),
      LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
      ...Object.fromEntries(limits.map((each) => [`LIMIT_${each}`, '1000000'])),
    },
  });
  const load = await Child.start('children/load.ts');
  const agents = await registerAgents(api.url!, AGENTS, `writer-${Date.now().toString(36)}`);
  await load.ask(
    'agents',
    agents.map(({ keys }) => keys),
  );
  const wanted = CALLS * (ROUNDS + 1);
  const idsOf = async (text: string) =>
    (await client.query<{ id: string }>(`${text} LIMIT ${wanted}`)).rows.map(({ id }) => id);
  const targets = {
    posts: await idsOf(
      `SELECT p.post_id AS id FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
       WHERE NOT p.hidden AND p.community_slug IS NULL AND p.post_type = 'post'`,
    ),
    replies: await idsOf(
      `SELECT r.reply_id AS id FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
       JOIN posts p ON p.post_id = r.post_id AND NOT p.hidden JOIN post_states t ON t.post_id = p.post_id AND NOT t.removed`,
    ),
  };
  const cost = async ({ status, call }: Write, from: number) => {
    const calls = Array.from({ length: CALLS }, (_, n): Call => {
      const { path, body } = call(targets, from + n);
      return { method: 'POST', path, body: JSON.stringify(body), signer: n % AGENTS };
    });
    await load.ask('prepare', { url: api.url!, calls, times: 1, concurrency: CONCURRENCY, status });
    const before = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
    await load.ask<Run>('run');
    const after = [await databaseTicks(client), await api.cpuMicroseconds()] as const;
    return [(ticksBetween(before[0], after[0]) * TICK_MS) / CALLS, (after[1] - before[1]) / 1_000 / CALLS] as const;
  };
  const stop = async () => {
    await load.stop();
    await api.stop();
    await client.end();
  };
  return { cost, stop };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
