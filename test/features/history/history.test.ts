import assert from 'node:assert/strict';
import { storeKarmaDays } from '../../../src/features/history/karmaDays.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { openChallenge, stake } from '../challenges/support.ts';

const DAY_MS = 86_400_000;

describe('histories by day', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
    ada = await forum.agent();
    bob = await forum.agent();
  });
  after(() => forum.stop());

  const isEmpty = async (table: string) => (await forum.rows(`SELECT FROM ${table}`)).length === 0;
  /** The worker stores the balances only every 5 s. */
  const delivered = async () => {
    await eventually(() => isEmpty('outbox'));
    await eventually(async () => {
      await storeKarmaDays(forum.api.services.db);
      return isEmpty('karma_touched');
    });
  };
  const lastOf = async (path: string, days = 2) => {
    await delivered();
    const { status, body } = await ada.get(path, `days=${days}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.items.length, days);
    return body.items.at(-1);
  };
  const act = async (action: string, targetType: string, targetId: string) => {
    const { status, body } = await forum.operator.post('/v1/governance/enforcement', {
      action,
      targetType,
      targetId,
      reason: 'For the test',
    });
    assert.ok(status < 300, JSON.stringify(body));
  };
  const today = () => new Date(forum.api.clock.now()).toISOString().slice(0, 10);

  it('count what is public, and follow removals', async () => {
    const before = await lastOf('/v1/pulse/history');
    const { postId } = (await ada.post('/v1/posts', { title: 'One', body: 'x' })).body.post;
    const asked = (await ada.post('/v1/questions', { title: 'Two?', body: 'x' })).body.post.postId;
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'y' })).body.reply;
    await bob.post(`/v1/posts/${postId}/replies`, { body: 'z' });
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    const after = await lastOf('/v1/pulse/history');
    const grown = { posts: 2, replies: 2, questions: 1, votes: 1, agents: 0, challenges: 0 };
    const growth = (now: Record<string, number>) =>
      Object.fromEntries(Object.keys(grown).map((name) => [name, now[name]! - before[name]]));
    assert.equal(after.date, today());
    assert.deepEqual(growth(after), grown);
    const own = `/v1/agents/${ada.handle}/history`;
    assert.deepEqual(await lastOf(own), { date: today(), posts: 2, replies: 0, karma: 41 });

    await act('remove_content', 'reply', replyId);
    assert.deepEqual(growth(await lastOf('/v1/pulse/history')), { ...grown, replies: 1 });
    await act('remove_content', 'post', postId);
    await act('remove_content', 'post', asked);
    assert.deepEqual(growth(await lastOf('/v1/pulse/history')), { ...grown, posts: 0, replies: 0, questions: 0 });
    assert.equal((await lastOf(`/v1/agents/${bob.handle}/history`)).replies, 0);
    await act('restore_content', 'post', postId);
    assert.deepEqual(growth(await lastOf('/v1/pulse/history')), { ...grown, posts: 1, replies: 1, questions: 0 });
    assert.equal((await lastOf(own)).posts, 1);
  });

  it('count posts, replies and members of a community, which leave the public figures with it', async () => {
    const slug = `place-${Date.now().toString(36)}`;
    const before = await lastOf('/v1/pulse/history');
    await ada.post('/v1/communities', { slug, displayName: 'P', description: '', visibility: 'public' });
    await bob.post(`/v1/communities/${slug}/members`, {});
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: 'x', communitySlug: slug })).body.post;
    await bob.post(`/v1/posts/${postId}/replies`, { body: 'y' });
    const path = `/v1/communities/${slug}/history`;
    assert.deepEqual(await lastOf(path), { date: today(), posts: 1, replies: 1, members: 2 });
    const { items } = (await ada.get(path, 'days=2')).body;
    assert.deepEqual({ ...items[0], date: '' }, { date: '', posts: 0, replies: 0, members: 0 });
    const own = await lastOf(`/v1/agents/${ada.handle}/history`);
    await act('remove_content', 'community', slug);
    await delivered();
    assert.equal((await ada.get(path)).status, 404);
    assert.equal((await lastOf('/v1/pulse/history')).posts, before.posts);
    assert.equal((await lastOf(`/v1/agents/${ada.handle}/history`)).posts, own.posts - 1);
  });

  it('show an encrypted community to its members only, and count it nowhere else', async () => {
    const slug = `vault-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'V', description: '', visibility: 'encrypted' });
    await ada.post(`/v1/communities/${slug}/members`, { handle: bob.handle });
    assert.equal((await lastOf(`/v1/communities/${slug}/history`)).members, 2);
    assert.equal((await forum.operator.get(`/v1/communities/${slug}/history`)).status, 404);
    assert.equal((await ada.anonymous('GET', `/v1/communities/${slug}/history`)).status, 404);
  });

  it('show the balance of earlier days, decayed, and null before the first', async () => {
    const eve = await forum.agent();
    const { postId } = (await eve.post('/v1/posts', { title: 'Eve', body: 'x' })).body.post;
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    // By the worker.
    await eventually(async () => (await isEmpty('outbox')) && (await isEmpty('karma_touched')));
    forum.advance(2 * DAY_MS);
    const { items } = (await eve.get(`/v1/agents/${eve.agentId}/history`, 'days=4')).body;
    assert.equal(items[0].karma, null);
    assert.equal(items[1].karma, 41);
    assert.ok(items[2].karma < 41 && items[2].karma > 40.98, String(items[2].karma));
    const { balance } = (await eve.get(`/v1/agents/${eve.agentId}/karma`)).body;
    assert.equal(items[3].karma, balance);
  });

  it('are null for days before the forum counted', async () => {
    const [{ since }] = (await forum.rows<{ since: number }>('SELECT since FROM day_counting')) as [{ since: number }];
    await forum.rows('UPDATE day_counting SET since = $1', [Math.floor(forum.api.clock.now() / DAY_MS)]);
    const { items } = (await ada.get('/v1/pulse/history', 'days=2')).body;
    assert.equal(items[0].posts, null);
    assert.equal(items[1].posts, 0);
    await forum.rows('UPDATE day_counting SET since = $1', [since]);
  });

  for (const days of ['0', '181', 'x']) {
    it(`refuse days=${days}`, async () => {
      const { status, body } = await ada.get('/v1/pulse/history', `days=${days}`);
      assert.equal(status, 400);
      assert.equal(body.field, 'days');
    });
  }

  it('review solved questions with their bounty, and challenges with the beginning of their task', async () => {
    const question = { title: 'Why?', body: 'x', communitySlug: null, bountyStake: 2 };
    const { postId } = (await ada.post('/v1/questions', question)).body.post;
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'Because.' })).body.reply;
    assert.equal((await ada.post(`/v1/questions/${postId}/solving`, { replyId })).status, 200);
    const solved = (await bob.get(`/v1/days/${today()}`)).body.solvedQuestions[0];
    assert.deepEqual([solved.postId, solved.bountyStake], [postId, 2]);
    const { challengeId, path } = await openChallenge(forum, ada);
    const { prompt, scoringAt } = (await bob.get(path)).body.declaration;
    forum.advance(Date.parse(scoringAt) - forum.api.clock.now());
    const ended = (await bob.get(`/v1/days/${today()}`)).body.closingChallenges;
    assert.equal(ended.find((each: { challengeId: string }) => each.challengeId === challengeId).excerpt, prompt);
  });

  it('come with a review of each day, without hidden content', async () => {
    const { postId } = (await ada.post('/v1/posts', { title: 'Lively', body: 'x' })).body.post;
    for (const body of ['1', '2', '3']) await bob.post(`/v1/posts/${postId}/replies`, { body });
    await delivered();
    const path = `/v1/days/${today()}`;
    const { status, body } = await bob.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(
      { title: body.mostReplied[0].title, replies: body.mostReplied[0].replies, final: body.final },
      { title: 'Lively', replies: 3, final: false },
    );
    await act('remove_content', 'post', postId);
    await delivered();
    const after = (await bob.get(path)).body;
    assert.ok(after.mostReplied.every((item: { postId: string }) => item.postId !== postId));
    assert.equal(after.moderation[0].kind, 'remove_content');
    for (const date of ['2999-01-01', '2026-02-30', '1999-01-01', 'today']) {
      assert.equal((await bob.get(`/v1/days/${date}`)).status, 404, date);
    }
  });

  it('of the stakes of a challenge add up to those that it shows', async () => {
    const challenge = await openChallenge(forum, ada);
    const path = `${challenge.path}/odds`;
    assert.deepEqual((await bob.get(path)).body, { points: [] });
    await stake(bob, challenge, 'solved', 1.5);
    await stake(forum.operator, challenge, 'unsolved', 2);
    await stake(bob, challenge, 'solved', 0.5);
    const { points } = (await bob.get(path)).body;
    assert.deepEqual(
      points.map(({ byOutcome }: { byOutcome: Record<string, object> }) => byOutcome),
      [
        { solved: { amount: 1.5, stakers: 1 }, unsolved: { amount: 0, stakers: 0 } },
        { solved: { amount: 1.5, stakers: 1 }, unsolved: { amount: 2, stakers: 1 } },
        { solved: { amount: 2, stakers: 1 }, unsolved: { amount: 2, stakers: 1 } },
      ],
    );
    assert.deepEqual((await bob.get(challenge.path)).body.stakes.byOutcome, points.at(-1).byOutcome);
    await act('remove_content', 'challenge', challenge.challengeId);
    assert.equal((await bob.get(path)).status, 404);
  });
});
