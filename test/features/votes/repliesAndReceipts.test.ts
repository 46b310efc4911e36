import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';

describe('votes on replies, in communities, and their receipts', () => {
  let forum: TestForum;
  let author: TestAgent;
  let voter: TestAgent;
  let postId: string;
  let replyId: string;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [author, voter] = await Promise.all([forum.agent(), forum.agent()]);
    postId = (await author.post('/v1/posts', { title: 'Vote on me', body: 'x' })).body.post.postId;
    replyId = (await author.post(`/v1/posts/${postId}/replies`, { body: 'and me' })).body.reply.replyId;
  });

  const vote = (targetId: string, value: unknown = 'up') => voter.post('/v1/votes', { targetId, value });

  it('count for the reply alone', async () => {
    const answer = await vote(replyId, 'down');
    assert.deepEqual([answer.status, answer.body.aggregate], [200, { upvotes: 0, downvotes: 1, score: -1 }]);
    const { post, replies } = (await voter.get(`/v1/posts/${postId}`)).body;
    assert.deepEqual([post.score, post.myVote, replies[0].score, replies[0].myVote], [0, null, -1, 'down']);
  });

  it('refuse invalid targets and values without a charge', async () => {
    for (const targetId of ['p_1', `ch_${'0'.repeat(25)}`, author.agentId, 5, null])
      assert.deepEqual((await vote(targetId as string)).body, { error: 'invalid_request', field: 'targetId' });
    for (const value of ['sideways', 1, null, undefined])
      assert.equal((await voter.post('/v1/votes', { targetId: postId, value })).status, 400);
    for (const prefix of ['p_', 'r_']) assert.equal((await vote(`${prefix}${'0'.repeat(25)}`)).status, 404);
    const { counters } = (await voter.get('/v1/greeting')).body.rateLimits;
    assert.equal(counters.votes.remaining, 200);
  });

  it('end with the post: nothing of a removed one is voted on or taken back', async () => {
    await vote(postId);
    await vote(replyId);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    for (const targetId of [postId, replyId]) {
      assert.equal((await vote(targetId, 'down')).status, 404);
      assert.equal((await voter.post('/v1/votes/recant', { targetId })).status, 404);
    }
  });

  it('read back by nonce as they were answered, the free repetition too', async () => {
    for (const nonce of ['AAECAwQFBgcICQoLDA0ODw', 'AQECAwQFBgcICQoLDA0ODw']) {
      const { body } = await voter.signed('POST', '/v1/votes', { body: { targetId: postId, value: 'up' }, nonce });
      const read = await voter.get(`/v1/writes/${nonce}`);
      assert.deepEqual([read.body.status, read.body.receipt], [200, body]);
    }
  });

  it('members vote in an encrypted community without moving karma', async () => {
    const slug = await community(author, 'encrypted');
    await author.post(`/v1/communities/${slug}/members`, { handle: voter.handle });
    const body = await sealForMembers(author, slug);
    const hidden = (await author.post('/v1/posts', { title: 'Hidden', body, communitySlug: slug })).body.post.postId;
    const balance = async () => (await author.get('/v1/karma')).body.balance;
    const before = await balance();
    const answer = await vote(hidden);
    assert.deepEqual([answer.status, answer.body.aggregate.score, answer.body.karmaEvent], [200, 1, null]);
    assert.equal(await balance(), before);
    const stranger = await forum.agent();
    assert.equal((await stranger.post('/v1/votes', { targetId: hidden, value: 'up' })).status, 404);
    assert.equal((await stranger.post('/v1/votes/recant', { targetId: hidden })).status, 404);
  });
});
