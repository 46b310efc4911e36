import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Answer, TestAgent } from '../support/agent.ts';
import { eventually, scaleWait } from '../support/waits.ts';
import { isAlive, killOutright } from '../tools/dev/support/servers.ts';
import { LosableServers } from './support/losableServers.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const POST = { title: 't', body: 'b' };

describe('lost services', function () {
  this.timeout(60_000);
  let servers: LosableServers;
  let api: ServiceProcess;
  let worker: ServiceProcess;
  let ada: TestAgent;
  before(async () => {
    servers = await LosableServers.start();
    [api, worker] = await Promise.all([startProcess('api', servers.env), startProcess('worker', servers.env)]);
    ada = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  });
  after(async () => {
    await Promise.all([api, worker].map((running) => running.end('SIGKILL')));
    await servers.stop();
  });

  function assertUnavailable(answer: Answer, about: string): void {
    assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }], about);
    assert.equal(answer.headers.get('retry-after'), '1', about);
  }

  async function assertWorks(): Promise<void> {
    await eventually(async () => (await ada.post('/v1/posts', POST)).status === 201, 5_000);
    const { body } = await ada.get('/v1/greeting');
    assert.equal(body.agent.agentId, ada.agentId);
  }

  const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
    const startedAt = performance.now();
    return [await work, performance.now() - startedAt];
  };

  it('without Redis signed writes are unavailable at once, reads continue, and all recovers without a restart', async () => {
    await assertWorks();
    const written = await ada.post('/v1/posts', POST);
    await killOutright((await servers.pids()).redis);
    for (let n = 0; n < 3; n++) {
      const [answer, ms] = await timed(ada.post('/v1/posts', POST));
      assertUnavailable(answer, 'write');
      assert.ok(ms < scaleWait(1_500), `${ms} ms`);
    }
    assertUnavailable(await ada.post('/v1/posts/preview', POST), 'preview');
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
    const signed = await ada.get('/v1/greeting');
    assert.equal(signed.body.agent.agentId, ada.agentId);
    const { remaining } = written.body.rateLimit;
    assert.equal(signed.body.rateLimits.counters.posts.remaining, remaining);
    assert.equal((await ada.anonymous('GET', '/health')).status, 200);
    await servers.startMissing();
    await assertWorks();
    const after = (await ada.get('/v1/greeting')).body.rateLimits.counters.posts.remaining;
    assert.equal(after, remaining - 1, 'nothing was refilled, and the refused writes cost nothing');
  });

  it('without Postgres everything that needs it is unavailable, and all heals without a restart', async () => {
    const previews = Promise.all(Array.from({ length: 8 }, () => ada.post('/v1/posts/preview', POST)));
    const { postgres } = await servers.pids();
    process.kill(postgres, 'SIGINT');
    await eventually(async () => !(await isAlive(postgres)));
    for (const { status } of await previews) assert.ok([200, 503].includes(status), String(status));
    const requests: Record<string, () => Promise<Answer>> = {
      write: () => ada.post('/v1/posts', POST),
      'refused write': () => ada.post('/v1/posts', {}),
      preview: () => ada.post('/v1/posts/preview', POST),
      'anonymous read': () => ada.anonymous('GET', '/v1/posts'),
      'signed read': () => ada.get('/v1/greeting'),
      registration: () => ada.anonymous('POST', '/v1/agents', { body: ada.registration('another') }),
      storage: () => ada.anonymous('GET', '/health/storage'),
    };
    for (const path of [
      'log/checkpoint',
      'log/vkey',
      'log/rotations',
      'log/witnesses',
      'log/tile/0/000',
      'sitemap.xml',
    ])
      requests[path] = () => ada.anonymous('GET', `/${path}`);
    for (const [name, request] of Object.entries(requests)) assertUnavailable(await request(), name);
    assert.equal((await ada.anonymous('GET', '/health')).status, 200);
    assert.equal((await ada.anonymous('GET', '/routes.json')).status, 200);
    await servers.startMissing();
    await assertWorks();
    assert.equal((await ada.anonymous('GET', '/health/storage')).status, 200);
  });

  it('the worker survives the same outages as the API', async () => {
    assert.ok(await isAlive(worker.pid), worker.output());
    const posts = async () => (await ada.anonymous('GET', '/v1/greeting')).body.totals.posts;
    const before = await posts();
    await ada.post('/v1/posts', POST);
    assert.equal(await posts(), before + 1);
    const { code } = await worker.end('SIGTERM');
    assert.equal(code, 0, worker.output());
  });

  it('a worker stopped without Redis finishes its current work and exits', async () => {
    worker = await startProcess('worker', servers.env);
    const pool = new pg.Pool({ connectionString: servers.databaseUrl });
    const client = await pool.connect();
    try {
      // Events that the previous worker left must not count as under way.
      await eventually(async () => (await pool.query('SELECT FROM outbox')).rowCount === 0);
      await client.query('BEGIN; LOCK TABLE inbox_entries IN EXCLUSIVE MODE');
      const bob = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
      const isUnderWay = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%apply_outbox%'`;
      await eventually(async () => (await pool.query(isUnderWay)).rowCount === 1);
      await killOutright((await servers.pids()).redis);
      const stopped = worker.end('SIGTERM');
      await sleep(500);
      await client.query('ROLLBACK');
      const { code, ms } = await stopped;
      assert.equal(code, 0, worker.output());
      // It once waited for 10 s on every machine.
      assert.ok(ms < 9_500, `${ms} ms`);
      const { items } = (await bob.get('/v1/inbox')).body;
      assert.deepEqual(
        items.map(({ type }: { type: string }) => type),
        ['karma'],
      );
    } finally {
      client.release();
      await pool.end();
    }
  });
});
