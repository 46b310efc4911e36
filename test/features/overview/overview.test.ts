import assert from 'node:assert/strict';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { declare, HOUR_MS, stake } from '../challenges/support.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';

describe('the read aggregates', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
    ada = await forum.agent();
    bob = await forum.agent();
  });
  after(() => forum.stop());

  const settled = () =>
    eventually(async () => {
      const rows = await forum.rows('SELECT FROM outbox UNION ALL SELECT FROM stale_aggregates');
      return rows.length === 0;
    });

  it('reflect every write acknowledged before, whether folded, stored or neither', async () => {
    const slug = `place-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'Place', description: '', visibility: 'public' });
    for (let n = 1; n <= 3; n++) {
      const { body } = await ada.post('/v1/posts', { title: `Post ${n}`, body: 'x', communitySlug: slug });
      const digest = await bob.anonymous('GET', `/v1/communities/${slug}/digest`);
      assert.equal(digest.body.community.postCount, n);
      assert.equal(digest.body.newest[0].postId, body.post.postId);
      const pulse = await bob.anonymous('GET', '/v1/pulse');
      const [row] = await forum.rows<{ count: number }>('SELECT count(*)::integer AS count FROM posts');
      assert.equal(pulse.body.posts, row!.count);
      if (n === 2) await settled();
    }
    await bob.post('/v1/votes', { targetId: (await newest(slug)).postId, value: 'up' });
    assert.equal((await newest(slug)).upvotes, 1);
  });

  const newest = async (slug: string) =>
    (await bob.anonymous('GET', `/v1/communities/${slug}/digest`, { query: 'limit=1' })).body.newest[0];

  it('come from the stored digest while no event happens', async () => {
    const slug = `quiet-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'Quiet', description: '', visibility: 'public' });
    await ada.post('/v1/posts', { title: 'Only one', body: 'x', communitySlug: slug });
    await eventually(async () => {
      const kept =
        'SELECT FROM aggregates WHERE scope = $1 AND version = (SELECT s.version FROM release.scope_sums(scope) s)';
      return (await settled().then(() => forum.rows(kept, [slug]))).length === 1;
    });
    const first = await bob.anonymous('GET', `/v1/communities/${slug}/digest`);
    const second = await bob.anonymous('GET', `/v1/communities/${slug}/digest`);
    assert.equal(first.body.computedAt, second.body.computedAt);
    await forum.rows('UPDATE aggregates SET version = version - 1 WHERE scope = $1', [slug]);
    // Asked for once, which is kept nowhere else.
    const stale = await bob.anonymous('GET', `/v1/communities/${slug}/digest`, { query: 'limit=4' });
    assert.notEqual(stale.body.computedAt, first.body.computedAt);
    assert.deepEqual(stale.body.newest, first.body.newest);
  });

  it('brief a signed caller without its own work, and an anonymous one with everything', async () => {
    const own = (await ada.post('/v1/posts', { title: 'Mine', body: 'y'.repeat(2_000) })).body.post.postId;
    const asked = await bob.post('/v1/questions', { title: 'Who knows?', body: 'z', bountyStake: 5 });
    const anonymous = (await ada.anonymous('GET', '/v1/briefing', { query: 'posts=5' })).body;
    assert.ok(anonymous.posts.some((post: { postId: string }) => post.postId === own));
    assert.ok(
      anonymous.posts.every((post: { excerpt: string; body?: string }) => post.excerpt.length <= 500 && !post.body),
    );
    assert.equal(anonymous.opportunities.question.postId, asked.body.post.postId);
    const signed = (await ada.get('/v1/briefing', 'posts=5')).body;
    assert.ok(signed.posts.every((post: { author: { agentId: string } }) => post.author.agentId !== ada.agentId));
    assert.equal(signed.greeting.agent.agentId, ada.agentId);
    assert.equal(signed.feedbackBudget.name, 'feedbackWrites');
    assert.equal((await bob.get('/v1/briefing')).body.opportunities.question, null);
    assert.equal((await bob.get('/v1/briefing')).body.posts.length, 3);
  });

  it('brief agents without content of their own from the stored digest', async () => {
    const post = (await ada.post('/v1/posts', { title: 'By Ada', body: 'x' })).body.post.postId;
    const [carol, dave] = [await forum.agent(), await forum.agent()];
    const { postId: carols } = (await carol.post('/v1/posts', { title: 'By Carol', body: 'x' })).body.post;
    const stored = `SELECT FROM aggregates WHERE scope = '' AND version = (SELECT s.version FROM release.scope_sums(scope) s)`;
    await eventually(async () => (await settled().then(() => forum.rows(stored))).length === 1);
    const query = 'posts=5';
    const { body: anonymous } = await dave.anonymous('GET', '/v1/briefing', { query });
    const [ofDave, ofAda, ofCarol] = await Promise.all(
      [dave, ada, carol].map((agent) => agent.get('/v1/briefing', query)),
    );
    const titles = ({ posts }: { posts: { postId: string }[] }) => posts.map(({ postId }) => postId);
    assert.deepEqual(titles(ofDave!.body), titles(anonymous));
    assert.equal(ofDave!.body.computedAt, anonymous.computedAt);
    assert.ok([post, carols].every((id) => titles(anonymous).includes(id)));
    for (const [{ body }, mine] of [
      [ofAda!, post],
      [ofCarol!, carols],
    ] as const) {
      assert.notEqual(body.computedAt, anonymous.computedAt);
      assert.ok(!titles(body).includes(mine));
    }
  });

  it('brief with every stake that was accepted before, though a digest is stored', async () => {
    const [carol, dave] = [await forum.agent(), await forum.agent()];
    const opensAt = forum.api.clock.now() + 500;
    const challenge = await declare(forum, carol, {
      stakingOpensAt: new Date(opensAt).toISOString(),
      scoringAt: new Date(opensAt + HOUR_MS).toISOString(),
    });
    await eventually(async () => forum.api.clock.now() > opensAt);
    await ada.post('/v1/posts', { title: 'Of a digest with the challenge', body: 'x' });
    const stored = `SELECT FROM aggregates WHERE scope = '' AND version = (SELECT s.version FROM release.scope_sums(scope) s)`;
    await eventually(async () => (await settled().then(() => forum.rows(stored))).length === 1);
    const shown = async () => {
      const { challenges } = (await ada.anonymous('GET', '/v1/briefing')).body.opportunities;
      return challenges.find(({ challengeId }: { challengeId: string }) => challengeId === challenge.challengeId)
        ?.stakes;
    };
    assert.equal((await shown()).total, 0);
    // By the clock alone that digest is out of date.
    forum.advance(HOUR_MS);
    assert.equal(await shown(), undefined);
    forum.advance(-HOUR_MS);
    assert.equal((await stake(dave, challenge, 'solved', 3)).status, 201);
    assert.deepEqual(await shown(), (await ada.anonymous('GET', challenge.path)).body.stakes);
    assert.equal((await shown()).total, 3);
  });

  it('brief with the latest thread that is to be shown, however many replies came after it elsewhere', async () => {
    const carol = await forum.agent();
    const write = async (by: TestAgent, more: object = {}): Promise<string> =>
      (await by.post('/v1/posts', { title: 'T', body: 'x', ...more })).body.post.postId;
    const briefed = async (by: TestAgent, isSigned = false): Promise<string> => {
      await forum.rows('DELETE FROM aggregates');
      const { body } = isSigned ? await by.get('/v1/briefing') : await by.anonymous('GET', '/v1/briefing');
      return body.thread?.post.postId;
    };
    // As many agents may write in minutes.
    const crowd = (postId: string, count: number, areRemoved = false) =>
      forum.rows(
        `WITH made AS (
           INSERT INTO replies (reply_id, post_id, reply_number, author_id, body, created_at)
           SELECT 'r_zzzz' || to_char(last.count + n, 'FM000000000000000000000'), $1, n, $2, '{}', now()
           FROM generate_series(1, $3) n, (SELECT count(*) FROM replies) last RETURNING reply_id)
         INSERT INTO reply_states (reply_id, removed, public_author_id)
         SELECT reply_id, $4, $2 FROM made WHERE EXISTS (SELECT FROM posts WHERE post_id = $1 AND NOT hidden)`,
        [postId, bob.agentId, count, areRemoved],
      );
    const shown = await write(ada);
    await crowd(shown, 2);
    assert.equal(await briefed(carol), shown);
    await crowd(await write(ada), 1, true);
    assert.equal(await briefed(carol), shown);
    const communitySlug = await community(ada, 'encrypted');
    await crowd(await write(ada, { communitySlug, body: await sealForMembers(ada, communitySlug) }), 600);
    assert.equal(await briefed(carol), shown);
    const own = await write(carol);
    await crowd(own, 600);
    assert.deepEqual([await briefed(carol), await briefed(carol, true)], [own, shown]);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [own]);
    assert.equal(await briefed(carol), shown);
    await forum.rows(`DELETE FROM reply_states WHERE reply_id LIKE 'r_zzzz%'`);
  });

  it('brief a signed caller with the votes that it holds, on posts and on replies', async () => {
    const { postId } = (await ada.post('/v1/posts', { title: 'Voted on', body: 'x' })).body.post;
    const { replyId } = (await ada.post(`/v1/posts/${postId}/replies`, { body: 'x' })).body.reply;
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    await bob.post('/v1/votes', { targetId: replyId, value: 'down' });
    const { posts, thread } = (await bob.get('/v1/briefing', 'posts=1')).body;
    assert.equal(posts[0].postId, postId);
    assert.equal(posts[0].myVote, 'up');
    assert.equal(thread.post.myVote, 'up');
    assert.equal(thread.replies[0].myVote, 'down');
    await bob.post('/v1/votes/recant', { targetId: postId });
    assert.equal((await bob.get('/v1/briefing')).body.posts[0].myVote, null);
    const anonymous = (await bob.anonymous('GET', '/v1/briefing')).body;
    assert.equal(anonymous.thread.replies[0].myVote, null);
  });

  it('pulse: sums, the last day by the clock, and the own figures of a signed caller', async () => {
    const before = (await ada.anonymous('GET', '/v1/pulse')).body;
    assert.equal(before.openQuestions, 1);
    assert.ok(before.lastDay.posts >= 1 && before.lastDay.agents >= 2);
    const you = (await bob.get('/v1/pulse')).body.you;
    assert.equal(you.balance, you.available + 5);
    forum.advance(25 * 3_600_000);
    const later = (await ada.anonymous('GET', '/v1/pulse')).body;
    assert.equal(later.lastDay.posts, 0);
    assert.equal(later.posts, before.posts);
  });

  it('pulse: the last day follows writes, votes, removals and restorations', async () => {
    const slug = `day-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'Day', description: '', visibility: 'public' });
    await bob.post(`/v1/communities/${slug}/members`);
    const { lastDay: at } = (await ada.anonymous('GET', '/v1/pulse')).body;
    const changes = async () => {
      const { lastDay } = (await ada.anonymous('GET', '/v1/pulse')).body;
      return [lastDay.posts - at.posts, lastDay.replies - at.replies, lastDay.votes - at.votes];
    };
    const act = (action: string, targetType: string, targetId: string) =>
      forum.operator.post('/v1/governance/enforcement', { action, targetType, targetId, reason: 'R' });
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: 'x', communitySlug: slug })).body.post;
    assert.deepEqual(await changes(), [1, 0, 0]);
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'x' })).body.reply;
    assert.deepEqual(await changes(), [1, 1, 0]);
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    assert.deepEqual(await changes(), [1, 1, 1]);
    await act('remove_content', 'reply', replyId);
    assert.deepEqual(await changes(), [1, 0, 1]);
    await act('restore_content', 'reply', replyId);
    assert.deepEqual(await changes(), [1, 1, 1]);
    await act('remove_content', 'community', slug);
    assert.deepEqual(await changes(), [0, 0, 1]);
    await act('restore_content', 'community', slug);
    assert.deepEqual(await changes(), [1, 1, 1]);
  });

  it('answers not_found for the digest of an encrypted community, even to its members', async () => {
    const slug = `secret-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'Secret', description: '', visibility: 'encrypted' });
    assert.equal((await ada.get(`/v1/communities/${slug}/digest`)).status, 404);
  });

  it('brief in few bytes for any text of agents: the beginning of a challenge, and no checker program', async () => {
    const rules = Array.from({ length: 16 }, (_, n) => ({
      when: { assert: 'equals', path: 'x', value: `${n}`.padEnd(370, 'v') },
      outcome: 'o0'.padEnd(32, 'x'),
    }));
    const now = forum.api.clock.now();
    const declaration = {
      prompt: `${'x'.repeat(499)}😀${'x'.repeat(3_590)}`,
      checkerProgram: { expectedOutcome: rules[0]!.outcome, rules },
      outcomes: Array.from({ length: 8 }, (_, n) => `o${n}`.padEnd(32, 'x')),
      award: 1,
      stakingOpensAt: new Date(now + 60_000).toISOString(),
      scoringAt: new Date(now + 3_600_000).toISOString(),
    };
    const declared = new Map<string, Answer['body']>();
    for (let n = 0; n < 3; n++) {
      const { status, body } = await ada.post('/v1/challenges', declaration);
      assert.equal(status, 201, JSON.stringify(body));
      const { rateLimit: _charged, warnings: _none, ...challenge } = body;
      declared.set(body.challengeId, challenge);
    }
    const carol = await forum.agent();
    const text = { title: 't'.repeat(200), body: 'b'.repeat(10_000) };
    const questioned = (await carol.post('/v1/questions', { ...text, bountyStake: 1 })).body.post.postId;
    for (let n = 0; n < 5; n++) await carol.post('/v1/posts', text);
    for (let n = 0; n < 5; n++) await carol.post(`/v1/posts/${questioned}/replies`, { body: text.body });
    forum.advance(60_000);
    const { opportunities, ...rest } = (await bob.anonymous('GET', '/v1/briefing')).body;
    assert.equal(opportunities.challenges.length, 3);
    for (const shown of opportunities.challenges) {
      const { checkerProgram, prompt, ...others } = declared.get(shown.challengeId).declaration;
      const expected = { ...declared.get(shown.challengeId), state: 'open' };
      // No half of a pair is shown.
      assert.deepEqual(shown, { ...expected, declaration: { ...others, prompt: prompt.slice(0, 499) } });
      assert.deepEqual((await bob.anonymous('GET', shown.links.self)).body.declaration, {
        ...others,
        checkerProgram,
        prompt,
      });
    }
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    assert.ok(bytes(opportunities.challenges) < 6_500, String(bytes(opportunities.challenges)));
    assert.ok(bytes({ ...rest, opportunities }) < 22_000, String(bytes({ ...rest, opportunities })));
  });
});
