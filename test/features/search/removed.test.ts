import assert from 'node:assert/strict';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { indexedPieces } from '../../../src/features/search/indexedPieces.ts';
import { matchingPosts, walkPosts, walkWaiting } from '../../../src/features/search/store.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { addHiddenPost, addPosts, moveToIndex, searchAll } from './support/searching.ts';

const WORD = 'spam';
/** The number of posts of a full page. */
const LIMIT = 5;
const REMOVED = 200;
const STANDING = 20;
const NO_HURRY = { timeoutMs: 5_000 };

describe('a search where most of what matches was removed', () => {
  let forum: TestForum;
  let standing: string[];
  let all: string[];
  before(async () => {
    forum = await startForum();
    const posts = { body: WORD, authorId: forum.operator.agentId };
    await addPosts(forum, { ...posts, count: STANDING, newer: false });
    await addPosts(forum, { ...posts, count: REMOVED, newer: true });
    await forum.rows(`UPDATE post_states SET removed = true WHERE post_id LIKE 'p_z%'`);
    const ids = await forum.rows<{ id: string }>('SELECT post_id AS id FROM posts ORDER BY post_id DESC');
    all = ids.map(({ id }) => id);
    standing = all.slice(REMOVED);
  });
  after(() => forum.stop());

  it('is filled with visible posts from the index, from waiting posts and from compared texts', async () => {
    const { db } = forum.api.services;
    const criteria = { terms: [WORD] };
    const stretch = { from: '~', rows: 1_000, limit: LIMIT };
    const newest = standing.slice(0, LIMIT);
    assert.deepEqual((await walkPosts(db, criteria, stretch, NO_HURRY)).postIds, newest);
    assert.deepEqual((await walkWaiting(db, criteria, stretch, NO_HURRY)).postIds, newest);
    assert.deepEqual(await matchingPosts(db, criteria, { postIds: all, limit: LIMIT }, NO_HURRY), newest);
  });

  it('is filled with visible posts of other communities, too', async () => {
    const { db } = forum.api.services;
    const place = { slug: 'gone-place', displayName: 'P', description: '', visibility: 'public' };
    assert.equal((await forum.operator.post('/v1/communities', place)).status, 201);
    const title = `${WORD} elsewhere`;
    const elsewhere = { title, body: 'x', communitySlug: place.slug };
    for (let n = 0; n < LIMIT; n++) assert.equal((await forum.operator.post('/v1/posts', elsewhere)).status, 201);
    const posted = () => walkPosts(db, { terms: [WORD] }, { from: '~', rows: 1_000, limit: LIMIT }, NO_HURRY);
    assert.notDeepEqual((await posted()).postIds, standing.slice(0, LIMIT));
    await forum.rows('UPDATE community_states SET removed = true WHERE slug = $1', [place.slug]);
    assert.deepEqual((await posted()).postIds, standing.slice(0, LIMIT));
  });

  it('a search by author reads only the public posts of that author', async () => {
    const ada = await forum.agent('ada');
    const { postId } = (await ada.post('/v1/posts', { title: 'In public', body: 'x' })).body.post;
    const gone = (await ada.post('/v1/posts', { title: 'In public', body: 'x' })).body.post.postId;
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [gone]);
    for (const slug of ['hidden-one', 'hidden-two']) await addHiddenPost(ada, slug, 'In public');
    const criteria = { terms: ['in public'], authorId: ada.agentId };
    const walked = await walkPosts(forum.api.services.db, criteria, { from: '~', rows: 2, limit: LIMIT }, NO_HURRY);
    assert.deepEqual(walked, { postIds: [postId], edge: null });
  });

  it('continues within the candidates of the index after a page was filled from them', async () => {
    await moveToIndex(forum, { blockPosts: 100, segmentBlocks: 4 });
    const search = { db: searchDatabases(forum.api.services.db), criteria: { terms: [WORD] }, limit: LIMIT };
    const found: string[] = [];
    for await (const { postIds } of indexedPieces(search, { before: '~', waitingRows: 10 })) {
      assert.ok(postIds.length <= 2 * LIMIT);
      found.push(...postIds);
    }
    assert.deepEqual(found, standing);
    assert.deepEqual((await searchAll(forum.operator, { q: WORD, limit: `${LIMIT}` })).posts, standing);
  });
});
