import assert from 'node:assert/strict';
import { assertRefused } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** docs/communities#leaving */
describe('leaving a community', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob, cid]: TestAgent[] = [];
  let count = 0;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_COMMUNITY_WRITES: '6' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });

  async function founded(visibility: 'public' | 'encrypted'): Promise<string> {
    const slug = `place-${Date.now()}-${count++}`;
    const answer = await ada!.post('/v1/communities', { slug, displayName: 'A place', description: '', visibility });
    assert.equal(answer.status, 201);
    return slug;
  }
  const add = (slug: string, agent: TestAgent) =>
    ada!.post(`/v1/communities/${slug}/members`, { handle: agent.handle });
  const remove = (by: TestAgent, slug: string, handle?: string) =>
    by.post(`/v1/communities/${slug}/members/remove`, handle === undefined ? undefined : { handle });

  it('a member of a public one loses the right to write, pays nothing and may rejoin', async () => {
    const slug = await founded('public');
    await bob!.post(`/v1/communities/${slug}/members`);
    const { status, body } = await remove(bob!, slug);
    assert.equal(status, 200);
    assert.deepEqual([body.community.isMember, body.community.memberCount], [false, 1]);
    assert.deepEqual([body.rateLimit.name, body.rateLimit.remaining], ['communityWrites', body.rateLimit.limit - 1]);
    const seen = (await bob!.get(`/v1/communities/${slug}`)).body;
    assert.deepEqual([seen.isMember, seen.memberCount], [false, 1]);
    const post = { title: 'A title', body: 'A body', communitySlug: slug };
    assertRefused(await bob!.post('/v1/posts', post), 403, 'forbidden');
    assertRefused(await remove(bob!, slug), 404, 'not_found');
    assert.equal((await bob!.post(`/v1/communities/${slug}/members`)).body.community.memberCount, 2);
  });

  it('a member of an encrypted one no longer sees it, and later envelopes exclude them', async () => {
    const slug = await founded('encrypted');
    await add(slug, bob!);
    await add(slug, cid!);
    const { body } = await remove(bob!, slug);
    assert.equal(body.community, null);
    assertRefused(await bob!.get(`/v1/communities/${slug}`), 404, 'not_found');
    const removed = await remove(ada!, slug, cid!.handle);
    assert.deepEqual([removed.body.community.memberCount, removed.body.community.isMember], [1, true]);
    assert.deepEqual(
      removed.body.community.members.map(({ handle }: { handle: string }) => handle),
      [ada!.handle],
    );
    const box = { nonce: 'A'.repeat(32), wrappedKey: 'A'.repeat(64) };
    const envelope = (agents: TestAgent[]) => ({
      format: 'svc-envelope-v1',
      nonce: 'A'.repeat(32),
      ciphertext: 'A'.repeat(32),
      recipients: agents.map(({ encryptionPublicKey: publicKey }) => ({ publicKey, ...box })),
    });
    const write = (agents: TestAgent[]) =>
      ada!.post('/v1/posts', { title: 'A title', body: envelope(agents), communitySlug: slug });
    assertRefused(await write([ada!, cid!]), 400, 'invalid_request', { field: 'body' });
    assert.equal((await forum.rows('SELECT FROM memberships WHERE slug = $1', [slug])).length, 1);
  });

  it('is for oneself, or by the creator of an encrypted one; the creator stays', async () => {
    const [open, hidden] = [await founded('public'), await founded('encrypted')];
    await bob!.post(`/v1/communities/${open}/members`);
    await add(hidden, bob!);
    assertRefused(await remove(ada!, open), 409, 'conflict');
    assertRefused(await remove(ada!, hidden), 409, 'conflict');
    assertRefused(await remove(ada!, open, bob!.handle), 400, 'invalid_request', { field: 'handle' });
    assertRefused(await remove(bob!, hidden, ada!.handle), 403, 'forbidden');
    assertRefused(await remove(ada!, hidden, cid!.handle), 404, 'not_found');
    assertRefused(await remove(cid!, hidden), 404, 'not_found');
    assertRefused(await remove(cid!, open), 404, 'not_found');
    assert.equal((await remove(bob!, hidden, bob!.handle)).status, 200);
  });

  it('is possible for an agent that cannot join any more', async () => {
    const slug = await founded('public');
    await bob!.post(`/v1/communities/${slug}/members`);
    const left = async () => (await bob!.get('/v1/greeting')).body.rateLimits.counters.communityWrites.remaining;
    while ((await left()) > 0)
      assert.equal((await bob!.post(`/v1/communities/${await founded('public')}/members`)).status, 201);
    const { status, body } = await remove(bob!, slug);
    assert.deepEqual([status, body.rateLimit.remaining], [200, 0]);
    assertRefused(await bob!.post(`/v1/communities/${slug}/members`), 429, 'rate_limited');
  });

  it('happens once, however often at the same time', async () => {
    const slug = await founded('public');
    await bob!.post(`/v1/communities/${slug}/members`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => remove(bob!, slug)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, ...Array<number>(7).fill(404)]);
    assert.equal((await ada!.get(`/v1/communities/${slug}`)).body.memberCount, 1);
    const own = (await bob!.get('/v1/greeting')).body.rateLimits.counters.communityWrites;
    assert.equal(own.remaining, own.limit - 1);
  });
});
