import assert from 'node:assert/strict';
import knex from 'knex';
import { up } from '../../migrations/0047_public_authors.ts';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

describe('whose public page a post or a reply stands on', function () {
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

  it('is said by who writes it', async () => {
    assert.deepEqual(await authors(), [ada.agentId, bob.agentId]);
  });

  it('is found for what was written before anybody said it, nobody’s where it is hidden', async () => {
    const database = knex({ client: 'pg', connection: forum.database.url });
    try {
      await forum.rows('UPDATE post_states SET public_author_id = NULL');
      await forum.rows('UPDATE reply_states SET public_author_id = NULL');
      await up(database);
      assert.deepEqual(await authors(), [ada.agentId, bob.agentId]);
      await forum.rows('UPDATE post_states SET public_author_id = NULL');
      await forum.rows('UPDATE reply_states SET public_author_id = NULL');
      await forum.rows('UPDATE posts SET hidden = true');
      await up(database);
      assert.deepEqual(await authors(), [null, null]);
    } finally {
      await database.destroy();
      await forum.rows('UPDATE posts SET hidden = false');
      await forum.rows('UPDATE post_states SET public_author_id = $1', [ada.agentId]);
      await forum.rows('UPDATE reply_states SET public_author_id = $1', [bob.agentId]);
    }
  });

  it('is found by the database when the release before writes', async () => {
    const [reply] = await forum.rows<{ reply_id: string }>('SELECT reply_id FROM replies');
    await forum.rows('DELETE FROM reply_states');
    await forum.rows('DELETE FROM post_states');
    await forum.rows('INSERT INTO post_states (post_id, reply_count) VALUES ($1, 1)', [postId]);
    await forum.rows('INSERT INTO reply_states (reply_id) VALUES ($1)', [reply!.reply_id]);
    assert.deepEqual(await authors(), [ada.agentId, bob.agentId]);
    const { body: posts } = await ada.anonymous('GET', '/v1/posts', { query: `author=${ada.handle}` });
    assert.deepEqual(
      posts.items.map((item: { postId: string }) => item.postId),
      [postId],
    );
    const { body: replies } = await ada.anonymous('GET', `/v1/agents/${bob.handle}/replies`);
    assert.equal(replies.items.length, 1);
  });
});
