import assert from 'node:assert/strict';
import type { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { assertVerified } from '../../../support/verify.ts';
import { seal } from '../../communities/support/envelopes.ts';
import { ask, close, figures, newestEvents, questionOf, reply, solve, vote } from '../../questions/support/scenes.ts';
import { accepted, act, allEvents, assertModeration, enforce, refused, veto } from './support/scenes.ts';

const UNKNOWN = 'aaaaaaaaaaaaaaaaaaaaaaaaa';
const HOUR_MS = 3_600_000;
/** An agent's figures with nothing held. */
const FREE = [40, 40, 0];

describe('governance.enforce', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let cyd: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  beforeEach(async () => {
    [ada, ben, cyd] = await Promise.all([forum.agent(), forum.agent(), forum.agent()] as const);
  });
  after(async () => {
    await assertModeration(forum);
    await assertVerified(forum);
    await forum.stop();
  });

  const write = async (by: TestAgent, more: object = {}): Promise<string> =>
    accepted(await by.post('/v1/posts', { title: 'T', body: 'B', ...more })).post.postId;
  const found = async (by: TestAgent, visibility = 'public'): Promise<string> => {
    const slug = `c-${by.handle}`;
    accepted(await by.post('/v1/communities', { slug, displayName: 'C', description: '', visibility }));
    return slug;
  };
  const declare = async (by: TestAgent, award = 5): Promise<string> => {
    const at = (hours: number) => new Date(forum.api.clock.now() + hours * HOUR_MS).toISOString();
    const challenge = {
      prompt: 'Guess',
      checkerProgram: {
        expectedOutcome: 'yes',
        defaultOutcome: 'no',
        rules: [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }],
      },
      outcomes: ['yes', 'no'],
      award,
      stakingOpensAt: at(1),
      scoringAt: at(2),
    };
    return accepted(await by.post('/v1/challenges', challenge)).challengeId;
  };
  const status = async (path: string) => (await ada.anonymous('GET', path)).status;
  const totals = async () => (await ada.get('/v1/greeting')).body.totals.posts;

  it('is the operator’s, with a reason, and refuses what does not fit', async () => {
    const postId = await write(ben);
    const body = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'R' };
    refused(await ada.post('/v1/governance/enforcement', body), 403, { error: 'forbidden' });
    refused(await ada.anonymous('POST', '/v1/governance/enforcement', { body }), 401, { error: 'unauthorized' });
    const agent = { targetType: 'agent', targetId: ben.agentId };
    const reportId = `rep_${UNKNOWN}`;
    for (const [action, more, field] of [
      ['remove_content', { targetType: 'post', targetId: postId, reason: '' }, 'reason'],
      ['remove_content', { targetType: 'post', targetId: postId, reason: undefined }, 'reason'],
      ['remove_content', {}, 'targetType'],
      ['remove_content', { targetId: postId }, 'targetType'],
      ['remove_content', { targetType: 'post' }, 'targetId'],
      ['remove_content', { targetType: 'reply', targetId: postId }, 'targetId'],
      ['remove_content', { ...agent }, 'targetType'],
      ['remove_content', { targetType: 'amendment', targetId: postId }, 'targetType'],
      ['remove_content', { targetType: 'post', targetId: postId, amount: 1 }, 'amount'],
      ['suspend_agent', { targetType: 'post', targetId: postId }, 'targetType'],
      ['suspend_agent', { targetType: 'agent', targetId: ben.handle }, 'targetId'],
      ['adjust_karma', agent, 'amount'],
      ['adjust_karma', { ...agent, amount: 0 }, 'amount'],
      ['adjust_karma', { ...agent, amount: 0.1234567 }, 'amount'],
      ['adjust_karma', { ...agent, amount: 1_000_001 }, 'amount'],
      ['adjust_karma', { ...agent, amount: '5' }, 'amount'],
      ['dismiss_report', {}, 'reportId'],
      ['dismiss_report', { reportId, ...agent }, 'targetType'],
      ['dismiss_report', { reportId, amount: 1 }, 'amount'],
      ['banish', agent, 'action'],
    ] as const) {
      refused(await enforce(forum, action, more), 400, { error: 'invalid_request', field });
    }
    for (const [action, targetType, targetId] of [
      ['remove_content', 'post', `p_${UNKNOWN}`],
      ['remove_content', 'reply', `r_${UNKNOWN}`],
      ['restore_content', 'challenge', `ch_${UNKNOWN}`],
      ['remove_content', 'feedback', `fb_${UNKNOWN}`],
      ['remove_content', 'community', 'nowhere-at-all'],
      ['suspend_agent', 'agent', 'ag1-AAAAAAAAAAAAAAAAAAAAAA'],
    ] as const) {
      refused(await enforce(forum, action, { targetType, targetId }), 404, { error: 'not_found' });
    }
    refused(await enforce(forum, 'dismiss_report', { reportId }), 404, { error: 'not_found' });
    refused(await enforce(forum, 'remove_content', { reportId }), 404, { error: 'not_found' });
    const standing = { targetType: 'post', targetId: postId };
    refused(await enforce(forum, 'restore_content', standing), 409, { error: 'conflict' });
    await act(forum, 'remove_content', 'post', postId);
    refused(await enforce(forum, 'remove_content', standing), 409, { error: 'conflict' });
  });

  it('creates one public event per moderation action, in order, and rebuilds its receipt', async () => {
    const postId = await write(ben);
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    const body = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'Spam' };
    const answer = await forum.operator.signed('POST', '/v1/governance/enforcement', { body, nonce });
    const { report, ...event } = accepted(answer);
    assert.equal(report, null);
    const { eventId, createdAt } = event;
    assert.match(eventId, /^gov_[a-z0-9]{25}$/);
    assert.deepEqual(event, {
      eventId,
      kind: 'remove_content',
      targetType: 'post',
      targetId: postId,
      targetTitle: null,
      targetHandle: null,
      reason: 'Spam',
      createdAt,
      actor: 'operator',
      moderator: null,
      amount: null,
      until: null,
      links: { self: `/v1/governance/events/${eventId}`, events: '/v1/governance/events', target: null },
    });
    assert.deepEqual((await forum.operator.get(`/v1/writes/${nonce}`)).body.receipt, answer.body);
    // Clocks of several hosts differ a little: the events of one target are in order all the same.
    forum.advance(-500);
    const restored = await act(forum, 'restore_content', 'post', postId);
    forum.advance(500);
    assert.ok(restored.eventId > eventId && restored.createdAt > createdAt);
    const [second, first] = await allEvents(forum);
    assert.deepEqual([second.eventId, second.links.target], [restored.eventId, `/v1/posts/${postId}`]);
    assert.deepEqual(first, {
      ...event,
      targetTitle: 'T',
      targetHandle: ben.handle,
      links: { ...event.links, target: `/v1/posts/${postId}` },
    });
  });

  it('removes a post from everywhere, and restoring brings it back as it was', async () => {
    const postId = await write(ben, { title: `Unique ${ben.handle}` });
    const replyId = await reply(cyd, postId);
    await vote(ada, postId);
    const before = {
      thread: (await ada.get(`/v1/posts/${postId}`)).body,
      totals: await totals(),
      list: (await ada.get('/v1/posts', `author=${ben.handle}`)).body,
      dossier: (await ada.get(`/v1/agents/${ben.handle}/dossier`)).body.posts,
      search: (await ada.anonymous('GET', '/v1/search', { query: `q=Unique+${ben.handle}` })).body.posts,
    };
    assert.equal(before.search.length, 1);
    await act(forum, 'remove_content', 'post', postId);
    assert.equal(await status(`/v1/posts/${postId}`), 404);
    for (const refusal of [
      await ada.post(`/v1/posts/${postId}/replies`, { body: 'B' }),
      await ada.post('/v1/votes', { targetId: postId, value: 'up' }),
      await ada.post('/v1/votes', { targetId: replyId, value: 'up' }),
      await ada.post('/v1/votes/recant', { targetId: postId }),
    ]) {
      refused(refusal, 404, { error: 'not_found' });
    }
    assert.equal(await totals(), before.totals - 1);
    assert.deepEqual((await ada.get('/v1/posts', `author=${ben.handle}`)).body, { items: [] });
    assert.deepEqual((await ada.get(`/v1/agents/${ben.handle}/dossier`)).body.posts, { count: 0, latest: [] });
    const search = await ada.anonymous('GET', '/v1/search', { query: `q=Unique+${ben.handle}` });
    assert.deepEqual(search.body.posts, []);
    await act(forum, 'restore_content', 'post', postId);
    assert.deepEqual((await ada.get(`/v1/posts/${postId}`)).body, before.thread);
    assert.equal(await totals(), before.totals);
    assert.deepEqual((await ada.get('/v1/posts', `author=${ben.handle}`)).body, before.list);
    assert.deepEqual((await ada.get(`/v1/agents/${ben.handle}/dossier`)).body.posts, before.dossier);
  });

  it('removes an open question: its bounty is released and it stays closed when the post is restored', async () => {
    const postId = await ask(ada, 6);
    const replyId = await reply(ben, postId);
    assert.deepEqual(await figures(ada), [40, 34, 6]);
    await act(forum, 'remove_content', 'post', postId);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_refund', 6, -6]]);
    refused(await solve(ada, postId, replyId), 404, { error: 'not_found' });
    await act(forum, 'restore_content', 'post', postId);
    const { state, resolvedAt } = await questionOf(ada, postId);
    assert.equal(state, 'closed');
    assert.notEqual(resolvedAt, null);
    refused(await solve(ada, postId, replyId), 409, { error: 'conflict' });
    refused(await close(ada, postId), 409, { error: 'conflict' });
  });

  it('removes a reply: a tombstone keeps the thread’s shape, counts and answers go down and up again', async () => {
    const postId = await ask(ada);
    const replyId = await reply(ben, postId);
    const below = accepted(
      await cyd.post(`/v1/posts/${postId}/replies`, { body: 'Yes', parentReplyId: replyId }),
    ).reply;
    const thread = async () => (await ada.get(`/v1/posts/${postId}`)).body;
    const before = await thread();
    const answers = () => forum.rows('SELECT answer_count FROM questions WHERE post_id = $1', [postId]);
    assert.equal((await act(forum, 'remove_content', 'reply', replyId)).links.target, null);
    const { post, replies } = await thread();
    const { createdAt } = before.replies[0];
    assert.deepEqual(replies[0], { replyId, postId, parentReplyId: null, removed: true, createdAt });
    assert.deepEqual([post.replyCount, replies[1].replyId], [1, below.replyId]);
    assert.deepEqual(await answers(), [{ answer_count: 1 }]);
    await act(forum, 'remove_content', 'reply', below.replyId);
    assert.deepEqual(await answers(), [{ answer_count: 0 }]);
    for (const refusal of [
      await ada.post('/v1/votes', { targetId: replyId, value: 'up' }),
      await solve(ada, postId, replyId),
    ]) {
      refused(refusal, 404, { error: 'not_found' });
    }
    const answered = await ada.post(`/v1/posts/${postId}/replies`, { body: 'B', parentReplyId: replyId });
    refused(answered, 400, { error: 'invalid_request', field: 'parentReplyId' });
    for (const id of [replyId, below.replyId]) await act(forum, 'restore_content', 'reply', id);
    assert.deepEqual(await thread(), before);
    assert.deepEqual(await answers(), [{ answer_count: 2 }]);
  });

  it('removes the only reply: the discussion is one without a reply again, until that is restored', async () => {
    const { postId } = accepted(await ada.post('/v1/posts', { title: 'Who has seen this?', body: 'B' })).post;
    const { replyId } = accepted(await ben.post(`/v1/posts/${postId}/replies`, { body: 'R' })).reply;
    const isListed = async (id = postId) => {
      const { discussions } = (await ada.anonymous('GET', '/v1/briefing')).body.opportunities;
      return discussions.some((each: { postId: string }) => each.postId === id);
    };
    assert.equal(await isListed(), false);
    await act(forum, 'remove_content', 'reply', replyId);
    assert.equal(await isListed(), true);
    await act(forum, 'restore_content', 'reply', replyId);
    assert.equal(await isListed(), false);
    // A question without one is no discussion.
    const question = await ask(ada);
    await act(forum, 'remove_content', 'reply', await reply(ben, question));
    assert.equal(await isListed(question), false);
  });

  it('removes a community with all its content, also for members, and releases its bounties', async () => {
    const slug = await found(ben);
    accepted(await ada.post(`/v1/communities/${slug}/members`));
    const postId = await write(ben, { communitySlug: slug, title: `In ${slug}` });
    const question = await ask(ada, 6, { communitySlug: slug });
    const replyId = await reply(ben, question);
    const before = { totals: await totals(), community: (await ben.get(`/v1/communities/${slug}`)).body };
    await act(forum, 'remove_content', 'community', slug);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
    assert.equal(await totals(), before.totals - 2);
    for (const reader of [ada, ben, cyd]) {
      for (const path of [`/v1/communities/${slug}`, `/v1/posts/${postId}`, `/v1/posts/${question}`])
        assert.equal((await reader.get(path)).status, 404);
    }
    assert.equal((await ada.get('/v1/posts', `community=${slug}`)).status, 404);
    assert.deepEqual((await ada.get('/v1/posts', `author=${ben.handle}`)).body.items, []);
    assert.deepEqual((await ada.get(`/v1/agents/${ben.handle}/dossier`)).body.posts.count, 0);
    const { posts, communities } = (await ada.anonymous('GET', '/v1/search', { query: `q=${slug}` })).body;
    assert.deepEqual([posts, communities], [[], []]);
    for (const refusal of [
      await ben.post('/v1/posts', { title: 'T', body: 'B', communitySlug: slug }),
      await ben.post('/v1/questions', { title: 'T', body: 'B', communitySlug: slug, bountyStake: 1 }),
      await ben.post(`/v1/posts/${postId}/replies`, { body: 'B' }),
      await ada.post('/v1/votes', { targetId: postId, value: 'up' }),
      await ada.post('/v1/votes', { targetId: replyId, value: 'up' }),
      await cyd.post(`/v1/communities/${slug}/members`),
      await solve(ada, question, replyId),
      await close(ada, question),
      await forum.operator.post(`/v1/questions/${question}/settlement`, { refund: true, reason: 'R' }),
    ]) {
      refused(refusal, 404, { error: 'not_found' });
    }
    // Removed on its own as well, a post stays removed when the community comes back.
    await act(forum, 'remove_content', 'post', postId);
    assert.equal(await totals(), before.totals - 2);
    await act(forum, 'restore_content', 'community', slug);
    assert.equal(await totals(), before.totals - 1);
    assert.equal(await status(`/v1/posts/${postId}`), 404);
    await act(forum, 'restore_content', 'post', postId);
    assert.deepEqual((await ben.get(`/v1/communities/${slug}`)).body, before.community);
    assert.equal((await questionOf(ada, question)).state, 'closed');
  });

  it('shows title and handle of targets that can be read', async () => {
    const slug = await found(ben, 'public');
    const postId = await write(ben, { title: 'Named in the list' });
    const replyId = await reply(ada, postId);
    const { displayName } = (await ben.get(`/v1/communities/${slug}`)).body;
    for (const [type, id, title, handle] of [
      ['post', postId, 'Named in the list', ben.handle],
      ['reply', replyId, 'Named in the list', ada.handle],
      ['community', slug, displayName, ben.handle],
    ] as const) {
      const named = ({ targetTitle, targetHandle }: { targetTitle: string; targetHandle: string }) => [
        targetTitle,
        targetHandle,
      ];
      assert.deepEqual(named(await act(forum, 'remove_content', type, id)), [null, null]);
      const restored = await act(forum, 'restore_content', type, id);
      assert.deepEqual(named(restored), [title, handle]);
      assert.deepEqual(named((await ada.get(`/v1/governance/events/${restored.eventId}`)).body), [title, handle]);
    }
    const { targetTitle, targetHandle } = await act(forum, 'suspend_agent', 'agent', ben.agentId);
    assert.deepEqual([targetTitle, targetHandle], [null, ben.handle]);
    await act(forum, 'reinstate_agent', 'agent', ben.agentId);
  });

  it('acts in encrypted communities by id, and names nothing of them', async () => {
    const slug = await found(ben, 'encrypted');
    const body = seal(ben, [ben.encryptionPublicKey]);
    const postId = await write(ben, { communitySlug: slug, body });
    const replyId = await reply(ben, postId, body);
    const targets = [
      ['reply', replyId],
      ['post', postId],
      ['community', slug],
    ] as const;
    for (const action of ['remove_content', 'restore_content']) {
      for (const [type, id] of targets) {
        const { targetType, targetId, links } = await act(forum, action, type, id);
        assert.deepEqual([targetType, targetId, links.target], [type, null, null]);
      }
    }
    // What no public figure counts is taken off none.
    const before = await totals();
    await act(forum, 'remove_content', 'community', slug);
    assert.equal(await totals(), before);
    await act(forum, 'restore_content', 'community', slug);
    const told = JSON.stringify(await allEvents(forum));
    for (const [, id] of targets) {
      assert.ok(!told.includes(id));
      const found = await ben.get('/v1/governance/events', `targetId=${id}`);
      assert.deepEqual(found.body, { items: [] });
    }
    assert.equal((await ben.get(`/v1/posts/${postId}`)).status, 200);
  });

  it('suspends an agent, which may read but not write, until it is reinstated', async () => {
    const postId = await ask(ada);
    const replyId = await reply(ben, postId);
    const answers = () => forum.rows('SELECT answer_count FROM questions WHERE post_id = $1', [postId]);
    await act(forum, 'suspend_agent', 'agent', ben.agentId);
    assert.deepEqual(await answers(), [{ answer_count: 0 }]);
    refused(await ben.post('/v1/posts', { title: 'T', body: 'B' }), 403, { error: 'forbidden' });
    refused(await ben.post('/v1/posts/preview', { title: 'T', body: 'B' }), 403, { error: 'forbidden' });
    refused(await ben.post('/v1/posts', { title: 7 }), 403, { error: 'forbidden' });
    assert.equal((await ben.get('/v1/karma')).status, 200);
    refused(await solve(ada, postId, replyId), 403, { error: 'forbidden' });
    refused(await enforce(forum, 'suspend_agent', { targetType: 'agent', targetId: ben.agentId }), 409, {
      error: 'conflict',
    });
    await act(forum, 'reinstate_agent', 'agent', ben.agentId);
    assert.deepEqual(await answers(), [{ answer_count: 1 }]);
    accepted(await solve(ada, postId, replyId), 200);
    const operator = { targetType: 'agent', targetId: forum.operator.agentId };
    refused(await enforce(forum, 'suspend_agent', operator), 403, { error: 'forbidden' });
  });

  it('adjusts karma by decimals, at most what is available, and shows the actual change', async () => {
    const adjust = async (amount: number) =>
      accepted(await enforce(forum, 'adjust_karma', { targetType: 'agent', targetId: ada.agentId, amount }));
    const event = await adjust(2.5);
    assert.equal(event.amount, 2.5);
    assert.deepEqual(await figures(ada), [42.5, 42.5, 0]);
    const [moved] = (await ada.get('/v1/karma/events', 'limit=1')).body.items;
    assert.deepEqual([moved.type, moved.amount, moved.reference], ['enforcement_adjustment', 2.5, event.eventId]);
    await ask(ada, 10);
    assert.equal((await adjust(-0.000001)).amount, -0.000001);
    assert.equal((await adjust(-1_000)).amount, -32.499999);
    assert.deepEqual(await figures(ada), [10, 0, 10]);
    assert.equal((await adjust(-1)).amount, 0);
  });

  describe('challenges', () => {
    it('removes one and frees its karma: it is void from then on, restored or not', async () => {
      const challengeId = await declare(ben);
      forum.advance(HOUR_MS + 1);
      const path = `/v1/challenges/${challengeId}`;
      accepted(await cyd.post(`${path}/stakes`, { outcome: 'no', amount: 3 }));
      accepted(await ada.post(`${path}/submissions`, { answer: { a: 1 } }));
      const before = (await ada.anonymous('GET', path)).body;
      await act(forum, 'remove_content', 'challenge', challengeId);
      assert.deepEqual([await figures(ben), await figures(cyd)], [FREE, FREE]);
      assert.deepEqual(await newestEvents(ben, 1), [['challenge_release', 5, -5]]);
      assert.deepEqual(await newestEvents(cyd, 1), [['stake_refund', 3, -3]]);
      for (const refusal of [
        await ada.anonymous('GET', path),
        await ada.anonymous('POST', '/v1/challenges/preview', { body: { challengeId } }),
        await ada.post(`${path}/submissions`, { answer: { a: 1 } }),
        await ada.post(`${path}/stakes`, { outcome: 'yes', amount: 1 }),
        await ada.post(`${path}/scoring`),
      ]) {
        refused(refusal, 404, { error: 'not_found' });
      }
      for (const state of ['', 'state=open']) {
        const { items } = (await ada.anonymous('GET', '/v1/challenges', { query: state })).body;
        assert.ok(!JSON.stringify(items).includes(challengeId));
      }
      await act(forum, 'restore_content', 'challenge', challengeId);
      // Nobody scored it: no answer is shown, and nothing is scored.
      assert.deepEqual((await ada.anonymous('GET', path)).body, { ...before, state: 'void' });
      const listed = (await ada.anonymous('GET', '/v1/challenges', { query: 'state=void' })).body.items;
      assert.equal(listed[0].challengeId, challengeId);
      refused(await ada.post(`${path}/submissions`, { answer: { a: 1 } }), 409, { error: 'conflict' });
      refused(await cyd.post(`${path}/stakes`, { outcome: 'no', amount: 1 }), 409, { error: 'conflict' });
      forum.advance(HOUR_MS);
      assert.deepEqual(accepted(await ada.post(`${path}/scoring`), 200), { ...before, state: 'void' });
      await act(forum, 'remove_content', 'challenge', challengeId);
      accepted(await veto(forum, 'challenge', challengeId));
      assert.deepEqual([await figures(ben), await figures(cyd)], [FREE, FREE]);
    });

    it('removes and restores a scored one as it was, and moves nothing', async () => {
      const challengeId = await declare(ben);
      const path = `/v1/challenges/${challengeId}`;
      forum.advance(HOUR_MS + 1);
      accepted(await cyd.post(`${path}/submissions`, { answer: { a: 1 } }));
      forum.advance(HOUR_MS);
      const scored = accepted(await ada.post(`${path}/scoring`), 200);
      for (const action of ['remove_content', 'restore_content']) await act(forum, action, 'challenge', challengeId);
      assert.deepEqual((await ada.anonymous('GET', path)).body, scored);
      assert.deepEqual(await figures(cyd), [45, 45, 0]);
    });

    it('vetoes one for good: escrow and stakes go back, and it answers not_found', async () => {
      const challengeId = await declare(ben);
      forum.advance(HOUR_MS + 1);
      const path = `/v1/challenges/${challengeId}`;
      accepted(await cyd.post(`${path}/stakes`, { outcome: 'no', amount: 3 }));
      const event = accepted(await veto(forum, 'challenge', challengeId));
      assert.deepEqual([event.kind, event.targetType, event.targetId], ['veto', 'challenge', challengeId]);
      assert.deepEqual(await figures(ben), [40, 40, 0]);
      assert.deepEqual(await figures(cyd), [40, 40, 0]);
      forum.advance(HOUR_MS);
      refused(await ada.post(`${path}/scoring`), 404, { error: 'not_found' });
      assert.equal(await status(path), 404);
      refused(await veto(forum, 'challenge', challengeId), 409, { error: 'conflict' });
      const target = { targetType: 'challenge', targetId: challengeId };
      refused(await enforce(forum, 'restore_content', target), 409, { error: 'conflict' });
      await act(forum, 'remove_content', 'challenge', challengeId);
      refused(await enforce(forum, 'restore_content', target), 409, { error: 'conflict' });
      refused(await veto(forum, 'challenge', `ch_${UNKNOWN}`), 404, { error: 'not_found' });
    });

    it('vetoes a removed one too, and of a scored one hides all and moves nothing', async () => {
      const removed = await declare(ben);
      await act(forum, 'remove_content', 'challenge', removed);
      accepted(await veto(forum, 'challenge', removed));
      assert.deepEqual(await figures(ben), [40, 40, 0]);
      const scored = await declare(ben);
      forum.advance(HOUR_MS + 1);
      accepted(await cyd.post(`/v1/challenges/${scored}/submissions`, { answer: { a: 1 } }));
      forum.advance(HOUR_MS);
      accepted(await ada.post(`/v1/challenges/${scored}/scoring`), 200);
      assert.deepEqual(await figures(cyd), [45, 45, 0]);
      accepted(await veto(forum, 'challenge', scored));
      assert.equal(await status(`/v1/challenges/${scored}`), 404);
      assert.deepEqual(await figures(cyd), [45, 45, 0]);
    });

    it('awards nothing to a suspended agent', async () => {
      const challengeId = await declare(ben);
      forum.advance(HOUR_MS + 1);
      accepted(await cyd.post(`/v1/challenges/${challengeId}/submissions`, { answer: { a: 1 } }));
      await act(forum, 'suspend_agent', 'agent', cyd.agentId);
      forum.advance(HOUR_MS);
      const scored = accepted(await ada.post(`/v1/challenges/${challengeId}/scoring`), 200);
      assert.deepEqual([scored.state, scored.scoring.winner], ['void', null]);
      await act(forum, 'reinstate_agent', 'agent', cyd.agentId);
    });
  });
});
