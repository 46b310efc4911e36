import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertRefused } from './support/assertions.ts';
import { freshNonce } from './support/signing.ts';

const GOOD = { title: 't', body: 'b' };
const LIMIT = 5;
const DEADLINE_MS = 20_000;
const DAY_MS = 86_400_000;

/** Charges of writes whose process died: reserved in Redis, and never a receipt (docs/limits#how-a-charge-is-made). */
describe('charges that no write stands for', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: String(LIMIT) } });
  });
  after(() => forum.stop());

  const admit = ({ agentId }: TestAgent, nonce: string, requestId: string) =>
    forum.api.kernel.gate.admit({
      agentId,
      nonce,
      requestId,
      nowMs: forum.api.clock.now(),
      counter: 'posts',
      spend: true,
      reserve: true,
    });
  async function reserve(agent: TestAgent, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const admitted = await admit(agent, freshNonce(), `request-${n}`);
      assert.ok(admitted?.reserved);
    }
  }
  const remaining = async (agent: TestAgent): Promise<number> =>
    (await agent.get('/v1/greeting')).body.rateLimits.counters.posts.remaining;
  const fence = async ({ agentId }: TestAgent): Promise<number> => {
    const [row] = await forum.rows<{ fence: number }>('SELECT fence FROM agent_states WHERE agent_id = $1', [agentId]);
    return row!.fence;
  };

  it('are shown by the greeting for 20 s at most', async () => {
    const ada = await forum.agent();
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    await reserve(ada, 2);
    assert.equal(await remaining(ada), LIMIT - 3);
    forum.advance(DEADLINE_MS + 1);
    assert.equal(await remaining(ada), LIMIT - 1);
    assert.equal((await ada.get('/v1/pulse')).body.you.counters.posts.remaining, LIMIT - 1);
  });

  it('send nobody away for more than 20 s, who then may write', async () => {
    const ada = await forum.agent();
    await ada.post('/v1/posts', GOOD);
    await reserve(ada, LIMIT - 1);
    for (const path of ['/v1/posts', '/v1/posts/preview']) {
      const refused = await ada.post(path, GOOD);
      assertRefused(refused, 429, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '20');
      const resetMs = Number(refused.headers.get('x-svc-ratelimit-reset')) * 1_000;
      assert.ok(resetMs <= forum.api.clock.now() + DEADLINE_MS + 1_000);
    }
    forum.advance(DEADLINE_MS + 1);
    const statuses = [];
    for (let n = 0; n < LIMIT; n++) statuses.push((await ada.post('/v1/posts', GOOD)).status);
    assert.deepEqual(statuses, [201, 201, 201, 201, 429]);
  });

  it('put off nobody beyond what an accepted write gives back sooner', async () => {
    const ada = await forum.agent();
    const soonMs = 10_000;
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    forum.advance(DAY_MS - soonMs);
    await reserve(ada, LIMIT - 1);
    const refused = await ada.post('/v1/posts', GOOD);
    assertRefused(refused, 429, 'rate_limited');
    assert.ok(Number(refused.headers.get('retry-after')) <= soonMs / 1_000, refused.headers.get('retry-after')!);
    forum.advance(soonMs);
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
  });

  it('are told from those of accepted writes without a rebuild of the log', async () => {
    const ada = await forum.agent();
    for (let n = 0; n < LIMIT; n++) await ada.post('/v1/posts', GOOD);
    const before = await fence(ada);
    for (let round = 0; round < 2; round++) {
      const refused = await ada.post('/v1/posts', GOOD);
      assertRefused(refused, 429, 'rate_limited');
      assert.ok(Number(refused.headers.get('retry-after')) > 86_000);
      assert.equal(await remaining(ada), 0);
      forum.advance(DEADLINE_MS + 1);
    }
    assert.equal(await fence(ada), before);
  });

  it('are taken back by the request that made them alone', async () => {
    const ada = await forum.agent();
    const nonce = freshNonce();
    assert.equal((await ada.signed('POST', '/v1/posts', { nonce, body: GOOD })).status, 201);
    await forum.api.kernel.gate.giveBack({
      agentId: ada.agentId,
      counter: 'posts',
      nonce,
      requestId: 'a request whose command was lost on its way',
    });
    assert.equal(await remaining(ada), LIMIT - 1);
  });

  it('neither end an agent’s writing when the process died between raising the fence and filling the log', async () => {
    const ada = await forum.agent();
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    await forum.rows('UPDATE agent_states SET fence = fence + 1 WHERE agent_id = $1', [ada.agentId]);
    const written = await ada.post('/v1/posts', GOOD);
    assert.deepEqual([written.status, written.body.rateLimit?.remaining], [201, LIMIT - 2]);
  });
});
