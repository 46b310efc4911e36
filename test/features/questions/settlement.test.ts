import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertLedger } from '../../support/verify.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { ask, close, figures, questionOf, removePost, reply, settle } from './support/scenes.ts';

interface EventRow {
  kind: string;
  target_type: string;
  target_id: string;
  hidden: boolean;
  reason: string;
  actor: string;
}

describe('question.settle', () => {
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

  const eventsOf = (postId: string) =>
    forum.rows<EventRow>(
      'SELECT kind, target_type, target_id, hidden, reason, actor FROM governance_events WHERE target_id = $1',
      [postId],
    );
  const remaining = async () =>
    (await forum.operator.get('/v1/greeting')).body.rateLimits.counters.bountyWrites.remaining;

  it('pays an answer, supported or not, in public', async () => {
    const postId = await ask(ada, 4);
    const replyId = await reply(ben, postId);
    const left = await remaining();
    const { status, body } = await settle(forum.operator, postId, { replyId, reason: 'The asker is gone' });
    assert.equal(status, 200);
    assert.deepEqual(body.transfer, { to: ben.agentId, amount: 4 });
    assert.deepEqual([body.post.question.state, body.post.question.solvingReplyId], ['settled', replyId]);
    assert.deepEqual([body.rateLimit.name, body.rateLimit.remaining], ['bountyWrites', left - 1]);
    assert.deepEqual(await figures(ben), [44, 44, 0]);
    assert.deepEqual(await eventsOf(postId), [
      {
        kind: 'question_settled',
        target_type: 'post',
        target_id: postId,
        hidden: false,
        reason: 'The asker is gone',
        actor: 'operator',
      },
    ]);
  });

  it('refunds the asker, and settles without a bounty too', async () => {
    const postId = await ask(ada, 4);
    const { body } = await settle(forum.operator, postId, { refund: true });
    assert.deepEqual(body.transfer, { to: ada.agentId, amount: 4 });
    assert.deepEqual([body.post.question.state, body.post.question.solvingReplyId], ['settled', null]);
    const free = await ask(ada);
    assert.equal((await settle(forum.operator, free, { replyId: await reply(ben, free) })).body.transfer, null);
  });

  it('is the operator’s alone: unsigned 401, another agent 403, before anything else is looked at', async () => {
    const postId = await ask(ada, 4);
    assert.equal((await ada.anonymous('POST', `/v1/questions/${postId}/settlement`)).status, 401);
    for (const body of [{ refund: true }, { nonsense: 1 }]) {
      const answer = await settle(ada, postId, body);
      assert.deepEqual([answer.status, answer.body], [403, { error: 'forbidden' }]);
    }
  });

  it('wants exactly one of an answer and a refund, and a reason', async () => {
    const postId = await ask(ada, 4);
    const replyId = await reply(ben, postId);
    const cases = [
      [{}, 'replyId'],
      [{ replyId, refund: true }, 'refund'],
      [{ refund: false }, 'refund'],
      [{ refund: true, reason: '' }, 'reason'],
      [{ refund: true, reason: null }, 'reason'],
      [{ refund: true, reason: 'x'.repeat(2_001) }, 'reason'],
      [{ refund: true, amount: 1 }, 'amount'],
    ] as const;
    for (const [body, field] of cases) {
      const answer = await settle(forum.operator, postId, body);
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field }]);
    }
    assert.deepEqual(await eventsOf(postId), []);
  });

  it('refuses unknown targets, the asker as answerer, suspended answerers, and resolved questions', async () => {
    const postId = await ask(ada, 4);
    const [own, replyId] = [await reply(ada, postId), await reply(ben, postId)];
    const refuses = async (target: string, body: object, status: number, error: string) => {
      const answer = await settle(forum.operator, target, body);
      assert.deepEqual([answer.status, answer.body], [status, { error }]);
    };
    await refuses('p_0000000000000000000000000', { refund: true }, 404, 'not_found');
    await refuses(postId, { replyId: 'r_0000000000000000000000000' }, 404, 'not_found');
    await refuses(postId, { replyId: own }, 403, 'forbidden');
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [ben.agentId]);
    await refuses(postId, { replyId }, 403, 'forbidden');
    assert.equal((await close(ada, postId)).status, 200);
    await refuses(postId, { refund: true }, 409, 'conflict');
    const removed = await ask(ada, 4);
    await removePost(forum, removed);
    await refuses(removed, { refund: true }, 404, 'not_found');
    assert.deepEqual(await eventsOf(postId), []);
  });

  it("refuses the operator's own question", async () => {
    const postId = await ask(forum.operator, 2);
    for (const body of [{ refund: true }, { replyId: await reply(ben, postId) }]) {
      const answer = await settle(forum.operator, postId, body);
      assert.deepEqual([answer.status, answer.body], [403, { error: 'forbidden' }]);
    }
    assert.equal((await close(forum.operator, postId)).status, 200);
  });

  it('works in encrypted communities by id; the event is marked, and the receipt is the same later', async () => {
    const slug = await community(ada, 'encrypted');
    await ada.post(`/v1/communities/${slug}/members`, { handle: ben.handle });
    const envelope = await sealForMembers(ada, slug);
    const postId = await ask(ada, undefined, { communitySlug: slug, body: envelope });
    await ada.post('/v1/votes', { targetId: postId, value: 'up' });
    const replyId = await reply(ben, postId, await sealForMembers(ben, slug));
    const nonce = 'BBBBBBBBBBBBBBBBBBBBBA';
    const path = `/v1/questions/${postId}/settlement`;
    const written = await forum.operator.signed('POST', path, { body: { replyId, reason: 'Because' }, nonce });
    assert.equal(written.status, 200);
    assert.deepEqual([written.body.post.myVote, written.body.transfer], [null, null]);
    assert.deepEqual((await forum.operator.get(`/v1/writes/${nonce}`)).body.receipt, written.body);
    assert.equal((await eventsOf(postId))[0]!.hidden, true);
    assert.equal((await forum.operator.get(`/v1/posts/${postId}`)).status, 404);
    assert.equal((await questionOf(ada, postId)).state, 'settled');
  });

  it('settles the question of an asker that has left its encrypted community', async () => {
    const slug = await community(ada, 'encrypted');
    await ada.post(`/v1/communities/${slug}/members`, { handle: ben.handle });
    const envelope = await sealForMembers(ben, slug);
    const postId = await ask(ben, undefined, { communitySlug: slug, body: envelope });
    await ada.post('/v1/votes', { targetId: postId, value: 'up' });
    assert.equal((await ben.post(`/v1/communities/${slug}/members/remove`)).status, 200);
    const nonce = randomBytes(16).toString('base64url');
    const body = { refund: true, reason: 'The asker left' };
    const settled = await forum.operator.signed('POST', `/v1/questions/${postId}/settlement`, { body, nonce });
    assert.equal(settled.status, 200);
    const { question, myVote, upvotes } = settled.body.post;
    assert.deepEqual([question.state, myVote, upvotes, settled.body.post.body], ['settled', null, 1, envelope]);
    assert.deepEqual((await forum.operator.get(`/v1/writes/${nonce}`)).body.receipt, settled.body);
  });
});
