import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { migrateLatest } from '../../migrations/run.ts';
import { adviceOn } from '../../src/ops/redis.ts';
import { type Services, startServices } from '../../src/tools/dev/services.ts';
import { TestAgent } from '../support/agent.ts';
import { cacheDirectory, makeTestDirectory } from '../support/directories.ts';
import { stopAbandonedServices } from '../support/stopAbandonedServices.ts';
import { eventually } from '../support/waits.ts';
import { serve } from './support/mainJob.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';
import { Way } from './support/way.ts';

const TOLD = /Redis is not usable \(forbids [^\n]*grant its user/;
const POST = { title: 't', body: 'b' };

describe('a Redis that answers, and takes no writes', function () {
  this.timeout(60_000);
  let directory: string;
  let services: Services;
  let redis: Redis;
  let way: Way;
  let api: ServiceProcess;
  let ada: TestAgent;
  before(async () => {
    directory = await makeTestDirectory();
    services = await startServices({ directory, cacheDirectory, durable: false, log: () => undefined });
    await migrateLatest(services.databaseUrl);
    redis = new Redis(services.redisUrl);
    way = await Way.to(services.redisUrl);
    api = await startProcess('api', { DATABASE_URL: services.databaseUrl, REDIS_URL: way.url });
    ada = await new TestAgent(api.url).register(`agent-${randomBytes(6).toString('hex')}`);
  });
  after(async () => {
    await api?.end('SIGKILL');
    redis?.disconnect();
    way?.close();
    await services?.stop();
    await stopAbandonedServices(directory);
    await rm(directory, { recursive: true, force: true });
  });

  const ready = async () => {
    const answer = await fetch(`${api.opsUrl}/ready`);
    return [answer.status, ((await answer.json()) as { checks: { redis: string } }).checks.redis];
  };

  /** Creates a user of Redis with these rules and returns its address. */
  async function addressAs(user: string, ...rules: string[]): Promise<string> {
    await redis.acl('SETUSER', user, 'on', '>secret', '&*', ...rules);
    const url = new URL(services.redisUrl);
    Object.assign(url, { username: user, password: 'secret' });
    return url.href;
  }

  async function assertTold(words: string, cause: RegExp): Promise<void> {
    const answer = await ada.post('/v1/posts', POST);
    assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }]);
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
    assert.deepEqual(await ready(), [503, `unavailable: ${words}`]);
    await eventually(() => cause.test(api.output()));
  }

  async function assertWorks(): Promise<void> {
    await eventually(async () => (await ada.post('/v1/posts', POST)).status === 201);
    await eventually(async () => (await ready())[0] === 200);
    assert.deepEqual(await redis.keys('*ready*'), []);
  }

  it('because it is full: /ready says so, and the log', async () => {
    await assertWorks();
    await redis.config('SET', 'maxmemory', '1');
    await assertTold('is full', /"Redis: OOM command not allowed/);
    await redis.config('SET', 'maxmemory', '0');
    await assertWorks();
  });

  it('because it is a replica: likewise', async () => {
    await redis.replicaof('127.0.0.1', 1);
    await assertTold('is a replica', /"Redis: READONLY/);
    await redis.replicaof('NO', 'ONE');
    await assertWorks();
  });

  it('because a user may not run dangerous commands: start and /ready report it, and the advice is sufficient', async () => {
    const forbidden = {
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: await addressAs('safe', '~*', '+@all', '-@dangerous'),
    };
    const refused = await startProcess('api', forbidden);
    try {
      const answer = await fetch(`${refused.opsUrl}/ready`);
      const { checks } = (await answer.json()) as { checks: { redis: string } };
      assert.deepEqual([answer.status, checks.redis], [503, 'unavailable: forbids commands that the service needs']);
      await eventually(() => TOLD.test(refused.output()));
    } finally {
      await refused.end('SIGTERM');
    }
    await assert.rejects(startProcess('worker', forbidden), TOLD);

    const [, rules] = /grant its user at least (.*),/.exec(adviceOn('forbids'))!;
    const REDIS_URL = await addressAs('enough', ...rules!.split(' '));
    const served = await serve(services.databaseUrl, { DATABASE_URL: services.databaseUrl, REDIS_URL });
    try {
      const [asker, other] = await Promise.all(
        [1, 2].map(() => new TestAgent(served.url).register(`agent-${randomBytes(6).toString('hex')}`)),
      );
      const { body } = await asker!.post('/v1/posts', POST);
      await other!.post(`/v1/posts/${body.post.postId}/replies`, { body: 'b' });
      await eventually(async () => (await asker!.get('/v1/inbox', 'type=reply')).body.items.length === 1);
    } finally {
      await served.stop();
    }
  });

  it('because it was made a replica, and its address leads to another one: that is found without a restart', async () => {
    const other = await startServices({
      directory: join(directory, 'other'),
      cacheDirectory,
      databaseUrl: services.databaseUrl,
      durable: false,
      log: () => undefined,
    });
    try {
      const { password } = new URL(services.redisUrl);
      const heir = new Redis(other.redisUrl);
      await heir.config('SET', 'requirepass', decodeURIComponent(password));
      heir.disconnect();
      way.leadTo(other.redisUrl);
      await redis.replicaof('127.0.0.1', 1);
      await assertWorks();
    } finally {
      await other.stop();
    }
  });
});
