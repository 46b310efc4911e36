import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { TestAgent } from '../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const WRITERS = 4;
const POST = { title: 'Written before the crash', body: 'b' };

describe('crashes and stops', function () {
  this.timeout(40_000);
  let database: TestDatabase;
  let env: { DATABASE_URL: string; REDIS_URL: string; LIMIT_POSTS: string };
  const processes: ServiceProcess[] = [];
  beforeEach(async () => {
    database = await createDatabase();
    env = { DATABASE_URL: database.url, REDIS_URL: (await redisForTest()).url, LIMIT_POSTS: '1000' };
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((running) => running.end('SIGKILL')));
    await database.drop();
  });

  async function start(kind: 'api' | 'worker'): Promise<ServiceProcess> {
    const started = await startProcess(kind, env);
    processes.push(started);
    return started;
  }

  const newAgent = (url: string) => new TestAgent(url).register(`agent-${randomBytes(6).toString('hex')}`);

  async function count(text: string): Promise<number> {
    return Number((await database.pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${text}`)).rows[0]!.n);
  }

  /** Writes with `agents` without a pause until the service has ended. Returns the ids of acknowledged posts. */
  async function writeUntilGone(agents: TestAgent[], onAcknowledged: (total: number) => void): Promise<string[]> {
    const acknowledged: string[] = [];
    const writer = async (agent: TestAgent) => {
      for (;;) {
        const answer = await agent.post('/v1/posts', POST).catch(() => undefined);
        if (answer?.status !== 201) return;
        acknowledged.push(answer.body.post.postId);
        onAcknowledged(acknowledged.length);
      }
    };
    await Promise.all(agents.flatMap((agent) => [writer(agent), writer(agent)]));
    return acknowledged;
  }

  it('an API killed during writes keeps every acknowledged write whole', async () => {
    const api = await start('api');
    const agents = await Promise.all(Array.from({ length: WRITERS }, () => newAgent(api.url)));
    const acknowledged = await writeUntilGone(agents, (total) => {
      if (total === 40) process.kill(api.pid, 'SIGKILL');
    });
    assert.ok(acknowledged.length >= 40);
    // PostgreSQL finishes statements of the killed process, so posts can still appear for a moment.
    const others = `pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_type = 'client backend'`;
    await eventually(async () => (await count(others)) === 0);
    const { rows } = await database.pool.query<{ post_id: string }>('SELECT post_id FROM posts');
    const stored = new Set(rows.map((row) => row.post_id));
    assert.deepEqual(
      acknowledged.filter((postId) => !stored.has(postId)),
      [],
    );
    const halves = [
      'posts p LEFT JOIN post_states s USING (post_id) WHERE s.post_id IS NULL',
      `posts p WHERE NOT EXISTS (SELECT FROM write_receipts r WHERE r.facts::json->>'postId' = p.post_id)`,
      `write_receipts r WHERE NOT EXISTS (SELECT FROM posts p WHERE r.facts::json->>'postId' = p.post_id)`,
      `posts p WHERE NOT EXISTS (SELECT FROM outbox o WHERE o.kind = 'post.created' AND o.subject = p.post_id)`,
      `outbox o WHERE o.kind = 'post.created' AND NOT EXISTS (SELECT FROM posts p WHERE p.post_id = o.subject)`,
    ];
    for (const half of halves) assert.equal(await count(half), 0, half);
    assert.equal(await count('write_receipts'), stored.size);
  });

  it('SIGTERM makes an API finish open requests, accept no new ones and exit', async () => {
    const api = await start('api');
    const [ada, bob] = [await newAgent(api.url), await newAgent(api.url)];
    await bob.get('/v1/greeting');
    const lock = await database.pool.connect();
    try {
      await lock.query('BEGIN');
      await lock.query('SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', [ada.agentId]);
      const underWay = ada.post('/v1/posts', POST);
      await eventually(async () => (await count(`pg_stat_activity WHERE wait_event_type = 'Lock'`)) > 0);
      const ended = api.end('SIGTERM');
      const isRefused = () =>
        fetch(`${api.url}/health`).then(
          () => false,
          () => true,
        );
      await eventually(isRefused);
      await lock.query('COMMIT');
      const answer = await underWay;
      assert.equal(answer.status, 201);
      const { code, ms } = await ended;
      assert.equal(code, 0, api.output());
      console.log(`        stopped ${Math.round(ms)} ms after SIGTERM, some of them held up by the test`);
      assert.ok(ms < scaleWait(5_000), `${ms} ms`);
    } finally {
      lock.release();
    }
    assert.equal(await count('posts'), 1);
  });

  it('a write during shutdown, here by SIGHUP, is answered, or leaves nothing behind', async () => {
    const api = await start('api');
    const agents = await Promise.all(Array.from({ length: WRITERS }, () => newAgent(api.url)));
    let ended: ReturnType<ServiceProcess['end']> | undefined;
    const acknowledged = await writeUntilGone(agents, (total) => {
      if (total === 40) ended = api.end('SIGHUP');
    });
    const { code, ms } = await ended!;
    assert.equal(code, 0, api.output());
    console.log(`        stopped ${Math.round(ms)} ms after SIGHUP under load`);
    assert.ok(ms < scaleWait(5_000), `${ms} ms`);
    assert.equal(await count('posts'), acknowledged.length);
  });

  it('a worker killed during delivery loses no event and applies none twice', async () => {
    const api = await start('api');
    const agents = await Promise.all(Array.from({ length: WRITERS }, () => newAgent(api.url)));
    const events = 3_000;
    const put = inRelease(`SELECT release.put_event('agent.registered', 'event-' || n, NULL, false, now())
      FROM generate_series(1, ${events}) n`);
    const registered = async () => (await agents[0]!.anonymous('GET', '/v1/greeting')).body.totals.agents;
    const killed = await start('worker');
    await eventually(async () => (await count('outbox')) === 0);
    await database.pool.query(put);
    await eventually(async () => (await count('outbox')) < events);
    await killed.end('SIGKILL');
    assert.equal(await registered(), WRITERS + events);
    // Events that the dead worker had leased wait for the end of the lease, half a minute. The test shortens that.
    await database.pool.query(`UPDATE outbox SET lease_until = '-infinity'`);
    const worker = await start('worker');
    await eventually(async () => (await count('outbox')) === 0);
    assert.equal(await registered(), WRITERS + events);
    const { code } = await worker.end('SIGTERM');
    assert.equal(code, 0, worker.output());
  });
});
