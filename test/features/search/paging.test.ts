import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { addPosts, coverByRemoved, moveToIndex, searchAll, statementsOf } from './support/searching.ts';

describe('search.find, page by page', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent('ada');
    await coverByRemoved(forum);
  });
  after(() => forum.stop());

  const write = async (title: string, body = 'x'): Promise<string> => {
    const answer = await ada.post('/v1/posts', { title, body });
    assert.equal(answer.status, 201);
    return answer.body.post.postId;
  };
  const search = (query: Record<string, string>) =>
    ada.anonymous('GET', '/v1/search', { query: new URLSearchParams(query).toString() });

  it('shows every earlier post once while others are written and moved into the index', async () => {
    const earlier: string[] = [];
    for (let n = 0; n < 24; n++) earlier.push(await write(`Steady ${n}`));
    const later: string[] = [];
    const sent = await statementsOf(forum, async () => {
      const found = await searchAll(ada, { q: 'STEADY', limit: '5' }, async () => {
        later.push(await write('Steady but late'), await write('Steady and later'));
        await moveToIndex(forum, { blockPosts: 7, segmentBlocks: 2 });
      });
      assert.equal(new Set(found.posts).size, found.posts.length);
      const shownEarlier = found.posts.filter((postId) => !later.includes(postId));
      assert.deepEqual(shownEarlier, earlier.toSorted().toReversed());
    });
    assert.ok(sent.includes('search.lookUp'), sent.join());
  });

  it('continues all three lists by one cursor, each to its own end', async () => {
    const handles = ['plural-a', 'plural-b', 'plural-c', 'plural-d', 'plural-e'];
    for (const handle of handles) await forum.agent(handle);
    const community = { slug: 'plural-place', displayName: 'P', description: '', visibility: 'public' };
    assert.equal((await ada.post('/v1/communities', community)).status, 201);
    const posts = [await write('Plural one'), await write('plural two'), await write('PLURAL three')];
    const found = await searchAll(ada, { q: 'plural', limit: '2' });
    assert.deepEqual(found.agents, handles);
    assert.deepEqual(found.communities, ['plural-place']);
    assert.deepEqual(found.posts, posts.toSorted().toReversed());
    assert.equal(found.pages, 3);
  });

  it('binds a cursor to the raw query, the mode and every filter, but not to size or view', async () => {
    for (let n = 0; n < 3; n++) await write(`bound cursor ${n}`);
    const query = { q: 'bound cursor', limit: '1' };
    const cursor = (await search(query)).body.nextCursor as string;
    const changed: Record<string, string>[] = [
      { q: 'Bound cursor' },
      { q: 'bound cursor ' },
      { match: 'all' },
      { author: 'ada' },
      { community: 'plural-place' },
      { postType: 'post' },
      { cursor: `${cursor.slice(0, -2)}AA` },
    ];
    for (const change of changed) {
      const answer = await search({ ...query, cursor, ...change });
      assert.equal(answer.status, 400, JSON.stringify(change));
      assert.deepEqual(answer.body, { error: 'invalid_request', field: 'cursor' });
    }
    const rest = await search({ q: 'bound cursor', limit: '20', view: 'full', cursor });
    assert.equal(rest.body.posts.length, 2);
  });

  it('returns a short or empty page instead of a slow one, and continues by its cursor', async () => {
    const needle = await write('Far below', 'a §§ b');
    const body = '. '.repeat(2_000);
    await addPosts(forum, { count: 20_000, body, newer: true, authorId: ada.agentId });
    const found = await searchAll(ada, { q: '§§' });
    assert.deepEqual(found.posts, [needle]);
    assert.ok(found.emptyPages >= 1, `${found.pages} pages`);
    assert.ok(found.slowestMs < scaleWait(1_000), `${found.slowestMs} ms`);
  });
});
