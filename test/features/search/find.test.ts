import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { addHiddenPost, coverByRemoved, moveToIndex, statementsOf } from './support/searching.ts';

const DAY_MS = 86_400_000;

describe('search.find', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent('ada');
  });
  after(() => forum.stop());

  const write = async (body: object): Promise<string> => {
    const answer = await ada.post('/v1/posts', body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.post.postId;
  };
  const search = (query: Record<string, string>) =>
    ada.anonymous('GET', '/v1/search', { query: new URLSearchParams(query).toString() });
  const foundPosts = async (query: Record<string, string>): Promise<string[]> =>
    (await search(query)).body.posts.map(({ postId }: { postId: string }) => postId);
  const indexed = () => moveToIndex(forum, { blockPosts: 1, segmentBlocks: 4 });

  it('shows the post with an excerpt around the match, or in full', async () => {
    const body = `${'a'.repeat(2_000)} the Needle ${'b'.repeat(2_000)}`;
    const postId = await write({ title: 'A long one', body });
    const [post] = (await search({ q: 'the needle' })).body.posts;
    assert.ok(post.excerpt.length === 500 && post.excerpt.includes('the Needle') && !('body' in post));
    assert.equal(post.links.self, `/v1/posts/${postId}`);
    const [full] = (await search({ q: 'the needle', view: 'full' })).body.posts;
    assert.ok(full.body === body && !('excerpt' in full));
    const read = await ada.anonymous('GET', `/v1/posts/${postId}`);
    assert.deepEqual(full, read.body.post);
  });

  it('matches one literal within title or body, and terms across both', async () => {
    const postId = await write({ title: 'Ends with heron', body: 'stork begins' });
    assert.deepEqual(await foundPosts({ q: 'heron\nstork' }), []);
    assert.deepEqual(await foundPosts({ q: 'heron stork' }), []);
    assert.deepEqual(await foundPosts({ q: 'stork heron', match: 'all' }), [postId]);
    assert.deepEqual(await foundPosts({ q: 'stork heron emu', match: 'all' }), []);
  });

  it('matches a long literal to its end', async () => {
    const [begin, end] = ['Crane '.repeat(20), ' and no other'];
    const postId = await write({ title: 'A long literal', body: `x ${begin}here${end}` });
    await write({ title: 'Begins alike', body: `x ${begin}there${end}` });
    assert.deepEqual(await foundPosts({ q: `${begin}here${end}`.toUpperCase() }), [postId]);
    assert.equal((await foundPosts({ q: begin })).length, 2);
  });

  it('does not find across two fields of a profile', async () => {
    await forum.agent('grebe-one');
    assert.equal((await search({ q: 'grebe-one' })).body.agents.length, 1);
    // The display name equals the handle, and profiles store both.
    assert.equal((await search({ q: 'grebe-one\ngrebe-one' })).body.agents.length, 0);
    const [agent] = (await search({ q: 'GREBE-ONE testing math', match: 'all' })).body.agents;
    assert.equal(agent.purpose, 'testing');
    assert.deepEqual(agent.capabilities, ['search', 'math']);
  });

  it('filters posts alone, by author, community and type', async () => {
    const bob = await forum.agent('filter-bob');
    const community = { slug: 'filter-place', displayName: 'Filter', description: '', visibility: 'public' };
    await ada.post('/v1/communities', community);
    const there = await write({ title: 'filter there', body: 'x', communitySlug: 'filter-place' });
    const here = await write({ title: 'filter here', body: 'x' });
    const bobs = (await bob.post('/v1/posts', { title: 'filter by bob', body: 'x' })).body.post.postId;
    assert.deepEqual(await foundPosts({ q: 'filter', author: 'filter-bob' }), [bobs]);
    assert.deepEqual(await foundPosts({ q: 'filter', community: 'filter-place' }), [there]);
    assert.deepEqual(await foundPosts({ q: 'filter', community: 'filter-place', author: 'filter-bob' }), []);
    assert.deepEqual((await foundPosts({ q: 'filter', type: 'post' })).toSorted(), [there, here, bobs].toSorted());
    assert.deepEqual(await foundPosts({ q: 'filter', postType: 'question' }), []);
    assert.deepEqual(await foundPosts({ author: 'filter-bob' }), [bobs]);
    assert.deepEqual(await foundPosts({ author: 'filter-bob', match: 'all' }), [bobs]);
    const filtered = await search({ q: 'filter', author: 'nobody-at-all' });
    assert.deepEqual(filtered.body.posts, []);
    assert.equal(filtered.body.agents[0].handle, 'filter-bob');
    assert.equal(filtered.body.communities[0].slug, 'filter-place');
  });

  it('filters posts and replies by their age, also in segments', async () => {
    const postId = await write({ title: 'Aged osprey', body: 'x' });
    const reply = async () =>
      (await ada.post(`/v1/posts/${postId}/replies`, { body: 'an osprey' })).body.reply.replyId as string;
    const foundReplies = async (since: string): Promise<string[]> =>
      (await ada.anonymous('GET', '/v1/search/replies', { query: `q=osprey&since=${since}` })).body.items.map(
        ({ replyId }: { replyId: string }) => replyId,
      );
    const replies = [await reply()];
    await indexed();
    forum.advance(3 * DAY_MS);
    replies.unshift(await reply());
    const later = await write({ title: 'Late osprey', body: 'x' });
    for (const [since, count] of [
      ['day', 1],
      ['week', 2],
      ['month', 2],
      ['all', 2],
    ] as const) {
      assert.deepEqual(await foundPosts({ q: 'osprey', since }), [later, postId].slice(0, count));
      assert.deepEqual(await foundReplies(since), replies.slice(0, count));
    }
    await indexed();
    assert.deepEqual(await foundPosts({ q: 'osprey', since: 'day' }), [later]);
    assert.equal((await search({ q: 'osprey', since: 'day' })).body.nextCursor, undefined);
    const { nextCursor } = (await search({ q: 'osprey', since: 'week', limit: '1' })).body;
    assert.deepEqual(await foundPosts({ q: 'osprey', since: 'week', limit: '1', cursor: nextCursor }), [postId]);
    assert.equal((await search({ q: 'osprey', since: 'month', limit: '1', cursor: nextCursor })).body.field, 'cursor');
  });

  const refused: [string, Record<string, string>, object][] = [
    ['nine terms', { match: 'all', q: '1 2 3 4 5 6 7 8 9' }, { field: 'q' }],
    ['a long term', { match: 'all', q: 'x'.repeat(65) }, { field: 'q' }],
    ['U+0000', { q: 'a\0b' }, { field: 'q' }],
    ['an unknown mode', { match: 'any' }, { field: 'match' }],
    ['an unknown view', { view: 'short' }, { field: 'view' }],
    ['types that disagree', { type: 'post', postType: 'question' }, { field: 'type' }],
    ['an unknown period', { since: 'year' }, { field: 'since' }],
    ['a page of 21', { limit: '21' }, { field: 'limit' }],
  ];
  for (const [title, query, details] of refused) {
    it(`refuses ${title}`, async () => {
      const answer = await search(query);
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, { error: 'invalid_request', ...details });
    });
  }

  it('lists everything for an empty literal', async () => {
    const { body } = await search({});
    assert.ok(body.posts.length > 0 && body.agents.length > 0);
    assert.deepEqual((await search({ q: '' })).body.posts, body.posts);
  });

  it('returns all posts if there are no terms, with a filter or without', async () => {
    const { body } = await search({});
    const cy = await forum.agent('termless-cy');
    const own = (await cy.post('/v1/posts', { title: 'T', body: 'no double space' })).body.post.postId;
    for (const q of [undefined, '', '  ', '\u00a0\t']) {
      const asked = { match: 'all', ...(q === undefined ? {} : { q }) };
      const all = (await search(asked)).body;
      assert.deepEqual([all.posts[0].postId, all.posts[1].postId], [own, body.posts[0].postId]);
      assert.deepEqual(all.agents, (await search({})).body.agents);
      assert.deepEqual(await foundPosts({ ...asked, author: 'termless-cy' }), [own]);
    }
    assert.deepEqual(await foundPosts({ q: '  ', author: 'termless-cy' }), []);
  });

  describe('by its index', () => {
    before(() => coverByRemoved(forum));

    it('finds a post as soon as it is accepted, and once it is in a segment', async () => {
      const postId = await write({ title: 'Immediate', body: 'quickly found' });
      assert.deepEqual(await foundPosts({ q: 'quickly found' }), [postId]);
      await indexed();
      assert.deepEqual(await forum.rows('SELECT FROM search_waiting'), []);
      const [placed] = await forum.rows<{ post_ids: string[] }>(
        'SELECT post_ids FROM search_block_posts ORDER BY block DESC LIMIT 1',
      );
      assert.deepEqual(placed!.post_ids, [postId]);
      const sent = await statementsOf(forum, async () =>
        assert.deepEqual(await foundPosts({ q: 'QUICKLY found' }), [postId]),
      );
      assert.ok(sent.includes('search.lookUp') && sent.includes('search.matchingPosts'), sent.join());
    });

    it('drops a removed post at once, waiting or in a segment', async () => {
      const old = await write({ title: 'removable', body: 'x' });
      await indexed();
      const fresh = await write({ title: 'removable', body: 'x' });
      assert.deepEqual((await foundPosts({ q: 'removable' })).toSorted(), [old, fresh].toSorted());
      await forum.rows('UPDATE post_states SET removed = true WHERE post_id = ANY ($1)', [[old, fresh]]);
      assert.deepEqual(await foundPosts({ q: 'removable' }), []);
    });

    it('never finds hidden posts, also for members', async () => {
      await addHiddenPost(ada, 'hidden-place', 'marker-7f3a');
      await indexed();
      for (const query of ['q=marker-7f3a', 'q=marker-7f3a&author=ada', 'q=hidden-place']) {
        const anonymous = await ada.anonymous('GET', '/v1/search', { query });
        assert.deepEqual(anonymous.body, { posts: [], agents: [], communities: [] });
        assert.deepEqual((await ada.get('/v1/search', query)).body, anonymous.body);
      }
      for (const slug of ['hidden-place', 'no-such-place']) {
        const answer = await ada.get('/v1/search', `q=x&community=${slug}`);
        assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }]);
      }
    });
  });
});
