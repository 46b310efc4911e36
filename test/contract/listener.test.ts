import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import { originOf } from '../../src/discovery/addresses.ts';
import { createApp, listen } from '../../src/http/app.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { BacklogMetrics } from '../../src/ops/backlog.ts';
import { type OpsListener, startOps } from '../../src/ops/listener.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { readiness } from '../../src/ops/readiness.ts';
import { ReadinessMetrics } from '../../src/ops/readinessMetrics.ts';
import { requireRedis } from '../../src/ops/redis.ts';
import { ConcurrencyLimit } from '../../src/pipeline/execute.ts';
import { type Db, Postgres } from '../../src/platform/postgres/postgres.ts';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { openQueues } from '../../src/platform/redis/queues.ts';
import { connectRedis } from '../../src/platform/redis/redis.ts';
import { VERSION } from '../../src/protocol/service.ts';
import { Site } from '../../src/web/site.ts';
import { startWorkers } from '../../workers/worker.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const log = pino({ level: 'silent' });
const NONE = { all: 0, each: 0 };

describe('ops listener', () => {
  let forum: TestForum;
  let ops: OpsListener;
  const metrics = new Metrics('api', 'test');
  const configOf = (env: Record<string, string>) =>
    loadConfig({ DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, OPS_PORT: '0', ...env });
  const get = async (path: string, url = ops.url) => {
    const response = await fetch(url + path, { redirect: 'manual' });
    const header = (name: string) => response.headers.get(name) ?? '';
    const text = await response.text();
    return { status: response.status, type: header('content-type'), policy: header('content-security-policy'), text };
  };
  /** The value of one line of the metrics, whatever the order of its labels; the kind of process is not asked for. */
  const metric = async (line: string): Promise<number | undefined> => {
    const { text } = await get('/metrics');
    const found = text.split('\n').find((each) => inOrder(each.split(' ')[0]!) === inOrder(line));
    return found === undefined ? undefined : Number(found.split(' ').at(-1));
  };
  const inOrder = (series: string): string => {
    const [name = '', labels = ''] = series.split(/[{}]/);
    const named = labels.split(',').filter((label) => label !== '' && label !== 'process="api"');
    return `${name}{${named.sort().join()}}`;
  };

  before(async () => {
    forum = await startForum();
    ops = await startOps('api', configOf({}), log, metrics, { clock: forum.api.clock });
    metrics.watchPools(forum.api.pools);
  });
  after(async () => {
    await ops.stop();
    await forum.stop();
  });

  it('requires the token of its configuration, but not for /ready', async () => {
    const token = 'a-token-of-the-operator';
    const guarded = await startOps('api', configOf({ OPS_TOKEN: token }), log, metrics, { clock: forum.api.clock });
    try {
      const statusOf = async (path: string, authorization?: string) =>
        (await fetch(guarded.url + path, { headers: authorization === undefined ? {} : { authorization } })).status;
      assert.equal(await statusOf('/ready'), 200);
      for (const path of ['/', '/metrics', '/queues', '/queues/api/queues']) {
        assert.deepEqual([await statusOf(path), await statusOf(path, 'Bearer another-token-here')], [401, 401], path);
        assert.equal(await statusOf(path, `Bearer ${token}`), 200, path);
      }
    } finally {
      await guarded.stop();
    }
  });

  it('is ready when Postgres, Redis, the clock and the schema are', async () => {
    const { status, text } = await get('/ready');
    assert.deepEqual(
      [status, JSON.parse(text)],
      [
        200,
        {
          ready: true,
          draining: false,
          checks: { postgres: 'ok', redis: 'ok', clock: 'ok', schema: 'ok', settings: 'ok' },
          searchIndex: 'ok',
          warnings: [],
        },
      ],
    );
  });

  it('is not ready while the clock that the service goes by differs from the database', async () => {
    for (const [ms, status, clock] of [
      [900, 200, /^ok$/],
      [-900, 200, /^ok$/],
      [1_500, 503, /^drifted 1\d{3} ms$/],
      [-1_500, 503, /^drifted 1\d{3} ms$/],
    ] as const) {
      forum.advance(ms);
      const answer = await get('/ready');
      forum.advance(-ms);
      assert.equal(answer.status, status, answer.text);
      assert.match(JSON.parse(answer.text).checks.clock, clock);
    }
  });

  it('is ready on a host whose own clock is wrong, and says so', async () => {
    const db = new Postgres({ url: forum.database.url, maxConnections: 1, applicationName: 'test' });
    const redis = connectRedis(configOf({}), 'admission');
    try {
      await requireRedis(redis, 10_000);
      const check = (aheadMs: number) =>
        readiness({ db, redis, clock: forum.api.clock, hostNow: () => forum.api.clock.now() + aheadMs });
      assert.deepEqual((await check(900)).warnings, []);
      for (const aheadMs of [600_000, -600_000]) {
        const { ready, warnings } = await check(aheadMs);
        assert.ok(ready);
        assert.match(warnings.join(), aheadMs > 0 ? /off by (600000|599999) ms$/ : /off by -60000\d ms$/);
      }
    } finally {
      redis.disconnect();
      await db.close();
    }
  });

  it('is not ready while the disk of the database is full, nor hindered by a limit of temporary files', async () => {
    const url = new URL(forum.database.url);
    url.searchParams.set('options', '-c temp_file_limit=0');
    const db = new Postgres({ url: url.href, maxConnections: 1, applicationName: 'test' });
    const redis = connectRedis(configOf({}), 'admission');
    // What the limit refuses to write, a full disk does too.
    const full: Db = {
      query: async <Row extends object>(...asked: Parameters<Db['query']>) =>
        db.query<Row>(...asked).catch((error: { code?: string }) => {
          throw error.code === '53400' ? Object.assign(error, { code: '53100' }) : error;
        }),
    };
    try {
      await requireRedis(redis, 10_000);
      const check = async (asked: Db) =>
        (await readiness({ db: asked, redis, clock: forum.api.clock })).checks.postgres;
      assert.deepEqual([await check(db), await check(full)], ['ok', 'is full']);
    } finally {
      redis.disconnect();
      await db.close();
    }
  });

  it('is ready with a Redis that may throw keys away, and says so', async () => {
    const db = new Postgres({ url: forum.database.url, maxConnections: 1, applicationName: 'test' });
    const redis = connectRedis(configOf({}), 'admission');
    try {
      await requireRedis(redis, 10_000);
      redis.info = (async () => '# Memory\r\nmaxmemory_policy:allkeys-lru\r\n') as typeof redis.info;
      const { ready, warnings } = await readiness({ db, redis, clock: forum.api.clock });
      assert.ok(ready);
      assert.deepEqual(warnings, ['Redis evicts keys (allkeys-lru): set its maxmemory-policy to noeviction']);
    } finally {
      redis.disconnect();
      await db.close();
    }
  });

  it('is ready with a Redis that keeps no append-only file, and says so', async () => {
    const db = new Postgres({ url: forum.database.url, maxConnections: 1, applicationName: 'test' });
    const redis = connectRedis(configOf({}), 'admission');
    try {
      await requireRedis(redis, 10_000);
      assert.match(await redis.info('persistence'), /^aof_enabled:1/m);
      const info = redis.info.bind(redis) as (section: string) => Promise<string>;
      redis.info = (async (section: string) =>
        (await info(section)).replace('aof_enabled:1', 'aof_enabled:0')) as typeof redis.info;
      const { ready, warnings } = await readiness({ db, redis, clock: forum.api.clock });
      assert.ok(ready);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0]!, /^Redis has no append-only file: set its appendonly to yes\./);
    } finally {
      redis.disconnect();
      await db.close();
    }
  });

  it('is not ready for sessions without the settings that migration stores', async () => {
    const unlimited = new URL(forum.database.url);
    unlimited.searchParams.set('options', '-c statement_timeout=0 -c jit=on');
    const bare = await startOps('api', configOf({ DATABASE_URL: unlimited.href }), log, new Metrics('api', 'test'));
    try {
      const { status, text } = await get('/ready', bare.url);
      assert.deepEqual([status, JSON.parse(text).checks.settings], [503, 'missing: statement_timeout, jit']);
    } finally {
      await bare.stop();
    }
  });

  it('is not ready while a migration is missing', async () => {
    const [gone] = await forum.rows<{ name: string }>(
      'DELETE FROM knex_migrations WHERE id = (SELECT max(id) FROM knex_migrations) RETURNING name',
    );
    const { status, text } = await get('/ready');
    await forum.rows('INSERT INTO knex_migrations (name, batch, migration_time) VALUES ($1, 1, now())', [gone!.name]);
    assert.equal(status, 503);
    assert.equal(JSON.parse(text).checks.schema, '1 migrations missing');
  });

  it('counts answers by operation and status', async () => {
    const { services } = forum.api;
    const app = createApp(
      services,
      OPERATIONS,
      log,
      new Site(services, originOf(services.config)),
      metrics.observeRequest,
    );
    const server = await listen(app, forum.api.clock, { host: '127.0.0.1', port: 0 });
    try {
      for (const path of ['/v1/posts', '/v1/posts', '/v1/posts?limit=0', '/nothing']) await get(path, server.url);
    } finally {
      await server.drain();
    }
    const count = (labels: string) => metric(`forum_request_seconds_count{${labels}}`);
    assert.equal(await count('operation="post.list",status="200"'), 2);
    assert.equal(await count('operation="post.list",status="400"'), 1);
    assert.equal(await count('operation="none",status="404"'), 1);
    assert.equal(typeof (await metric('nodejs_eventloop_lag_p99_seconds')), 'number');
    assert.equal(await metric('forum_pool_connections{pool="primary",state="waiting"}'), 0);
    for (const where of ['lane', 'set', 'row'])
      assert.equal(await metric(`forum_writes_waiting{pool="primary",where="${where}"}`), 0);
  });

  it('counts requests answered 503 by reason, and logs them as warnings', async () => {
    const full = new ConcurrencyLimit({ write: NONE, preview: NONE, 'unsigned-write': NONE, requests: 0 });
    const services = { ...forum.api.services, concurrency: full };
    const lines: string[] = [];
    const logger = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    const app = createApp(
      services,
      OPERATIONS,
      logger,
      new Site(services, originOf(services.config)),
      metrics.observeRequest,
    );
    const server = await listen(app, forum.api.clock, { host: '127.0.0.1', port: 0 });
    try {
      for (const path of ['/v1/posts', '/v1/search?q=x']) assert.equal((await get(path, server.url)).status, 503);
    } finally {
      await server.drain();
    }
    const { text } = await get('/metrics');
    assert.match(text, /^forum_requests_turned_away_total\{reason="too many under way",process="api"\} 2$/m);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).level),
      [40, 40],
    );
  });

  it('shows what waits in the outbox, and the jobs that delivered it', async () => {
    await forum.rows(
      `INSERT INTO outbox (kind, subject, hidden, occurred_at)
       VALUES ('test.nothing', '', true, now() - interval '1 hour')`,
    );
    assert.ok((await metric('forum_outbox_rows'))! >= 1);
    await forum.rows(`DELETE FROM outbox WHERE kind <> 'test.nothing'`);
    assert.ok((await metric('forum_outbox_oldest_seconds'))! > 3_500);
    assert.equal(await metric('forum_backlog_up{source="redis"}'), 1);
    const workers = await startWorkers(configOf({}), log, { observe: metrics.observeJob });
    try {
      await eventually(async () => (await metric('forum_outbox_rows')) === 0);
      await eventually(
        async () => ((await metric('forum_job_seconds_count{job="outbox.apply",outcome="done"}')) ?? 0) > 0,
      );
    } finally {
      await workers.stop();
    }
    assert.equal(await metric('forum_outbox_oldest_seconds'), 0);
    assert.equal(await metric('forum_queue_jobs{queue="delivery",state="failed"}'), 0);
  });

  it('shows no figures of before while the database does not answer', async () => {
    const db = new Postgres({ url: forum.database.url, maxConnections: 1, applicationName: 'test' });
    const redis = connectRedis(configOf({}), 'admission');
    let isLost = false;
    const losable: Db = {
      query: async (statement, values) => {
        if (isLost) throw new Error('lost');
        return db.query(statement, values);
      },
    };
    const queues = openQueues(redis, 'test');
    const backlog = new BacklogMetrics(queues, losable);
    const ready = new ReadinessMetrics('api');
    /** What there is of the database, but for whether it answers. */
    const ofDatabase = async () => {
      const state = await readiness({ db: losable, redis, clock: forum.api.clock });
      const text = `${await backlog.text()}\n${await ready.text(state, undefined)}`;
      return [...text.matchAll(/^(forum_(?!backlog_up|queue|ready)\w+).* \S+$/gm)].map(([, name]) => name);
    };
    try {
      await requireRedis(redis, 10_000);
      const before = new Set(await ofDatabase());
      isLost = true;
      assert.deepEqual([before.size, await ofDatabase()], [13, []]);
      isLost = false;
      assert.deepEqual(new Set(await ofDatabase()), before);
    } finally {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
      await db.close();
    }
  });

  it('shows the queues and changes none of them', async () => {
    const page = await get('/queues');
    assert.equal(page.status, 200);
    assert.match(page.type, /html/);
    assert.doesNotMatch(page.text, /(?:href|src)="(?:https?:)?\/\//);
    assert.match(page.policy, /default-src 'self'/);
    const { status, text } = await get('/queues/api/queues');
    assert.equal(status, 200);
    const names = JSON.parse(text).queues.map((queue: { name: string; readOnlyMode: boolean }) => [
      queue.name,
      queue.readOnlyMode,
    ]);
    assert.deepEqual(names, [
      ['delivery', true],
      ['jobs', true],
    ]);
    const emptied = await fetch(`${ops.url}/queues/api/queues/delivery/empty`, { method: 'PUT' });
    assert.ok(emptied.status >= 400, String(emptied.status));
  });

  it('takes the next port of its kind when another process has it', async () => {
    const port = Number(new URL(ops.url).port);
    const second = await startOps('api', configOf({ OPS_PORT: String(port) }), log, new Metrics('api', 'test'));
    try {
      const ahead = Number(new URL(second.url).port) - port;
      assert.ok(ahead > 0 && ahead % 2 === 0, String(ahead));
      assert.equal((await get('/ready', second.url)).status, 200);
    } finally {
      await second.stop();
    }
  });

  it('lists at / what it serves', async () => {
    const { status, type, text } = await get('/');
    assert.equal(status, 200);
    assert.match(type, /html/);
    const paths = [...text.matchAll(/href="([^"]+)"/g)].map(([, path]) => path!);
    assert.deepEqual(paths, ['/ready', '/metrics', '/queues']);
    for (const path of paths) assert.equal((await get(path)).status, 200, path);
    assert.equal((await get('/else')).status, 404);
  });

  it('says what runs, and which process it is', async () => {
    const { text } = await get('/metrics');
    const labels = `version="${VERSION}",release="${RELEASE}",node="${process.version}",name="test",process="api"`;
    assert.ok(text.includes(`forum_build_info{${labels}} 1\n`), text);
    assert.equal(await metric('forum_ready{check="schema"}'), 1);
    assert.equal(await metric('forum_search_index_used'), 1);
    assert.doesNotMatch(text, /^forum_replica_used/m);
  });

  it('has a port for each kind of process, the worker’s beside the API’s', () => {
    const ports = (env: Record<string, string>) => {
      const { api, worker } = loadConfig({ DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x', ...env }).opsPorts;
      return [api, worker];
    };
    assert.deepEqual(ports({}), [9464, 9465]);
    assert.deepEqual(ports({ OPS_PORT: '9000' }), [9000, 9001]);
    assert.deepEqual(ports({ OPS_PORT: '0' }), [0, 0]);
    assert.deepEqual(ports({ OPS_PORT: '9000', WORKER_OPS_PORT: '9100' }), [9000, 9100]);
  });

  describe('a request that a foreign page may have sent', () => {
    const askAs = (headers: Record<string, string>, listener = ops) =>
      new Promise<number>((resolve, reject) =>
        request(`${listener.url}/ready`, { headers }, (response) => resolve(response.resume().statusCode!))
          .once('error', reject)
          .end(),
      );

    it('is 403 when its Host is neither an address, nor localhost, nor allowed', async () => {
      for (const host of ['evil.example', 'evil.example:9464', 'localhost.evil.example', '127.0.0.1.evil.example']) {
        assert.equal(await askAs({ host }), 403, host);
      }
      for (const host of ['localhost', 'localhost:9464', '127.0.0.1:9464', '[::1]:9464', '10.1.2.3']) {
        assert.equal(await askAs({ host }), 200, host);
      }
    });

    it('is 403 when its Origin is foreign', async () => {
      for (const origin of ['https://evil.example', 'null']) assert.equal(await askAs({ origin }), 403, origin);
      assert.equal(await askAs({ origin: 'http://localhost:9464' }), 200);
    });

    it('is answered under a name of OPS_ALLOWED_HOSTS', async () => {
      const named = await startOps(
        'api',
        configOf({ OPS_ALLOWED_HOSTS: 'api,ops.example' }),
        log,
        new Metrics('api', 'n'),
      );
      try {
        assert.deepEqual(
          [await askAs({ host: 'api:9464' }, named), await askAs({ host: 'ops.example' }, named)],
          [200, 200],
        );
        assert.equal(await askAs({ host: 'worker:9464' }, named), 403);
      } finally {
        await named.stop();
      }
    });
  });

  it('is nowhere on the public port', async () => {
    for (const path of ['/queues', '/metrics', '/ready']) assert.equal((await get(path, forum.url)).status, 404, path);
  });
});
