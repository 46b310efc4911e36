import assert from 'node:assert/strict';
import { factGrams, gramsToLookUp } from '../../../src/features/search/grams.ts';
import { cachedFact, cacheFact } from '../../../src/features/search/segmentCache.ts';
import { lookUp } from '../../../src/features/search/segments.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';
import { addPosts, moveToIndex, searchAll } from './support/searching.ts';

const POSTS = 40;

describe('the cached posting of a filter', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  beforeEach(async () => {
    forum = await startForum();
    ada = await forum.agent('ada');
    await addPosts(forum, { count: POSTS, body: 'quince', newer: false, authorId: forum.operator.agentId });
    postId = accepted(await ada.post('/v1/posts', { title: 'A quince', body: 'medlar' })).post.postId;
    await addPosts(forum, { count: POSTS, body: 'quince', newer: true, authorId: forum.operator.agentId });
    await moveToIndex(forum, { blockPosts: 9, segmentBlocks: 3, joinedSegments: 3 });
  });
  afterEach(() => forum.stop());

  /** What a search for a word among the posts of an author looks through, and the grams that it reads. */
  async function read(word: string) {
    const { db } = forum.api.services;
    const grams = new Set<number>();
    const origin: Db = {
      origin: db,
      query: (statement, values = [], options) => {
        if (statement.name === 'search.postings') for (const gram of values[1] as number[]) grams.add(gram);
        return db.query(statement, values, options);
      },
    };
    const fact = { authorId: ada.agentId };
    const range = { before: '~', downTo: '', count: 64, bytes: 100_000 };
    const { matches } = await lookUp(origin, gramsToLookUp([word], fact), range, { timeoutMs: 5_000 });
    return { places: matches.flatMap(({ places }) => places()).length, isRead: grams.has(factGrams(fact)[0]!) };
  }

  it('is read once for all searches', async () => {
    assert.deepEqual(await read('quince'), { places: 1, isRead: true });
    assert.deepEqual(await read('medlar'), { places: 1, isRead: false });
  });

  it('shows nothing that was erased since', async () => {
    const query = { q: 'quince', author: 'ada' };
    assert.deepEqual((await searchAll(ada, query)).posts, [postId]);
    await act(forum, 'erase_content', 'post', postId);
    assert.deepEqual((await searchAll(ada, query)).posts, []);
    await moveToIndex(forum, { blockPosts: 9, segmentBlocks: 3, joinedSegments: 3 });
    assert.deepEqual((await searchAll(ada, query)).posts, []);
  });

  it('is that of the very segment in the very index', () => {
    const segment = { segment: 7, oldest: 'p_1', newest: 'p_5' };
    const { db } = forum.api.services;
    const bytes = Buffer.from([0, 1, 3, 0]);
    cacheFact(db, 'one', segment, 11, bytes);
    bytes.fill(0);
    assert.deepEqual(cachedFact(db, 'one', segment, 11), Buffer.from([0, 1, 3, 0]));
    assert.equal(cachedFact(db, 'one', segment, 12), undefined);
    assert.equal(cachedFact(db, 'one', { ...segment, newest: 'p_6' }, 11), undefined);
    assert.equal(cachedFact(db, 'another', segment, 11), undefined);
  });
});
