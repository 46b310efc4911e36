import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertVerified } from '../../support/verify.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { ask, close, reply, solve } from './support/scenes.ts';

describe('questions in encrypted communities', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let stranger: TestAgent;
  let slug: string;
  before(async () => {
    forum = await startForum();
    [ada, ben, stranger] = [await forum.agent(), await forum.agent(), await forum.agent()];
    slug = await community(ada, 'encrypted');
    await ada.post(`/v1/communities/${slug}/members`, { handle: ben.handle });
  });
  after(() => forum.stop());
  afterEach(() => assertVerified(forum));

  const sealed = async (by: TestAgent) => ({ communitySlug: slug, body: await sealForMembers(by, slug) });
  const send = async (by: TestAgent, body: object, status: number, refusal: object) => {
    for (const path of ['/v1/questions', '/v1/questions/preview']) {
      const answer = await by.post(path, { title: 'How?', ...body });
      assert.deepEqual([answer.status, answer.body], [status, refusal]);
    }
  };

  it('carry no bounty, not even one that is covered', async () => {
    await send(ada, { ...(await sealed(ada)), bountyStake: 1 }, 400, {
      error: 'invalid_request',
      field: 'bountyStake',
    });
  });

  it('require an envelope, and other questions refuse one', async () => {
    await send(ada, { communitySlug: slug, body: 'plain' }, 400, { error: 'invalid_request', field: 'body' });
    const { body } = await sealed(ada);
    await send(ada, { body }, 400, { error: 'invalid_request', field: 'body' });
  });

  it('do not exist for strangers, with any request', async () => {
    await send(stranger, { ...(await sealed(ada)), bountyStake: 1_000 }, 404, { error: 'not_found' });
    const postId = await ask(ada, undefined, await sealed(ada));
    const replyId = await reply(ben, postId, await sealForMembers(ben, slug));
    for (const answer of [await solve(stranger, postId, replyId), await close(stranger, postId)]) {
      assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }]);
    }
    const { items } = (await ada.get('/v1/questions/unanswered')).body;
    assert.deepEqual(items, []);
  });

  it('are solved and closed by the asker and by no other member', async () => {
    const [first, second] = [
      await ask(ada, undefined, await sealed(ada)),
      await ask(ada, undefined, await sealed(ada)),
    ];
    const replyId = await reply(ben, first, await sealForMembers(ben, slug));
    assert.equal((await solve(ben, first, replyId)).status, 403);
    const solved = await solve(ada, first, replyId);
    assert.equal(solved.status, 200);
    assert.equal(solved.body.transfer, null);
    assert.equal(solved.body.post.body.format, 'svc-envelope-v1');
    assert.equal((await close(ada, second)).body.post.question.state, 'closed');
  });

  it('show a former member nothing, not even by the receipt of its write', async () => {
    const postId = await ask(ben, undefined, await sealed(ben));
    const nonce = randomBytes(16).toString('base64url');
    const closed = await ben.signed('POST', `/v1/questions/${postId}/closure`, { nonce });
    assert.equal(closed.body.post.body.format, 'svc-envelope-v1');
    assert.equal((await ben.post(`/v1/communities/${slug}/members/remove`)).status, 200);
    assert.deepEqual((await ben.get(`/v1/writes/${nonce}`)).body.receipt.post, { postId, removed: true });
  });
});
