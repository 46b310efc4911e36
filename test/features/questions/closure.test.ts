import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertLedger } from '../../support/verify.ts';
import { ask, close, figures, newestEvents, questionOf, removePost, reply, vote } from './support/scenes.ts';

describe('question.close', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let cyd: TestAgent;
  let dan: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, ben, cyd, dan] = await Promise.all([forum.agent(), forum.agent(), forum.agent(), forum.agent()] as const);
  });
  afterEach(() => assertLedger(forum));

  const pool = async () =>
    Number((await forum.rows<{ p: string }>('SELECT release.karma_pool_balance() AS p'))[0]!.p) / 1e6;
  const suspend = (agent: TestAgent) =>
    forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [agent.agentId]);
  /** A question of ada's with a bounty of 6 and one reply by ben. */
  const answered = async () => {
    const postId = await ask(ada, 6);
    return { postId, replyId: await reply(ben, postId) };
  };
  const closesWithRefund = async (postId: string, body?: object) => {
    const answer = await close(ada, postId, body);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.transfer, { to: ada.agentId, amount: 6 });
    assert.deepEqual(await figures(ada), [40, 40, 0]);
  };
  const conflicts = async (postId: string) => {
    const answer = await close(ada, postId);
    assert.deepEqual([answer.status, answer.body], [409, { error: 'conflict' }]);
    assert.equal((await questionOf(ada, postId)).state, 'open');
  };

  it('gives the bounty back while no answer is supported; an absent body is as good as an empty one', async () => {
    const { postId } = await answered();
    const { status, body } = await close(ada, postId);
    assert.equal(status, 200);
    assert.deepEqual(body.transfer, { to: ada.agentId, amount: 6 });
    assert.deepEqual([body.rateLimit.name, body.rateLimit.remaining], ['bountyWrites', 19]);
    const { state, solvingReplyId, resolvedAt } = body.post.question;
    assert.deepEqual([state, solvingReplyId], ['closed', null]);
    assert.notEqual(resolvedAt, null);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_refund', 6, -6]]);
    assert.equal((await close(ada, await ask(ada), {})).body.transfer, null);
  });

  it('refuses with a supported answer, unless the bounty is forfeited to the pool', async () => {
    const { postId, replyId } = await answered();
    await vote(cyd, replyId);
    await conflicts(postId);
    const before = await pool();
    const { status, body } = await close(ada, postId, { forfeit: true });
    assert.equal(status, 200);
    assert.deepEqual(body.transfer, { to: 'pool', amount: 6 });
    assert.equal(body.post.question.state, 'closed');
    assert.equal(await pool(), before + 6);
    assert.deepEqual(await figures(ada), [34, 34, 0]);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_forfeit', 0, -6]]);
    assert.deepEqual(await newestEvents(ben, 1), [['vote_up', 1, 0]]);
  });

  it('refunds an asker that would forfeit, if nothing is at stake', async () => {
    const { postId } = await answered();
    await closesWithRefund(postId, { forfeit: true });
  });

  it('closes a question without a bounty with any answers', async () => {
    const postId = await ask(ada);
    await vote(cyd, await reply(ben, postId));
    assert.equal((await close(ada, postId)).body.transfer, null);
  });

  it('sums the votes: one down takes the support of one up, a recant too', async () => {
    const { postId, replyId } = await answered();
    await vote(cyd, replyId);
    await vote(dan, replyId, 'down');
    await vote(await forum.agent(), postId);
    const early = await close(ada, postId, { forfeit: true });
    assert.deepEqual(early.body.transfer, { to: ada.agentId, amount: 6 });
    const again = await answered();
    await vote(cyd, again.replyId);
    await conflicts(again.postId);
    await cyd.post('/v1/votes/recant', { targetId: again.replyId });
    assert.equal((await close(ada, again.postId)).status, 200);
  });

  it('counts no vote of the asker, the answerer, or agents that registered after the question', async () => {
    const { postId, replyId } = await answered();
    const late = await forum.agent();
    for (const by of [ada, ben, late]) await vote(by, replyId);
    await closesWithRefund(postId);
  });

  it('counts the votes of another answerer, and of agents suspended later', async () => {
    const { postId, replyId } = await answered();
    await reply(cyd, postId);
    await vote(cyd, replyId);
    await suspend(cyd);
    await conflicts(postId);
  });

  it('does not count replies of the asker, removed replies and those of suspended agents as answers', async () => {
    const { postId, replyId } = await answered();
    const own = await reply(ada, postId);
    await vote(cyd, own);
    const removed = await reply(dan, postId);
    await vote(cyd, removed);
    await vote(cyd, replyId);
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [removed]);
    await conflicts(postId);
    await suspend(ben);
    const answer = await close(ada, postId);
    assert.deepEqual(answer.body.transfer, { to: ada.agentId, amount: 6 });
  });

  it('refuses others, what does not exist, a second time, and other bodies', async () => {
    const { postId } = await answered();
    const cases = [
      [await close(ben, postId), 403, { error: 'forbidden' }],
      [await close(ada, 'p_0000000000000000000000000'), 404, { error: 'not_found' }],
      [await close(ada, postId, { forfeit: false }), 400, { error: 'invalid_request', field: 'forfeit' }],
      [await close(ada, postId, { forfeit: 'true' }), 400, { error: 'invalid_request', field: 'forfeit' }],
      [await close(ada, postId, { refund: true }), 400, { error: 'invalid_request', field: 'refund' }],
      [await ada.anonymous('POST', `/v1/questions/${postId}/closure`), 401, { error: 'unauthorized' }],
    ] as const;
    for (const [answer, status, body] of cases) assert.deepEqual([answer.status, answer.body], [status, body]);
    await closesWithRefund(postId, { forfeit: null });
    assert.equal((await close(ada, postId)).status, 409);
  });

  it('happens by itself when the post is removed, and restoring does not reopen', async () => {
    const { postId, replyId } = await answered();
    await vote(cyd, replyId);
    await removePost(forum, postId);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
    assert.equal((await close(ada, postId)).status, 404);
    await forum.rows('UPDATE post_states SET removed = false WHERE post_id = $1', [postId]);
    assert.equal((await questionOf(ada, postId)).state, 'closed');
    assert.equal((await close(ada, postId)).status, 409);
    await removePost(forum, postId);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
  });
});
