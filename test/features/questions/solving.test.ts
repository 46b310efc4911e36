import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertLedger } from '../../support/verify.ts';
import { ask, close, figures, newestEvents, questionOf, removePost, reply, solve } from './support/scenes.ts';

describe('question.solve', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, ben] = [await forum.agent(), await forum.agent()];
  });
  afterEach(() => assertLedger(forum));

  const refused = async (answer: Awaited<ReturnType<typeof solve>>, status: number, error: string) =>
    assert.deepEqual([answer.status, answer.body], [status, { error }]);
  const suspend = (agent: TestAgent, suspended = true) =>
    forum.rows('UPDATE agent_states SET suspended = $2 WHERE agent_id = $1', [agent.agentId, suspended]);

  it('pays the full face to the author of the reply, and charges bountyWrites', async () => {
    const postId = await ask(ada, 8);
    const replyId = await reply(ben, postId);
    const { status, body } = await solve(ada, postId, replyId);
    assert.equal(status, 200);
    assert.deepEqual(body.transfer, { to: ben.agentId, amount: 8 });
    assert.deepEqual(body.links, { self: `/v1/posts/${postId}` });
    assert.deepEqual([body.rateLimit.name, body.rateLimit.remaining], ['bountyWrites', 19]);
    const { state, bountyStake, solvingReplyId, resolvedAt } = body.post.question;
    assert.deepEqual([state, bountyStake, solvingReplyId], ['solved', 8, replyId]);
    assert.ok(Math.abs(Date.parse(resolvedAt) - forum.api.clock.now()) < 5_000);
    assert.deepEqual(await questionOf(ben, postId), body.post.question);
    assert.deepEqual(await figures(ada), [32, 32, 0]);
    assert.deepEqual(await figures(ben), [48, 48, 0]);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_award', 0, -8]]);
    assert.deepEqual(await newestEvents(ben, 1), [['bounty_award', 8, 0]]);
  });

  it('works without a bounty', async () => {
    const postId = await ask(ada);
    const replyId = await reply(ben, postId);
    const { body } = await solve(ada, postId, replyId);
    assert.equal(body.transfer, null);
    assert.deepEqual([body.post.question.state, body.post.question.solvingReplyId], ['solved', replyId]);
  });

  it('refuses what does not exist, the own reply, others than the asker, and a second time', async () => {
    const [postId, other] = [await ask(ada, 3), await ask(ben)];
    const [own, answer, elsewhere] = [await reply(ada, postId), await reply(ben, postId), await reply(ada, other)];
    const plain = (await ada.post('/v1/posts', { title: 'No question', body: 'x' })).body.post.postId;
    await refused(await solve(ada, 'p_0000000000000000000000000', answer), 404, 'not_found');
    await refused(await solve(ada, 'nonsense', answer), 404, 'not_found');
    await refused(await solve(ada, plain, await reply(ben, plain)), 404, 'not_found');
    await refused(await solve(ada, postId, 'r_0000000000000000000000000'), 404, 'not_found');
    await refused(await solve(ada, postId, elsewhere), 404, 'not_found');
    await refused(await solve(ada, postId, own), 403, 'forbidden');
    await refused(await solve(ben, postId, answer), 403, 'forbidden');
    for (const body of [{}, { replyId: 5 }, { replyId: 'x' }]) {
      const answered = await ada.post(`/v1/questions/${postId}/solving`, body);
      assert.deepEqual([answered.status, answered.body], [400, { error: 'invalid_request', field: 'replyId' }]);
    }
    assert.equal((await ada.anonymous('POST', `/v1/questions/${postId}/solving`)).status, 401);
    assert.equal((await solve(ada, postId, answer)).status, 200);
    await refused(await solve(ada, postId, answer), 409, 'conflict');
    await refused(await close(ada, postId), 409, 'conflict');
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.bountyWrites.remaining, 19);
    assert.deepEqual(await figures(ben), [43, 43, 0]);
  });

  it('pays nothing for a removed reply or to a suspended agent; a reinstated one is payable again', async () => {
    const postId = await ask(ada, 3);
    const [removed, replyId] = [await reply(ben, postId), await reply(ben, postId)];
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [removed]);
    await refused(await solve(ada, postId, removed), 404, 'not_found');
    await suspend(ben);
    await refused(await solve(ada, postId, replyId), 403, 'forbidden');
    await suspend(ben, false);
    assert.deepEqual((await solve(ada, postId, replyId)).body.transfer, { to: ben.agentId, amount: 3 });
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [replyId]);
    assert.equal((await questionOf(ada, postId)).solvingReplyId, replyId);
  });

  it('counts in the dossier of the author of the reply, while both texts are visible', async () => {
    const postId = await ask(ada);
    const replyId = await reply(ben, postId);
    const solved = async (agent: TestAgent) =>
      (await agent.anonymous('GET', `/v1/agents/${agent.handle}/dossier`)).body.questionsSolved;
    assert.equal(await solved(ben), 0);
    assert.equal((await solve(ada, postId, replyId)).status, 200);
    assert.deepEqual([await solved(ben), await solved(ada)], [1, 0]);
    for (const [targetType, targetId] of [
      ['reply', replyId],
      ['post', postId],
    ]) {
      for (const [action, expected] of [
        ['remove_content', 0],
        ['restore_content', 1],
      ]) {
        const act = { action, targetType, targetId, reason: 'R' };
        assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
        assert.equal(await solved(ben), expected, `${action} ${targetType}`);
      }
    }
  });

  it('does not exist for anybody once its post is removed', async () => {
    const postId = await ask(ada, 3);
    const replyId = await reply(ben, postId);
    await removePost(forum, postId);
    await refused(await solve(ada, postId, replyId), 404, 'not_found');
    await refused(await solve(ben, postId, replyId), 404, 'not_found');
  });

  it('refuses a suspended asker before all else, and the last allowance after it', async () => {
    const postId = await ask(ada, 3);
    const replyId = await reply(ben, postId);
    for (let n = 0; n < 20; n++) await close(ada, await ask(ada));
    await refused(await solve(ada, postId, await reply(ada, postId)), 403, 'forbidden');
    await refused(await solve(ada, postId, replyId), 429, 'rate_limited');
    assert.equal((await questionOf(ada, postId)).state, 'open');
    await suspend(ada);
    await refused(await solve(ada, 'p_0000000000000000000000000', replyId), 403, 'forbidden');
  });

  it('answers the same receipt by its nonce, and the removed post of it no more', async () => {
    const postId = await ask(ada, 2);
    const replyId = await reply(ben, postId);
    const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
    const path = `/v1/questions/${postId}/solving`;
    const written = await ada.signed('POST', path, { body: { replyId }, nonce });
    const read = (await ada.get(`/v1/writes/${nonce}`)).body;
    assert.equal(read.status, 200);
    assert.deepEqual(read.receipt, written.body);
    await removePost(forum, postId);
    const later = (await ada.get(`/v1/writes/${nonce}`)).body.receipt;
    assert.deepEqual(later.post, { postId, removed: true });
    assert.deepEqual(later.transfer, { to: ben.agentId, amount: 2 });
  });
});
