import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { walkRanks } from '../../../src/features/posts/ranks.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const HOUR_MS = 3_600_000;

describe('GET /v1/posts by score or activity', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '500', LIMIT_VOTES: '500', LIMIT_REPLIES: '500' } });
    [ada, ben] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const write = async (title: string, more: object = {}): Promise<string> =>
    (await ada.post('/v1/posts', { title, body: 'x', ...more })).body.post.postId;
  const found = async (slug: string) => {
    const community = { slug, displayName: slug, description: '', visibility: 'public' };
    assert.equal((await ada.post('/v1/communities', community)).status, 201);
  };
  const vote = (targetId: string, value: 'up' | 'down') => ben.post('/v1/votes', { targetId, value });
  const reply = async (postId: string): Promise<string> => {
    const { status, body } = await ben.post(`/v1/posts/${postId}/replies`, { body: 'r' });
    assert.equal(status, 201, JSON.stringify(body));
    return body.reply.replyId;
  };
  const act = async (action: string, targetType: string, targetId: string) => {
    const body = { action, targetType, targetId, reason: 'R' };
    assert.ok((await forum.operator.post('/v1/governance/enforcement', body)).status < 300);
  };
  const ids = async (query: string, limit = 20): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await ada.anonymous('GET', '/v1/posts', { query: `${query}&limit=${limit}${cursor}` });
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...body.items.map(({ postId }: { postId: string }) => postId));
      if (!body.nextCursor) return seen;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  const shows = (query: string, expected: readonly string[]) =>
    eventually(async () => isDeepStrictEqual(await ids(query), expected));

  it('lists open questions by bounty, and solved questions by the time of the solution', async () => {
    const ask = async (bountyStake?: number, communitySlug: string | null = null): Promise<string> =>
      (await ada.post('/v1/questions', { title: `${bountyStake}?`, body: 'x', communitySlug, bountyStake })).body.post
        .postId;
    const [two, four, none, also] = [await ask(2), await ask(4), await ask(), await ask(2)];
    assert.deepEqual(await ids('order=bounty'), [four, also, two]);
    assert.deepEqual(await ids('order=bounty&type=question', 1), [four, also, two]);
    for (const postId of [none, four])
      assert.equal((await ada.post(`/v1/questions/${postId}/solving`, { replyId: await reply(postId) })).status, 200);
    assert.deepEqual(await ids('order=bounty'), [also, two]);
    assert.deepEqual(await ids('order=solved', 1), [four, none]);
    await act('remove_content', 'post', also);
    assert.deepEqual(await ids('order=bounty'), [two]);
    for (const filter of ['author=ada', 'community=orders', 'finding=true', 'postType=post'])
      assert.equal((await ada.get('/v1/posts', `order=bounty&${filter}`)).status, 400, filter);
    assert.equal((await ada.get('/v1/posts', 'order=solved&since=day')).status, 400);
  });

  it('sorts by score, then id, and by the latest visible reply', async () => {
    await found('orders');
    assert.equal((await ben.post('/v1/communities/orders/members', {})).status, 201);
    const [first, second, third] = [
      await write('1', { communitySlug: 'orders' }),
      await write('2', { communitySlug: 'orders' }),
      await write('3', { communitySlug: 'orders' }),
    ];
    const top = 'order=top&community=orders';
    const active = 'order=active&community=orders';
    await shows(top, [third, second, first]);
    await vote(first, 'up');
    await vote(third, 'down');
    await shows(top, [first, second, third]);
    assert.deepEqual(await ids(top, 1), [first, second, third]);
    await shows(active, [third, second, first]);
    const replyId = await reply(first);
    await shows(active, [first, third, second]);
    assert.deepEqual(await ids(active, 1), [first, third, second]);
    await act('remove_content', 'reply', replyId);
    await shows(active, [third, second, first]);
    await act('restore_content', 'reply', replyId);
    await shows(active, [first, third, second]);
    const latest = async (): Promise<unknown[]> =>
      (await ada.anonymous('GET', '/v1/posts', { query: active })).body.items.map(
        ({ latestReply }: { latestReply: { replyId: string } | null }) => latestReply?.replyId ?? null,
      );
    const another = await reply(first);
    assert.deepEqual(await latest(), [another, null, null]);
    await act('remove_content', 'reply', another);
    assert.deepEqual(await latest(), [replyId, null, null]);
    const { post, replies } = (await ada.get(`/v1/posts/${first}`)).body;
    assert.deepEqual(post.latestReply, { replyId, author: replies[0].author, createdAt: replies[0].createdAt });
    await ben.post('/v1/votes/recant', { targetId: first });
    await shows(top, [second, first, third]);
    const all = await ids('order=top');
    assert.deepEqual(
      all.filter((id) => [first, second, third].includes(id)),
      [second, first, third],
    );
  });

  it('leaves out removed posts and removed communities at once, and returns them when they are restored', async () => {
    await found('coming-and-going');
    const postId = await write('here', { communitySlug: 'coming-and-going' });
    const other = await write('elsewhere');
    for (const order of ['top', 'active']) await eventually(async () => (await ids(`order=${order}`)).includes(postId));
    for (const [type, id] of [
      ['post', postId],
      ['community', 'coming-and-going'],
    ] as const) {
      await act('remove_content', type, id);
      for (const order of ['top', 'active']) {
        const seen = await ids(`order=${order}`, 2);
        assert.ok(!seen.includes(postId) && seen.includes(other));
      }
      await eventually(async () => (await ranksOf(postId)).length === 0);
      await act('restore_content', type, id);
      for (const order of ['top', 'active'])
        await eventually(async () => (await ids(`order=${order}`)).includes(postId));
    }
  });

  it('restricts `top` to posts of a window', async () => {
    const posts: string[] = [];
    for (const hours of [40 * 24, 10 * 24, 25, 23, 0]) {
      forum.advance(-hours * HOUR_MS);
      posts.unshift(await write(`${hours} hours ago`));
      forum.advance(hours * HOUR_MS);
    }
    await eventually(
      async () => (await ids('order=top&since=all')).filter((id) => posts.includes(id)).length === posts.length,
    );
    for (const [since, count] of [
      ['day', 2],
      ['week', 3],
      ['month', 4],
      ['all', 5],
    ] as const) {
      for (const limit of [1, 20]) {
        const seen = await ids(`order=top&since=${since}`, limit);
        assert.deepEqual(
          seen.filter((id) => posts.includes(id)),
          posts.slice(0, count),
          since,
        );
      }
    }
  });

  it('filters by author or type, and refuses what has no index', async () => {
    const other = await forum.agent();
    const mine = (await other.post('/v1/posts', { title: 'mine', body: 'x' })).body.post.postId;
    const question = (await other.post('/v1/questions', { title: 'Q', body: 'x', communitySlug: null })).body.post
      .postId;
    await shows(`order=top&author=${other.handle}`, [question, mine]);
    await shows(`order=active&author=${other.handle}`, [question, mine]);
    assert.ok((await ids('order=top&postType=question')).includes(question));
    assert.ok(!(await ids('order=active&type=post')).includes(question));
    assert.deepEqual(await ids('order=top&author=nobody-at-all'), []);
    for (const [query, field] of [
      ['order=top&finding=true', 'order'],
      ['order=active&community=orders&postType=post', 'order'],
      ['order=top&since=day&community=orders', 'since'],
      ['order=active&since=day', 'since'],
      ['since=week', 'since'],
      ['order=best', 'order'],
    ]) {
      const { status, body } = await ada.anonymous('GET', '/v1/posts', { query: query! });
      assert.deepEqual([status, body], [400, { error: 'invalid_request', field }], query);
    }
  });

  it('binds cursors to order and window', async () => {
    const { nextCursor } = (await ada.anonymous('GET', '/v1/posts', { query: 'order=top&limit=1' })).body;
    for (const [query, status] of [
      ['order=top', 200],
      ['order=top&since=all', 200],
      ['order=top&since=month', 400],
      ['order=active', 400],
      ['order=newest', 400],
    ] as const) {
      const answer = await ada.anonymous('GET', '/v1/posts', { query: `${query}&limit=1&cursor=${nextCursor}` });
      assert.equal(answer.status, status, query);
    }
  });

  it('compares all ranks after an upgrade', async () => {
    await eventually(async () => (await forum.rows('SELECT outbox_id FROM outbox')).length === 0);
    const whole =
      'SELECT post_id, score, active_at, created_hour, community_slug, author_id, post_type FROM post_ranks ORDER BY 1';
    const before = await forum.rows(whole);
    assert.ok(before.length > 5);
    await forum.rows(`DELETE FROM post_ranks WHERE score = 0`);
    await forum.rows(`UPDATE post_ranks SET score = score + 7`);
    await forum.rows(`INSERT INTO rank_walks (community_slug, next_post_id) VALUES ('', '')`);
    await walkRanks(forum.api.services.db);
    await eventually(async () => isDeepStrictEqual(await forum.rows(whole), before));
  });

  const ranksOf = (postId: string) => forum.rows('SELECT score FROM post_ranks WHERE post_id = $1', [postId]);
});
