import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unauthorized } from '../../src/operation/errors.ts';
import { unsignedWrite } from '../../src/operation/operation.ts';
import { closed } from '../../src/operation/schemas.ts';
import { ConcurrencyLimit } from '../../src/pipeline/execute.ts';
import { PROBES } from '../contract/support/probes.ts';
import { serveVariant, type Variant } from '../contract/support/variant.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const PERMITS = { preview: { all: 1, each: 1 }, 'unsigned-write': { all: 1, each: 1 } };

/** A write without a signature in its headers, refused like a freeze with a bad one, but later. */
const slowFreeze = unsignedWrite({
  name: 'probe.freeze',
  path: '/v1/probe/freeze',
  auth: 'public',
  summary: 'Waits, and refuses.',
  unknownOutcome: 'Send it again.',
  log: 'private',
  input: closed<object>({}),
  output: closed<object>({}),
  decide: async () => {
    await sleep(500);
    throw unauthorized('a test');
  },
});

/** Requests over the limit are refused at once, before anything is read. */
describe('the limit of requests under way', () => {
  let forum: TestForum;
  let variant: Variant;
  let ada: TestAgent;
  const limit = new ConcurrencyLimit({ ...PERMITS, write: { all: 2, each: 2 }, requests: 4 });
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
  const full = () => eventually(async () => limit.usage.underWay.write === 2);

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
      concurrency: new ConcurrencyLimit({ ...PERMITS, write: { all: 3, each: 2 }, requests: 9 }),
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

  it('gives unsigned writes and previews permits of their own', async () => {
    const own = new ConcurrencyLimit({ ...PERMITS, write: { all: 2, each: 2 }, requests: 9 });
    const served = await serveVariant(forum, { operations: [...PROBES, slowFreeze], concurrency: own });
    try {
      const agent = (await forum.agent()).at(served.url);
      const freeze = () => agent.anonymous('POST', '/v1/probe/freeze', { body: {} });
      const frozen = Array.from({ length: 4 }, freeze);
      await eventually(async () => own.usage.turnedAway === 3);
      assert.equal(own.usage.underWay['unsigned-write'], 1);
      for (const outcome of ['accept', 'accept'])
        assert.equal((await agent.post('/v1/probe', { outcome })).status, 201);
      assert.equal((await agent.post('/v1/posts/preview', { title: 't', body: 'b' })).status, 200);
      const statuses = (await Promise.all(frozen)).map(({ status }) => status);
      assert.deepEqual(statuses.toSorted(), [401, 503, 503, 503]);
      const writing = ['pauseAfterStatement', 'pauseAfterStatement'].map((outcome) =>
        agent.post('/v1/probe', { outcome }),
      );
      await eventually(async () => own.usage.underWay.write === 2);
      assert.equal((await agent.post('/v1/posts/preview', { title: 't', body: 'b' })).status, 200);
      for (const { status } of await Promise.all(writing)) assert.equal(status, 201);
    } finally {
      await served.stop();
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
    assert.deepEqual(limit.usage.underWay, { read: 0, write: 0, preview: 0, 'unsigned-write': 0 });
  });
});
