import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { exchange } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const MAX_BYTES = 262_144;
const REPLIES = 34;

/** docs/posts#replies */
describe('GET /v1/posts/{postId} with long replies', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let path: string;
  const replyIds: string[] = [];
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: '\u0001'.repeat(20_000) })).body.post;
    path = `/v1/posts/${postId}`;
    for (let n = 0; n < REPLIES; n++) {
      // In JSON of one, two, four and six bytes a character.
      const body = ['x', '"', '𝄞', '\u0002'][n % 4]!.repeat(10_000);
      replyIds.push((await ada.post(`${path}/replies`, { body })).body.reply.replyId);
    }
  });
  after(() => forum.stop());

  const read = async (query: string) => {
    const { status, text } = await exchange(`${forum.url}${path}?${query}`);
    assert.equal(status, 200, text);
    assert.ok(Buffer.byteLength(text) <= MAX_BYTES, `${Buffer.byteLength(text)} bytes`);
    return JSON.parse(text) as { replies: { replyId: string }[]; nextReplyCursor?: string; resumeCursor: string };
  };

  for (const order of ['oldest', 'newest']) {
    it(`ends pages at 256 KiB and shows each reply once, ${order} first`, async () => {
      const shown: string[] = [];
      const sizes: number[] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const page = await read(`order=${order}&limit=100${cursor && `&cursor=${cursor}`}`);
        assert.ok(page.replies.length > 0);
        sizes.push(page.replies.length);
        shown.push(...page.replies.map(({ replyId }) => replyId));
        cursor = page.nextReplyCursor;
      }
      assert.deepEqual(shown, order === 'oldest' ? replyIds : replyIds.toReversed());
      assert.ok(sizes.length > 4, sizes.join());
    });
  }

  it('resumes behind the last reply of a page that ended early', async () => {
    const first = await read('limit=100');
    assert.ok(first.replies.length < REPLIES && first.nextReplyCursor !== undefined);
    const next = await read(`limit=100&cursor=${first.resumeCursor}`);
    assert.equal(next.replies[0]!.replyId, replyIds[first.replies.length]);
  });

  it('keeps its pages for later readers', async () => {
    const pages = [];
    for (let n = 0; n < 4; n++) pages.push(await read('limit=100'));
    for (const page of pages) assert.deepEqual(page, pages[0]);
    assert.ok(forum.api.services.cache.bytes > 200_000);
  });
});
