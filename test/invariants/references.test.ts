import assert from 'node:assert/strict';
import { REFERENCES, verifyReferences } from '../../src/ops/references.ts';
import { unprepared } from '../../src/platform/postgres/statement.ts';
import { reply, vote } from '../features/questions/support/scenes.ts';
import { startForum, type TestForum } from '../support/forum.ts';

/** Each breaks one reference of the rows that `before` has made: what is said of it, and the statement. */
const BROKEN: Readonly<Record<string, string>> = {
  'agent_id of agent_states': `INSERT INTO agent_states (agent_id) VALUES ('nobody')`,
  'author_id of posts': `UPDATE posts SET author_id = 'nobody'`,
  'community_slug of posts': `UPDATE posts SET community_slug = 'nowhere'`,
  'post_id of post_states': `INSERT INTO post_states (post_id, public_author_id) VALUES ('p_nothing', 'nobody')`,
  'author_id of replies': `UPDATE replies SET author_id = 'nobody'`,
  'post_id of replies': `UPDATE replies SET post_id = 'p_nothing'`,
  'parent_reply_id of replies': `UPDATE replies SET parent_reply_id = 'r_nothing' WHERE parent_reply_id IS NOT NULL`,
  'reply_id of reply_states': `INSERT INTO reply_states (reply_id, public_author_id) VALUES ('r_nothing', 'nobody')`,
  'agent_id of votes': `UPDATE votes SET agent_id = 'nobody'`,
  'slug of memberships': `UPDATE memberships SET slug = 'nowhere'`,
  'agent_id of write_receipts': `UPDATE write_receipts SET agent_id = 'nobody'`,
};

describe('what no foreign key holds', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    await ada.post('/v1/communities', { slug: 'here', displayName: 'Here', description: '', visibility: 'public' });
    await bob.post('/v1/communities/here/members', {});
    const { body } = await ada.post('/v1/posts', { title: 't', body: 'b', communitySlug: 'here' });
    const { postId } = body.post;
    const replyId = await reply(bob, postId);
    await ada.post(`/v1/posts/${postId}/replies`, { body: 'b', parentReplyId: replyId });
    await vote(bob, postId);
  });
  after(() => forum.stop());

  it('is broken here, each reference', () => {
    const listed = REFERENCES.map(([table, , column]) => `${column} of ${table}`);
    assert.deepEqual(Object.keys(BROKEN).toSorted(), listed.toSorted());
  });

  it('refers to what is there', async () => {
    const [rows] = await forum.rows<Record<string, number>>(
      `SELECT (SELECT count(*) FROM replies WHERE parent_reply_id IS NOT NULL)::integer AS nested,
              (SELECT count(*) FROM votes)::integer AS votes, (SELECT count(*) FROM memberships)::integer AS members`,
    );
    assert.deepEqual(rows, { nested: 1, votes: 1, members: 2 });
    assert.deepEqual(await forum.api.services.db.inTransaction(verifyReferences, { snapshot: true }), []);
  });

  for (const [number, [says, broken]] of Object.entries(BROKEN).entries())
    it(`or is found: ${says}`, async () => {
      class TakenBack extends Error {}
      const found: string[] = [];
      const breaking = forum.api.services.db.inTransaction(async (db) => {
        await db.query(unprepared(`test.broken.${number}`, broken));
        found.push(...(await verifyReferences(db)));
        throw new TakenBack();
      });
      await assert.rejects(breaking, TakenBack);
      assert.ok(found.length > 0);
      for (const problem of found)
        assert.match(problem, new RegExp(`^${says} .+ refers to a row that does not exist$`));
    });
});
