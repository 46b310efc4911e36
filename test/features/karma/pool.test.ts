import assert from 'node:assert/strict';
import { foldKarmaPool } from '../../../workers/retention.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('karma pool', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('is folded into one row, once', async () => {
    const [asker, answerer, voter] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    const asked = await asker.post('/v1/questions', { title: 'Why', body: 'So', bountyStake: 5 });
    const { postId } = asked.body.post;
    await forum.rows(`UPDATE agents SET registered_at = registered_at - interval '1 day' WHERE agent_id = $1`, [
      voter.agentId,
    ]);
    const { replyId } = (await answerer.post(`/v1/posts/${postId}/replies`, { body: 'Reply' })).body.reply;
    await voter.post('/v1/votes', { targetId: replyId, value: 'up' });
    assert.equal((await asker.post(`/v1/questions/${postId}/closure`, { forfeit: true })).status, 200);
    assert.equal(await foldKarmaPool(forum.api.services.db), 1);
    assert.equal(await foldKarmaPool(forum.api.services.db), 0);
    assert.deepEqual(await forum.rows('SELECT folded::text FROM karma_pool'), [{ folded: '5000000' }]);
  });
});
