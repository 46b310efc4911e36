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
/** Longer than the 500 ms after which a command times out. */
const STALL_MS = 1_500;

/** docs/limits#how-a-charge-is-made: only accepted writes are charged, whatever else fails. */
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
    ada = await newcomer();
  });
  after(async () => {
    redis.disconnect();
    await api.end('SIGKILL');
    await servers.stop();
  });

  const newcomer = () => new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  async function stopPostgres(signal: NodeJS.Signals): Promise<void> {
    const { postgres } = await servers.pids();
    process.kill(postgres, signal);
    await eventually(async () => !(await isAlive(postgres)));
  }

  /** According to the receipts in PostgreSQL. */
  const remaining = async (counter: string, agent = ada): Promise<number | undefined> =>
    (await agent.get('/v1/greeting')).body.rateLimits?.counters[counter].remaining;
  /** According to the reservations in Redis. */
  const reservable = async (): Promise<number | undefined> =>
    (await ada.post('/v1/posts/preview', POST)).body.allowance?.remaining;

  /** Blocks every write of the agent after its statements were sent and before it is committed. */
  async function lockAgent({ agentId }: TestAgent): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: servers.databaseUrl });
    client.on('error', () => {});
    await client.connect();
    await client.query('BEGIN');
    await client.query('SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', [agentId]);
    return client;
  }

  /** Reservations and charges of posts in Redis. */
  async function reserved({ agentId }: TestAgent): Promise<number> {
    const [key] = await redis.keys(`forum:*:{${agentId}}:reservations:posts`);
    return key === undefined ? 0 : redis.zcard(key);
  }

  function assertUnavailable({ status, body }: Answer): void {
    assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
  }

  /**
   * Asserts that writes without a receipt stop using up the allowance after 20 s, and that no write beyond the limit
   * passes.
   */
  async function assertExhaustsAllowance(agent: TestAgent, accepted: number, since = performance.now()): Promise<void> {
    let left = LIMIT - accepted;
    const post = async () => {
      if ((await agent.post('/v1/posts', POST)).status === 201) left -= 1;
      return left === 0;
    };
    await eventually(post, since + DEADLINE_MS + 5_000 - performance.now());
    assert.equal((await agent.post('/v1/posts', POST)).status, 429);
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
    assert.equal(await reservable(), LIMIT - 1);
    const { rateLimit } = (await ada.post('/v1/votes', { targetId: postId, value: 'down' })).body;
    assert.equal(rateLimit.remaining, LIMIT - 2);
  });

  it('a reservation that Redis made after the caller gave up is refunded', async () => {
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
    for (let n = 0; n < 2; n++) {
      await redis.call('CLIENT', 'PAUSE', STALL_MS, 'ALL');
      const answers = await Promise.all(Array.from({ length: LIMIT - 1 }, () => ada.post('/v1/posts', POST)));
      answers.forEach(assertUnavailable);
      await sleep(STALL_MS);
    }
    await eventually(async () => (await reservable()) === LIMIT - 1, 3_000);
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
  });

  it('a PostgreSQL crash, or a broken Redis connection, delays later writes of an agent for at most 20 s', async () => {
    const bob = await newcomer();
    assert.equal((await ada.post('/v1/posts', POST)).status, 201);
    const lock = await lockAgent(ada);
    const writing = Promise.all(Array.from({ length: LIMIT - 1 }, () => ada.post('/v1/posts', POST)));
    await eventually(async () => (await reserved(ada)) === LIMIT);
    await stopPostgres('SIGQUIT');
    (await writing).forEach(assertUnavailable);
    assert.ok((await reserved(ada)) > 1, 'the outcome of the writes is not known yet');
    await lock.end().catch(() => {});
    await servers.startMissing();
    await eventually(async () => (await remaining('posts')) === LIMIT - 1);
    const crashedAt = performance.now();

    assert.equal((await bob.post('/v1/posts', POST)).status, 201);
    await redis.call('CLIENT', 'PAUSE', STALL_MS, 'ALL');
    const answers = Promise.all(Array.from({ length: LIMIT - 1 }, () => bob.post('/v1/posts', POST)));
    await sleep(STALL_MS);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    let accepted = 1;
    for (const { status } of await answers) {
      assert.ok([201, 503].includes(status), String(status));
      if (status === 201) accepted += 1;
    }
    await eventually(async () => (await remaining('posts', bob)) === LIMIT - accepted);
    await Promise.all([assertExhaustsAllowance(ada, 1, crashedAt), assertExhaustsAllowance(bob, accepted)]);
  });
});
