import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type Answer, TestAgent } from '../support/agent.ts';
import { eventually } from '../support/waits.ts';
import { killOutright } from '../tools/dev/support/servers.ts';
import { LosableServers } from './support/losableServers.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';

const POST = { title: 't', body: 'b' };
const NONCE = randomBytes(16).toString('base64url');

describe('an API that starts without Redis', function () {
  this.timeout(60_000);
  let servers: LosableServers;
  let api: ServiceProcess;
  let ada: TestAgent;
  let remaining: number;
  before(async () => {
    servers = await LosableServers.start();
    const former = await startProcess('api', servers.env);
    const seed = randomBytes(32);
    const before = await new TestAgent(former.url, Date.now, seed).register(`agent-${randomBytes(6).toString('hex')}`);
    const written = await before.signed('POST', '/v1/posts', { body: POST, nonce: NONCE });
    assert.equal(written.status, 201);
    remaining = written.body.rateLimit.remaining;
    await former.end('SIGTERM');
    await killOutright((await servers.pids()).redis);
    api = await startProcess('api', servers.env);
    ada = new TestAgent(api.url, Date.now, seed);
  });
  after(async () => {
    await api?.end('SIGKILL');
    await servers.stop();
  });

  const repeat = (): Promise<Answer> => ada.signed('POST', '/v1/posts', { body: POST, nonce: NONCE });
  const ready = async () => {
    const answer = await fetch(`${api.opsUrl}/ready`);
    return [answer.status, ((await answer.json()) as { checks: { redis: string } }).checks.redis];
  };

  it('serves reads, answers writes with 503, and says so', async () => {
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
    const { body } = await ada.get('/v1/greeting');
    assert.equal(body.agent.agentId, ada.agentId);
    assert.equal(body.rateLimits.counters.posts.remaining, remaining);
    for (const answer of [
      await ada.post('/v1/posts', POST),
      await ada.post('/v1/posts/preview', POST),
      await repeat(),
    ]) {
      assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }]);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    assert.deepEqual(await ready(), [503, 'unavailable: connection refused']);
    const metrics = await (await fetch(`${api.opsUrl}/metrics`)).text();
    assert.match(metrics, /^forum_backlog_up\{source="redis"\} 0$/m);
    await eventually(() => /Redis is not usable \(connection refused\), so writes return 503/.test(api.output()));
    const { password } = new URL(servers.redisUrl);
    assert.ok(!api.output().includes(password), api.output());
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
    const next = await ada.post('/v1/posts', POST);
    assert.deepEqual([next.status, next.body.rateLimit.remaining], [201, remaining - 1]);
    assert.equal((await repeat()).status, 401);
    await eventually(async () => {
      const metrics = await (await fetch(`${api.opsUrl}/metrics`)).text();
      return /^forum_backlog_up\{source="redis"\} 1$/m.test(metrics);
    });
    await eventually(() => /Redis is usable now/.test(api.output()));
  });
});
