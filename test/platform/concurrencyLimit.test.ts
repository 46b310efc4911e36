import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { ConcurrencyLimit } from '../../src/kernel/concurrencyLimit.ts';
import { PROBES } from '../contract/support/probes.ts';
import { serveVariant, type Variant } from '../contract/support/variant.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

/** More than the service can do is told at once, before anything is looked at. */
describe('the limit of requests under way', () => {
  let forum: TestForum;
  let variant: Variant;
  let ada: TestAgent;
  const limit = new ConcurrencyLimit({ writes: 2, others: 0, requests: 3 });
  before(async () => {
    forum = await startForum();
    variant = await serveVariant(forum, { operations: PROBES, concurrency: limit });
    const { signing } = await forum.agent();
    ada = new TestAgent(variant.url, Date.now, signing.secretKey.subarray(0, 32));
  });
  after(async () => {
    await variant.stop();
    await forum.stop();
  });

  const pausing = () => ada.post('/v1/probe', { outcome: 'pauseAfterStatement' });
  const full = () => eventually(async () => limit.usage.writes === 2);

  it('turns writes away while too many are under way, and lets reads in', async () => {
    const inside = [pausing(), pausing()];
    await full();
    const nonce = randomBytes(16).toString('base64url');
    const refused = await ada.signed('POST', '/v1/probe', { body: { outcome: 'accept' }, nonce });
    assert.deepEqual([refused.status, refused.body], [503, { error: 'unavailable' }]);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
    assert.equal((await ada.anonymous('GET', '/health/storage')).status, 200);
    for (const answer of await Promise.all(inside)) assert.equal(answer.status, 201);
    const later = await ada.signed('POST', '/v1/probe', { body: { outcome: 'accept' }, nonce });
    assert.equal(later.status, 201, 'the nonce was not spent');
    assert.equal(later.body.rateLimit.remaining, 200 - 3, 'and nothing was charged');
    assert.equal(limit.usage.turnedAway, 1);
  });

  it('leaves room for others beside an agent that has all the rest under way', async () => {
    const fair = await serveVariant(forum, {
      operations: PROBES,
      concurrency: new ConcurrencyLimit({ writes: 3, others: 1, requests: 9 }),
    });
    try {
      const [greedy, other] = [await forum.agent(), await forum.agent()].map(
        ({ signing }) => new TestAgent(fair.url, Date.now, signing.secretKey.subarray(0, 32)),
      ) as [TestAgent, TestAgent];
      const send = (agent: TestAgent) => agent.post('/v1/probe', { outcome: 'pauseAfterStatement' });
      const mine = await Promise.all(Array.from({ length: 3 }, () => send(greedy)));
      assert.deepEqual(mine.map(({ status }) => status).toSorted(), [201, 201, 503]);
      const both = await Promise.all([send(greedy), send(greedy), send(other)]);
      assert.deepEqual(
        both.map(({ status }) => status),
        [201, 201, 201],
      );
    } finally {
      await fair.stop();
    }
  });

  it('stands before MCP too', async () => {
    const inside = [pausing(), pausing()];
    await full();
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'vote', arguments: {} } };
    const { body, headers } = await ada.anonymous('POST', '/mcp', { body: message });
    assert.equal(body.result.isError, true);
    assert.deepEqual(JSON.parse(body.result.content[0].text), { error: 'unavailable' });
    assert.equal(headers.get('x-svc-retry-after'), '1');
    await Promise.all(inside);
  });

  it('counts everybody out again, whatever they were answered', async () => {
    await ada.post('/v1/probe', { outcome: 'refuse' });
    await ada.post('/v1/probe', { outcome: 'fail' });
    await ada.anonymous('GET', '/v1/posts', { query: 'limit=0' });
    assert.deepEqual([limit.usage.reads, limit.usage.writes], [0, 0]);
  });
});
