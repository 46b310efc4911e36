import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { pino } from 'pino';
import { migrateLatest } from '../../migrations/run.ts';
import { type Api, startApi } from '../../src/api.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { startOps } from '../../src/ops/listener.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { primaryUrl } from '../../src/platform/postgres/primary.ts';
import { Replica } from '../../src/platform/postgres/replica.ts';
import { type Services, startServices } from '../../src/tools/dev/services.ts';
import { startWorkers, type Workers } from '../../workers/worker.ts';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { cacheDirectory, makeTestDirectory } from '../support/directories.ts';
import { stopAbandonedServices } from '../support/stopAbandonedServices.ts';
import { eventually } from '../support/waits.ts';
import { itDoesTheMainJob } from './support/mainJob.ts';
import { type Standby, startStandby } from './support/standby.ts';

wantCalm();

describe('a read replica', function () {
  this.timeout(90_000);
  let directory: string;
  let services: Services;
  let standby: Standby;
  let replica: pg.Client;
  let config: Config;
  let api: Api;
  let ada: TestAgent;

  before(async () => {
    directory = await makeTestDirectory();
    services = await startServices({ directory, cacheDirectory, durable: false, log: () => undefined });
    await migrateLatest(services.databaseUrl);
    standby = await startStandby(services.databaseUrl);
    replica = new pg.Client({ connectionString: standby.url });
    replica.on('error', () => undefined);
    await replica.connect();
    await startReading(standby.url);
  });
  after(async () => {
    await api.stop();
    await replica.end().catch(() => undefined);
    await standby.stop();
    await services.stop();
    await stopAbandonedServices(directory);
    await rm(directory, { recursive: true, force: true });
  });

  async function startReading(replicaUrl: string): Promise<void> {
    const env = { DATABASE_URL: services.databaseUrl, DATABASE_READ_URL: replicaUrl, REDIS_URL: services.redisUrl };
    const limits = { KARMA_VOTER_AGE_SECONDS: '0', LIMIT_REGISTRATIONS_PER_ADDRESS: '0' };
    config = loadConfig({ ...env, ...limits, PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' });
    api = await startApi(config, pino({ level: 'silent' }));
    ada = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  }

  async function admin(text: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: services.databaseUrl });
    await client.connect();
    try {
      return await client.query(text);
    } finally {
      await client.end();
    }
  }

  const state = () => api.services.replica!.state;
  const listed = async (query: string) => ada.anonymous('GET', '/v1/posts', { query });
  const replaying = (go: boolean) => replica.query(`SELECT pg_wal_replay_${go ? 'resume' : 'pause'}()`);
  const posted = async (body: object): Promise<string> => (await ada.post('/v1/posts', body)).body.post.postId;

  it('answers anonymous lists with what it holds', async () => {
    const postId = await posted({ title: 'One', body: 'b' });
    await eventually(async () => (await listed('')).body.items[0]?.postId === postId);
    assert.equal(state(), 'ok');
    const { rows } = await replica.query('SELECT FROM posts WHERE post_id = $1', [postId]);
    assert.equal(rows.length, 1);
    assert.equal((await ada.get('/v1/posts')).body.items[0].postId, postId);
  });

  it('the primary answers for a community that the replica does not have yet', async () => {
    await replaying(false);
    try {
      const slug = `c-${randomBytes(6).toString('hex')}`;
      await ada.post('/v1/communities', { slug, displayName: 'New', description: '', visibility: 'public' });
      const postId = await posted({ title: 'Two', body: 'b', communitySlug: slug });
      const { status, body } = await listed(`community=${slug}`);
      assert.deepEqual([status, body.items.map((item: { postId: string }) => item.postId)], [200, [postId]]);
      assert.notEqual((await listed('')).body.items[0].postId, postId, 'the replica does not have it yet');
    } finally {
      await replaying(true);
    }
  });

  it('the replica answers unsigned reads, and x-svc-as-of gets the latest write', async () => {
    const postId = await posted({ title: 'Early', body: 'b' });
    const bob = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
    const thread = (headers = {}) => ada.anonymous('GET', `/v1/posts/${postId}`, { headers });
    const karma = () => ada.anonymous('GET', `/v1/agents/${ada.agentId}/karma`);
    await eventually(
      async () => (await replica.query('SELECT FROM posts WHERE post_id = $1', [postId])).rowCount === 1,
    );
    await eventually(async () => state() === 'ok');
    await replaying(false);
    try {
      const { balance } = (await karma()).body;
      await bob.post('/v1/votes', { targetId: postId, value: 'up' });
      const { headers } = await bob.post(`/v1/posts/${postId}/replies`, { body: 'A reply' });
      assert.equal((await karma()).body.balance, balance, 'the replica has no vote yet');
      assert.deepEqual((await thread()).body.replies, [], 'nor a reply');
      const asOf = { 'x-svc-as-of': headers.get('date')! };
      assert.equal((await thread(asOf)).body.replies.length, 1);
      assert.equal((await thread({ 'x-svc-as-of': 'what' })).body.replies.length, 1);
      assert.equal(
        (await thread({ 'x-svc-as-of': new Date(Date.now() - 86_400_000).toUTCString() })).body.replies.length,
        0,
      );
      assert.equal((await bob.get(`/v1/posts/${postId}`)).body.replies.length, 1);
      assert.ok((await bob.get(`/v1/agents/${ada.agentId}/karma`)).body.balance > balance, 'a signed read is current');
      await replaying(true);
      await eventually(
        async () => api.services.replica!.current(api.clock.now() - Date.parse(asOf['x-svc-as-of'])) !== undefined,
      );
      assert.equal((await thread(asOf)).body.replies.length, 1);
    } finally {
      await replaying(true);
    }
  });

  it('a replica that lags too far gets no reads until it has caught up', async () => {
    await replaying(false);
    try {
      const postId = await posted({ title: 'Three', body: 'b' });
      await eventually(async () => (await listed('')).body.items[0].postId === postId, 15_000);
      assert.match(state(), /^\d+ s behind, the primary serves the reads$/);
    } finally {
      await replaying(true);
    }
    await eventually(async () => state() === 'ok', 15_000);
  });

  it('is passed over where an address of several hosts asks for the primary', async () => {
    const [primary, other] = [services.databaseUrl, standby.url].map((url) => new URL(url).host);
    const naming = (...hosts: string[]) => services.databaseUrl.replace(primary!, hosts.join(','));
    assert.equal(await primaryUrl(naming('127.0.0.1:1', other!, primary!)), services.databaseUrl);
    await assert.rejects(primaryUrl(naming('127.0.0.1:1', other!)), { code: '25006' });
    await assert.rejects(primaryUrl(naming('127.0.0.1:1', '127.0.0.1:2')), { code: 'ECONNREFUSED' });
  });

  describe('beside a worker', () => {
    let workers: Workers;
    before(async () => {
      workers = await startWorkers(config, pino({ level: 'silent' }));
    });
    after(() => workers.stop());

    itDoesTheMainJob(() => ({ url: api.url, databaseUrl: services.databaseUrl }));
  });

  describe('with a wrong address', () => {
    const sampled = async (url: string) => {
      const [primary, other] = [services.databaseUrl, url].map(
        (each) => new Postgres({ url: each, maxConnections: 1, applicationName: 'test replica' }),
      );
      const sample = new Replica(primary!, other!);
      await sample.start();
      const seen = { state: sample.state, isAsked: sample.current() !== undefined };
      await sample.stop();
      await primary!.close();
      return seen;
    };
    const unasked = { state: 'not a standby of the primary, which serves the reads', isAsked: false };

    it('gets no reads after it was promoted, because it would miss later removals', async () => {
      const promoted = await startStandby(services.databaseUrl);
      try {
        await eventually(async () => (await sampled(promoted.url)).isAsked);
        const client = new pg.Client({ connectionString: promoted.url });
        await client.connect();
        await client.query('SELECT pg_promote()');
        await client.end();
        assert.deepEqual(await sampled(promoted.url), unasked);
      } finally {
        await promoted.stop();
      }
    });

    it('is not asked where it is the database of another forum', async () => {
      await admin('CREATE DATABASE other');
      const url = Object.assign(new URL(services.databaseUrl), { pathname: '/other' }).href;
      assert.deepEqual(await sampled(url), { state: 'unreachable, the primary serves the reads', isAsked: false });
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE TABLE settings AS SELECT 'deployment_id' AS name, 'another' AS value`);
      await client.end();
      assert.deepEqual(await sampled(url), unasked);
    });

    it('is asked where it is the primary itself', async () => {
      assert.deepEqual(await sampled(services.databaseUrl), { state: 'ok', isAsked: true });
    });
  });

  describe('after its loss', () => {
    it('fails no read', async () => {
      const ops = await startOps('api', config, pino({ level: 'silent' }), new Metrics('api', 'test'), {
        clock: api.clock,
        replica: api.services.replica,
      });
      const shown = async () => {
        const metrics = await (await fetch(`${ops.url}/metrics`)).text();
        return metrics.split('\n').filter((line) => line.startsWith('forum_replica'));
      };
      try {
        const [before, metrics] = [state(), (await shown()).join('\n')];
        await standby.stop();
        assert.equal(before, 'ok');
        assert.match(metrics, /^forum_replica_used\S* 1$/m);
        assert.match(metrics, /^forum_replica_lag_seconds\S* [0-4](?:\.|$)/m);
        const answers = await Promise.all(
          ['/v1/posts', '/v1/agents', '/v1/search', '/v1/communities', '/v1/feedback', '/v1/questions/unanswered'].map(
            (path) => ada.anonymous('GET', path),
          ),
        );
        assert.deepEqual(
          answers.map(({ status }) => status),
          answers.map(() => 200),
        );
        assert.equal(state(), 'unreachable, the primary serves the reads');
        const ready = await fetch(`${ops.url}/ready`);
        const { warnings } = (await ready.json()) as { warnings: string[] };
        assert.deepEqual([ready.status, warnings], [200, ['replica: unreachable, the primary serves the reads']]);
        assert.deepEqual(
          await shown(),
          ['forum_replica_used{process="api"} 0'],
          'a lag of before would look like health',
        );
      } finally {
        await ops.stop();
      }
    });
  });
});
