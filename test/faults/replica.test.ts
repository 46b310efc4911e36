import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { pino } from 'pino';
import { migrateLatest } from '../../migrations/run.ts';
import { type Api, startApi } from '../../src/api.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { type Services, startServices, stopAbandonedServices } from '../../src/dev/services.ts';
import { startOps } from '../../src/ops/listener.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { TestAgent } from '../support/agent.ts';
import { cacheDirectory, makeTestDirectory } from '../support/directories.ts';
import { eventually } from '../support/waits.ts';
import { type Standby, startStandby } from './support/standby.ts';

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
    config = loadConfig({ ...env, PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'silent' });
    api = await startApi(config, pino({ level: 'silent' }));
    ada = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  }

  const state = () => api.kernel.replica!.state;
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

  it('that lacks a community just created lets the primary answer', async () => {
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

  it('that is too far behind is not asked until it has caught up', async () => {
    await replaying(false);
    try {
      const postId = await posted({ title: 'Three', body: 'b' });
      await eventually(async () => (await listed('')).body.items[0].postId === postId, 15_000);
      assert.match(state(), /^\d+ s behind, the primary answers$/);
    } finally {
      await replaying(true);
    }
    await eventually(async () => state() === 'ok', 15_000);
  });

  it('that is lost costs nobody an answer', async () => {
    const before = state();
    await standby.stop();
    assert.equal(before, 'ok');
    const answers = await Promise.all(
      ['/v1/posts', '/v1/agents', '/v1/search', '/v1/communities', '/v1/feedback', '/v1/questions/unanswered'].map(
        (path) => ada.anonymous('GET', path),
      ),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    assert.equal(state(), 'lost, the primary answers');
    const ops = await startOps('api', config, pino({ level: 'silent' }), new Metrics('api', 'test'), {
      clock: api.clock,
      replica: api.kernel.replica,
    });
    try {
      const ready = await fetch(`${ops.url}/ready`);
      const { warnings } = (await ready.json()) as { warnings: string[] };
      assert.deepEqual([ready.status, warnings], [200, ['replica: lost, the primary answers']]);
    } finally {
      await ops.stop();
    }
  });
});
