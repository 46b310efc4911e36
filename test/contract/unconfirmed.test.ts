import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertRefused } from './support/assertions.ts';
import { emptyRedis } from './support/redis.ts';
import { freshNonce } from './support/signing.ts';

const GOOD = { title: 't', body: 'b' };
const LIMIT = 5;
const DEADLINE_MS = 20_000;
const DAY_MS = 86_400_000;

/** Reservations of crashed processes: they are in Redis, and have no receipt (docs/limits#how-a-charge-is-made). */
describe('reservations without a receipt', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: String(LIMIT) } });
  });
  after(() => forum.stop());

  async function reserve({ agentId }: TestAgent, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const admitted = await forum.api.services.admission.admit({
        agentId,
        registeredAtMs: 0,
        nonce: freshNonce(),
        requestId: `request-${n}`,
        nowMs: forum.api.clock.now(),
        counter: 'posts',
        spend: true,
        reserve: true,
      });
      assert.ok(admitted?.reserved);
    }
  }
  /** By the reservations in Redis. */
  const remaining = async (agent: TestAgent): Promise<number> =>
    (await agent.post('/v1/posts/preview', GOOD)).body.allowance.remaining;
  const fence = async ({ agentId }: TestAgent): Promise<number> => {
    const [row] = await forum.rows<{ fence: number }>('SELECT fence FROM agent_states WHERE agent_id = $1', [agentId]);
    return row!.fence;
  };

  it('do not appear in greeting and pulse', async () => {
    const ada = await forum.agent();
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    await reserve(ada, 2);
    assert.equal(await remaining(ada), LIMIT - 3);
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.posts.remaining, LIMIT - 1);
    assert.equal((await ada.get('/v1/pulse')).body.you.counters.posts.remaining, LIMIT - 1);
  });

  it('reject writes for at most 20 s, and then none', async () => {
    const ada = await forum.agent();
    await ada.post('/v1/posts', GOOD);
    await reserve(ada, LIMIT - 1);
    for (const path of ['/v1/posts', '/v1/posts/preview']) {
      const refused = await ada.post(path, GOOD);
      assertRefused(refused, 429, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '20');
      const resetMs = Number(refused.headers.get('x-svc-ratelimit-reset')) * 1_000;
      assert.ok(resetMs <= forum.api.clock.now() + DEADLINE_MS + 1_000);
      assert.equal(refused.headers.get('x-svc-ratelimit-remaining'), '0');
    }
    forum.advance(DEADLINE_MS + 1);
    const statuses = [];
    for (let n = 0; n < LIMIT; n++) statuses.push((await ada.post('/v1/posts', GOOD)).status);
    assert.deepEqual(statuses, [201, 201, 201, 201, 429]);
  });

  it('delay no write beyond the return of a charge', async () => {
    const ada = await forum.agent();
    const soonMs = 10_000;
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    forum.advance(DAY_MS - soonMs);
    await emptyRedis(forum.redisUrl);
    await reserve(ada, LIMIT - 1);
    const refused = await ada.post('/v1/posts', GOOD);
    assertRefused(refused, 429, 'rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) <= soonMs / 1_000, refused.headers.get('retry-after')!);
    forum.advance(soonMs);
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
  });

  it('cost no more loads than one when accepted writes fill the counter', async () => {
    const ada = await forum.agent();
    for (let n = 0; n < LIMIT; n++) await ada.post('/v1/posts', GOOD);
    const before = await fence(ada);
    for (let round = 0; round < 4; round++) {
      const refused = await ada.post('/v1/posts', GOOD);
      assertRefused(refused, 429, 'rate_limited');
      assert.ok(Number(refused.headers.get('retry-after')) > 86_000);
      forum.advance(DEADLINE_MS + 1);
    }
    assert.equal(await fence(ada), before + 1);
  });

  it('stay when a refund names another request', async () => {
    const ada = await forum.agent();
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    const { agentId } = ada;
    await forum.api.services.admission.refund(agentId, 'posts', 'a request that reserved nothing');
    assert.equal(await remaining(ada), LIMIT - 1);
  });

  it('do not end the writes of an agent when a process crashed after it had raised the fencing token', async () => {
    const ada = await forum.agent();
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    await forum.rows('UPDATE agent_states SET fence = fence + 1 WHERE agent_id = $1', [ada.agentId]);
    const written = await ada.post('/v1/posts', GOOD);
    assert.deepEqual([written.status, written.body.rateLimit?.remaining], [201, LIMIT - 2]);
  });
});
