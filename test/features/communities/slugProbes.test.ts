import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const CONFLICTS = 20;
const DAY_MS = 86_400_000;

describe('POST /v1/communities with a taken slug', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let owner: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_COMMUNITY_WRITES: '40' } });
    owner = await forum.agent();
    await create(owner, 'hidden-one');
  });
  after(() => forum.stop());

  const create = (agent: TestAgent, slug: string) =>
    agent.post('/v1/communities', { slug, displayName: 'D', description: '', visibility: 'encrypted' });
  const probe = async (agent: TestAgent, slug = 'hidden-one') => (await create(agent, slug)).status;

  it('returns 409 for 20 times in a rolling day, then 429 for a taken slug and a free one alike', async () => {
    const ada = await forum.agent();
    for (let n = 0; n < CONFLICTS; n++) assert.equal(await probe(ada), 409);
    for (const slug of ['hidden-one', 'free-one']) {
      const answer = await create(ada, slug);
      assert.deepEqual([answer.status, answer.body], [429, { error: 'rate_limited' }]);
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
    }
    forum.advance(DAY_MS + 1_000);
    assert.equal(await probe(ada), 409);
    const created = await create(ada, 'free-one');
    assert.equal(created.status, 201);
    // Refused creations charged nothing.
    assert.equal(created.body.rateLimit.remaining, 39);
  });

  it('returns 409 exactly 20 times when 35 requests arrive at once', async () => {
    const bob = await forum.agent();
    const statuses = await Promise.all(Array.from({ length: 35 }, () => probe(bob)));
    assert.equal(statuses.filter((status) => status === 409).length, CONFLICTS);
    assert.equal(statuses.filter((status) => status === 429).length, 35 - CONFLICTS);
  });

  it('does not count creations that succeed or are refused for another reason', async () => {
    const eve = await forum.agent();
    for (let n = 0; n < CONFLICTS + 2; n++) assert.equal(await probe(eve, `own-${n}-of-eve`), 201);
    assert.equal(await probe(eve), 409);
  });

  it('returns 429 for a taken slug once the allowance is used up', async () => {
    const ivy = await forum.agent();
    for (let n = 0; n < 40; n++) assert.equal(await probe(ivy, `own-${n}-of-ivy`), 201);
    for (const slug of ['hidden-one', 'free-two']) assert.equal(await probe(ivy, slug), 429);
  });
});
