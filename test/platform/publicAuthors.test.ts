import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

describe('the public author of a post or a reply', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum();
    [ada, bob] = [await forum.agent(), await forum.agent()];
    postId = (await ada.post('/v1/posts', { title: 'One', body: 'x' })).body.post.postId;
    await bob.post(`/v1/posts/${postId}/replies`, { body: 'y' });
  });
  after(() => forum.stop());

  const authors = async () =>
    (
      await forum.rows<{ author: string | null }>(
        `SELECT public_author_id AS author FROM post_states UNION ALL SELECT public_author_id FROM reply_states`,
      )
    ).map(({ author }) => author);

  it('is stored with the post or reply', async () => {
    assert.deepEqual(await authors(), [ada.agentId, bob.agentId]);
  });
});
