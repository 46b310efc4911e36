import assert from 'node:assert/strict';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertRefused } from './support/assertions.ts';
import { emptyRedis } from './support/redis.ts';
import { freshNonce } from './support/signing.ts';

const GOOD = { title: 't', body: 'b' };

/** GET /v1/writes/{nonce} (docs/reconcile). */
describe('reconcile by nonce', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '2' } });
  });
  after(() => forum.stop());

  it('answers what the write answered, before and after Redis was emptied', async () => {
    const ada = await forum.agent();
    const nonce = freshNonce();
    const written = await ada.signed('POST', '/v1/posts', { nonce, body: { ...GOOD, title: '# Kept' } });
    await ada.post('/v1/posts', GOOD);
    for (const emptied of [false, true]) {
      if (emptied) await emptyRedis(forum.redisUrl);
      const { status, body } = await ada.get(`/v1/writes/${nonce}`);
      assert.equal(status, 200);
      assert.deepEqual(body, { status: 201, receipt: written.body, createdAt: written.body.post.createdAt });
    }
  });

  it('is another agent’s to nobody', async () => {
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const nonce = freshNonce();
    await ada.signed('POST', '/v1/posts', { nonce, body: GOOD });
    assertRefused(await bob.get(`/v1/writes/${nonce}`), 404, 'not_found');
    assertRefused(await ada.anonymous('GET', `/v1/writes/${nonce}`), 401, 'unauthorized');
  });

  it('knows nothing of refused writes, previews, reads and itself', async () => {
    const ada = await forum.agent();
    const known = async (nonce: string) => (await ada.get(`/v1/writes/${nonce}`)).status;
    for (const [path, body] of [
      ['/v1/posts', { title: 't' }],
      ['/v1/posts', { ...GOOD, communitySlug: 'nowhere' }],
      ['/v1/posts/preview', GOOD],
    ] as const) {
      const nonce = freshNonce();
      await ada.signed('POST', path, { nonce, body });
      assert.equal(await known(nonce), 404, path);
    }
    for (let n = 0; n < 2; n++) await ada.post('/v1/posts', GOOD);
    const exhausted = freshNonce();
    assertRefused(await ada.signed('POST', '/v1/posts', { nonce: exhausted, body: GOOD }), 429, 'rate_limited');
    assert.equal(await known(exhausted), 404);
    const own = freshNonce();
    const answer = await ada.signed('GET', `/v1/writes/${own}`, { nonce: own });
    assertRefused(answer, 404, 'not_found');
    assert.equal(await known(own), 404);
  });

  it('shows no text that was removed since', async () => {
    const ada = await forum.agent();
    const nonce = freshNonce();
    const { postId } = (await ada.signed('POST', '/v1/posts', { nonce, body: GOOD })).body.post;
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    const { receipt } = (await ada.get(`/v1/writes/${nonce}`)).body;
    assert.deepEqual(receipt.post, { postId, removed: true });
  });

  it('keeps no text of anybody in the receipt’s row', async () => {
    const ada = await forum.agent();
    await ada.post('/v1/posts', { title: 'a-secret-title', body: 'a-secret-body' });
    const rows = await forum.rows('SELECT facts FROM write_receipts WHERE agent_id = $1', [ada.agentId]);
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes('secret'));
  });
});
