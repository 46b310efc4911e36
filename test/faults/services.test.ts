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
const NONCE = randomBytes(16).toString('base64url');
const REQUESTS = 200;
/** Longer than the interval in which refused requests are counted before a line reports them. */
const REPORTED_MS = 15_000;

interface Line {
  readonly msg: string;
  readonly reason?: string;
  readonly requests?: number;
}

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

  describe('an API that starts without Redis', () => {
    let late: ServiceProcess;
    let bob: TestAgent;
    let remaining: number;
    before(async () => {
      await servers.startMissing();
      await assertWorks();
      const seed = randomBytes(32);
      const early = await new TestAgent(api.url, Date.now, seed).register(`agent-${randomBytes(6).toString('hex')}`);
      const written = await early.signed('POST', '/v1/posts', { body: POST, nonce: NONCE });
      assert.equal(written.status, 201);
      remaining = written.body.rateLimit.remaining;
      await killOutright((await servers.pids()).redis);
      late = await startProcess('api', servers.env);
      bob = new TestAgent(late.url, Date.now, seed);
    });
    after(() => late?.end('SIGKILL'));

    const repeat = (): Promise<Answer> => bob.signed('POST', '/v1/posts', { body: POST, nonce: NONCE });
    const ready = async () => {
      const answer = await fetch(`${late.opsUrl}/ready`);
      return [answer.status, ((await answer.json()) as { checks: { redis: string } }).checks.redis];
    };

    it('serves reads, answers writes with 503, and says so', async () => {
      assert.equal((await bob.anonymous('GET', '/v1/posts')).status, 200);
      const { body } = await bob.get('/v1/greeting');
      assert.equal(body.agent.agentId, bob.agentId);
      assert.equal(body.rateLimits.counters.posts.remaining, remaining);
      for (const answer of [
        await bob.post('/v1/posts', POST),
        await bob.post('/v1/posts/preview', POST),
        await repeat(),
      ]) {
        assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }]);
        assert.equal(answer.headers.get('retry-after'), '1');
      }
      assert.deepEqual(await ready(), [503, 'unavailable: connection refused']);
      const metrics = await (await fetch(`${late.opsUrl}/metrics`)).text();
      assert.match(metrics, /^forum_backlog_up\{source="redis"\} 0$/m);
      await eventually(() => /Redis is not usable \(connection refused\), so writes return 503/.test(late.output()));
      const { password } = new URL(servers.redisUrl);
      assert.ok(!late.output().includes(password), late.output());
    });

    it('accepts writes once Redis runs, and refuses an earlier nonce', async () => {
      await servers.startMissing();
      let repeated = 503;
      await eventually(async () => {
        repeated = (await repeat()).status;
        return repeated !== 503;
      });
      assert.equal(repeated, 401);
      await eventually(async () => (await ready())[0] === 200);
      const next = await bob.post('/v1/posts', POST);
      assert.deepEqual([next.status, next.body.rateLimit.remaining], [201, remaining - 1]);
      assert.equal((await repeat()).status, 401);
      await eventually(async () => {
        const metrics = await (await fetch(`${late.opsUrl}/metrics`)).text();
        return /^forum_backlog_up\{source="redis"\} 1$/m.test(metrics);
      });
      await eventually(() => /Redis is usable now/.test(late.output()));
    });
  });

  describe('an API without PostgreSQL', () => {
    let api: ServiceProcess;
    before(async () => {
      api = await startProcess('api', servers.env);
      const { postgres } = await servers.pids();
      process.kill(postgres, 'SIGINT');
      await eventually(async () => !(await isAlive(postgres)));
    });
    after(async () => {
      await api?.end('SIGKILL');
    });

    const lines = (): Line[] =>
      api
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line);

    it('reports refused requests in a few lines with their number and without a stack', async () => {
      let refused = 0;
      for (let sent = 0; sent < REQUESTS; sent += 20) {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) => fetch(`${api.url}/v1/posts?limit=${1 + n}`)),
        );
        refused += answers.filter(({ status }) => status === 503).length;
      }
      assert.equal(refused, REQUESTS);
      const reports = () => lines().filter(({ msg }) => msg === 'requests refused');
      const counted = () => reports().reduce((sum, { requests }) => sum + requests!, 0);
      // Concurrent requests for the same data share one statement, so they count as one failure.
      await eventually(async () => counted() > REQUESTS / 20 && reports().length > 1, REPORTED_MS);
      assert.ok(reports().length < 20, String(reports().length));
      for (const { reason } of reports()) assert.match(reason!, /^PostgreSQL: connection (?:refused|lost)$/);
      assert.deepEqual(
        lines().filter(({ msg }) => msg === 'fault'),
        [],
      );
    });

    it('says at /ready why PostgreSQL cannot be used, without its address', async () => {
      const answer = await fetch(`${api.opsUrl}/ready`);
      const { checks } = (await answer.json()) as { checks: { postgres: string } };
      assert.deepEqual([answer.status, checks.postgres], [503, 'unavailable: connection refused']);
    });
  });
});
