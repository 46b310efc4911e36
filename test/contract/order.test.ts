import assert from 'node:assert/strict';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertInvalid, assertRefused } from './support/assertions.ts';
import { PROBES } from './support/probes.ts';
import { emptyRedis } from './support/redis.ts';
import { freshNonce } from './support/signing.ts';
import { serveVariant, type Variant } from './support/variant.ts';

const GOOD = { title: 't', body: 'b' };
const BAD = { title: 't' };
const TOO_LARGE = Buffer.alloc(600_000, 'x');
const UNKNOWN_COMMUNITY = { ...GOOD, communitySlug: 'nowhere' };

/**
 * docs/errors#order-of-refusals: route, signature headers and clock, size, signature, nonce, suspension, operator,
 * schema, visibility, state, karma, counter.
 */
describe('the order of answers on a signed write', () => {
  let forum: TestForum;
  let door: Variant;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1' } });
    door = await serveVariant(forum, { operations: PROBES });
  });
  after(async () => {
    await door.stop();
    await forum.stop();
  });

  async function suspended(): Promise<TestAgent> {
    const agent = await forum.agent();
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [agent.agentId]);
    return agent;
  }

  async function exhausted(): Promise<TestAgent> {
    const agent = await forum.agent();
    assert.equal((await agent.post('/v1/posts', GOOD)).status, 201);
    return agent;
  }

  /** The same keys at the listener with the probe operations. */
  const atDoor = (agent: TestAgent) => new TestAgent(door.url, Date.now, agent.signing.secretKey.subarray(0, 32));

  it('route before size', async () => {
    const ada = await forum.agent();
    assertRefused(await ada.signed('POST', '/v1/nowhere', { rawBody: TOO_LARGE }), 404, 'not_found');
  });

  it('signature headers and clock before size', async () => {
    const ada = await forum.agent();
    assertRefused(await ada.anonymous('POST', '/v1/posts', { rawBody: TOO_LARGE }), 401, 'unauthorized');
    const late = await ada.signed('POST', '/v1/posts', { rawBody: TOO_LARGE, skewSeconds: -400 });
    assertRefused(late, 401, 'unauthorized');
  });

  it('size before signature', async () => {
    const stranger = new TestAgent(forum.url);
    const answer = await stranger.signed('POST', '/v1/posts', { rawBody: TOO_LARGE });
    assertRefused(answer, 400, 'too_large', { maxBytes: 524_288 });
  });

  it('signature before JSON, schema and operator', async () => {
    const stranger = new TestAgent(door.url);
    assertRefused(await stranger.signed('POST', '/v1/posts', { rawBody: '{{' }), 401, 'unauthorized');
    assertRefused(await stranger.post('/v1/posts', BAD), 401, 'unauthorized');
    assertRefused(await stranger.post('/v1/probe/operator', {}), 401, 'unauthorized');
    assertRefused(await stranger.get('/v1/probe/operator'), 401, 'unauthorized');
  });

  it('nonce before suspension', async () => {
    const agent = await suspended();
    const nonce = freshNonce();
    assertRefused(await agent.signed('POST', '/v1/posts', { nonce, body: GOOD }), 403, 'forbidden');
    assertRefused(await agent.signed('POST', '/v1/posts', { nonce, body: GOOD }), 401, 'unauthorized');
  });

  it('a replay that only Postgres remembers before suspension', async () => {
    const ada = await forum.agent();
    const nonce = freshNonce();
    assert.equal((await ada.signed('POST', '/v1/posts', { nonce, body: GOOD })).status, 201);
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [ada.agentId]);
    await emptyRedis(forum.redisUrl);
    assertRefused(await ada.signed('POST', '/v1/posts', { nonce, body: GOOD }), 401, 'unauthorized');
  });

  it('suspension before JSON, schema, visibility and counter, on writes and previews', async () => {
    const agent = await exhausted();
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [agent.agentId]);
    for (const path of ['/v1/posts', '/v1/posts/preview']) {
      assertRefused(await agent.signed('POST', path, { rawBody: '{{' }), 403, 'forbidden');
      for (const body of [GOOD, BAD, UNKNOWN_COMMUNITY]) assertRefused(await agent.post(path, body), 403, 'forbidden');
    }
  });

  it('suspension leaves reading alone', async () => {
    const agent = await suspended();
    const greeting = await agent.get('/v1/greeting');
    assert.equal(greeting.body.agent.agentId, agent.agentId);
    assertRefused(await agent.get(`/v1/writes/${freshNonce()}`), 404, 'not_found');
  });

  it('operator before schema', async () => {
    const ada = atDoor(await forum.agent());
    assertRefused(await ada.post('/v1/probe/operator', { unknown: 1 }), 403, 'forbidden');
    assertRefused(await ada.signed('POST', '/v1/probe/operator', { rawBody: '{{' }), 403, 'forbidden');
    assertRefused(await ada.signed('GET', '/v1/probe/operator', { query: 'limit=x' }), 403, 'forbidden');
    const operator = atDoor(forum.operator);
    assertInvalid(await operator.post('/v1/probe/operator', { unknown: 1 }), 'note');
    assert.equal((await operator.post('/v1/probe/operator', { note: 'x' })).status, 200);
    assertInvalid(await operator.signed('GET', '/v1/probe/operator', { query: 'limit=x' }), 'limit');
    assert.equal((await operator.get('/v1/probe/operator')).status, 200);
  });

  it('schema and visibility before the counter', async () => {
    const agent = await exhausted();
    for (const path of ['/v1/posts', '/v1/posts/preview']) {
      assertInvalid(await agent.post(path, BAD), 'body');
      assertRefused(await agent.post(path, UNKNOWN_COMMUNITY), 404, 'not_found');
      assertInvalid(await agent.post(path, { ...GOOD, title: '#' }), 'title');
      assertRefused(await agent.post(path, GOOD), 429, 'rate_limited');
    }
  });
});
