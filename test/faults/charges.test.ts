import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Answer, TestAgent } from '../support/agent.ts';
import { eventually } from '../support/waits.ts';
import { isAlive } from '../tools/dev/support/servers.ts';
import { LosableServers } from './support/losableServers.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const POST = { title: 't', body: 'b' };
const LIMIT = 6;
const DEADLINE_MS = 20_000;
/** Beyond the 500 ms that a command is waited for. */
const STALL_MS = 1_500;

/**
 * docs/limits#how-a-charge-is-made: only accepted writes are charged, whatever went away in the middle of the others.
 */
describe('charges through outages', function () {
  this.timeout(90_000);
  let servers: LosableServers;
  let api: ServiceProcess;
  let redis: Redis;
  let ada: TestAgent;
  before(async () => {
    servers = await LosableServers.start();
    api = await startProcess('api', {
      ...servers.env,
      LIMIT_POSTS: String(LIMIT),
      LIMIT_VOTES: String(LIMIT),
    });
    redis = new Redis(servers.redisUrl);
  });
  beforeEach(async () => {
    ada = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  });
  after(async () => {
    redis.disconnect();
    await api.end('SIGKILL');
    await servers.stop();
  });

  async function stopPostgres(signal: NodeJS.Signals): Promise<void> {
    const { postgres } = await servers.pids();
    process.kill(postgres, signal);
    await eventually(async () => !(await isAlive(postgres)));
  }

  const remaining = async (counter: string): Promise<number | undefined> =>
    (await ada.get('/v1/greeting')).body.rateLimits?.counters[counter].remaining;
  const isShown = (counter: string, expected: number) => async () => (await remaining(counter)) === expected;

  /** Holds up every write of the agents, after whatever they have sent and before anything is committed. */
  async function lockAgents(...agents: TestAgent[]): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: servers.databaseUrl });
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN');
    const agentIds = agents.map(({ agentId }) => agentId);
    await client.query('SELECT FROM agent_states WHERE agent_id = ANY ($1) ORDER BY agent_id FOR UPDATE', [agentIds]);
    return client;
  }

  /** Whether a post of the agent is under way: its charge is there. */
  const charged = async ({ agentId }: TestAgent): Promise<boolean> =>
    (await redis.keys(`forum:*:{${agentId}}:log:posts`)).length === 1;

  function assertUnavailable({ status, body }: Answer): void {
    assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
  }

  it('nothing is charged for what never reached Postgres', async () => {
    const { postId } = (await ada.post('/v1/posts', POST)).body.post;
    await ada.post('/v1/votes', { targetId: postId, value: 'up' });
    await stopPostgres('SIGINT');
    for (let n = 0; n < 2 * LIMIT; n++) {
      assertUnavailable(await ada.post('/v1/posts', POST));
      // A write of several statements, on a connection of the pool.
      assertUnavailable(await ada.post('/v1/votes', { targetId: postId, value: 'down' }));
    }
    await servers.startMissing();
    await eventually(async () => (await remaining('posts')) !== undefined);
    assert.equal(await remaining('posts'), LIMIT - 1);
    assert.equal(await remaining('votes'), LIMIT - 1);
  });

  it('allowances are exact again within 20 s of a PostgreSQL crash during writes', async () => {
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
    const ben = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
    /** As it is told to whoever only writes: nothing is looked up for that, unlike for a greeting. */
    const left = async () => (await ben.post('/v1/posts/preview', POST)).body.allowance?.remaining;
    assert.equal(await left(), LIMIT);
    const lock = await lockAgents(ada, ben);
    const writing = Promise.all([ben, ...Array(LIMIT - 1).fill(ada)].map((agent) => agent.post('/v1/posts', POST)));
    await eventually(async () => (await remaining('posts')) === 0 && (await charged(ben)));
    await stopPostgres('SIGQUIT');
    (await writing).forEach(assertUnavailable);
    assert.ok(await charged(ben), 'nobody knows yet whether the write stands');
    await lock.end().catch(() => {});
    await servers.startMissing();
    await eventually(async () => (await remaining('posts')) !== undefined);
    const startedAt = performance.now();
    await eventually(isShown('posts', LIMIT - 1), DEADLINE_MS + 5_000);
    await eventually(async () => (await left()) === LIMIT);
    console.log(`      whole ${Math.round(performance.now() - startedAt)} ms after Postgres came back`);
    for (let n = 1; n < LIMIT; n++) assert.equal((await ada.post('/v1/posts', POST)).status, 201);
  });

  it('a reservation that Redis made after the caller gave up is refunded', async () => {
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
    for (let n = 0; n < 2; n++) {
      await redis.call('CLIENT', 'PAUSE', STALL_MS, 'ALL');
      const answers = await Promise.all(Array.from({ length: LIMIT - 1 }, () => ada.post('/v1/posts', POST)));
      answers.forEach(assertUnavailable);
      await sleep(STALL_MS);
    }
    await eventually(isShown('posts', LIMIT - 1), 3_000);
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
  });

  it('a reservation made on a broken Redis connection is refunded', async () => {
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
    await redis.call('CLIENT', 'PAUSE', STALL_MS, 'ALL');
    const answers = Promise.all(Array.from({ length: LIMIT - 1 }, () => ada.post('/v1/posts', POST)));
    await sleep(STALL_MS);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    for (const { status } of await answers) assert.ok([201, 503].includes(status), String(status));
    const accepted = async () =>
      (await ada.anonymous('GET', '/v1/posts', { query: `author=${ada.handle}` })).body.items;
    await eventually(isShown('posts', LIMIT - (await accepted()).length), 5_000);
  });
});
