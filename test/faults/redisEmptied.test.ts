import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const POSTS = 45;
const ALLOWANCE = 30;
const BODY = Buffer.from('{"title":"t","body":"b"}');

interface Prepared {
  readonly url: string;
  readonly headers: Record<string, string>;
}

describe('Redis emptied at any moment', function () {
  this.timeout(40_000);
  let database: TestDatabase;
  let redis: Redis;
  let doors: ServiceProcess[];
  before(async () => {
    database = await createDatabase();
    const { url } = await redisForTest();
    redis = new Redis(url);
    const env = { DATABASE_URL: database.url, REDIS_URL: url };
    doors = await Promise.all([startProcess('api', env), startProcess('api', env)]);
  });
  after(async () => {
    await Promise.all(doors.map((door) => door.end('SIGKILL')));
    redis.disconnect();
    await database.drop();
  });

  const newAgent = () => new TestAgent(doors[0]!.url).register(`agent-${randomBytes(6).toString('hex')}`);

  /** Signed in advance, so that they arrive at once, alternately at both processes. */
  const prepare = (agent: TestAgent): Prepared[] =>
    Array.from({ length: POSTS }, (_, n) => ({
      url: doors[n % doors.length]!.url,
      headers: agent.headers('POST', '/v1/posts', {}, BODY),
    }));

  async function send({ url, headers }: Prepared): Promise<number> {
    const type = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/v1/posts`, { method: 'POST', headers: { ...type, ...headers }, body: BODY });
    await response.arrayBuffer();
    return response.status;
  }

  /** Empties Redis at four random moments of a burst. */
  async function flushNowAndThen(): Promise<void> {
    for (let flush = 0; flush < 4; flush++) {
      await sleep(Math.random() * 120);
      await redis.flushdb();
    }
  }

  it('accepts exactly 30 of 45 posts, and repeats none of them', async () => {
    for (let round = 0; round < 3; round++) {
      const agent = await newAgent();
      const requests = prepare(agent);
      const sent = Promise.all(requests.map(send));
      await flushNowAndThen();
      const statuses = await sent;
      const accepted = requests.filter((_, n) => statuses[n] === 201);
      const tally = JSON.stringify(statuses.toSorted());
      assert.equal(accepted.length, ALLOWANCE, tally);
      assert.ok(
        statuses.every((status) => status === 201 || status === 429),
        tally,
      );

      const replays = Promise.all(accepted.map(send));
      await flushNowAndThen();
      assert.deepEqual(new Set(await replays), new Set([401]));
      await redis.flushdb();
      assert.deepEqual(new Set(await Promise.all(accepted.map(send))), new Set([401]));
      assert.deepEqual(new Set(await Promise.all(prepare(agent).map(send))), new Set([429]));
      const { rows } = await database.pool.query('SELECT FROM posts WHERE author_id = $1', [agent.agentId]);
      assert.equal(rows.length, ALLOWANCE);
    }
  });

  const waitingLoads = async (): Promise<number> => {
    const { rows } = await database.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND query LIKE 'UPDATE agent_states SET fence%'`,
    );
    return rows.length;
  };

  it('loads counters of agents again a few at a time, and other writes do not wait', async () => {
    const agents = await Promise.all(Array.from({ length: 40 }, newAgent));
    const other = await newAgent();
    await redis.flushdb();
    assert.equal(await send(prepare(other)[0]!), 201);
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM agent_states WHERE agent_id = ANY ($1) FOR UPDATE', [
        agents.map(({ agentId }) => agentId),
      ]);
      const sent = Promise.all(agents.map((agent) => send(prepare(agent)[0]!)));
      let most = 0;
      await eventually(async () => {
        most = await waitingLoads();
        return most > 0;
      });
      for (let look = 0; look < 5; look++) {
        assert.equal(await send(prepare(other)[0]!), 201);
        most = Math.max(most, await waitingLoads());
      }
      await holder.query('COMMIT');
      assert.deepEqual(new Set(await sent), new Set([201]));
      assert.equal(most, 4);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});
