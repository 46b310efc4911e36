import assert from 'node:assert/strict';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { gramsToLookUp } from '../../../src/features/search/grams.ts';
import { indexPosts, rebuildIndex } from '../../../src/features/search/indexing.ts';
import type { IndexSizes } from '../../../src/features/search/postings.ts';
import { lookUp } from '../../../src/features/search/segments.ts';
import type { Db, Postgres } from '../../../src/platform/postgres/postgres.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';
import { addPosts, changed, moveToIndex, searchAll } from './support/searching.ts';

/** Three blocks, the secret in the middle of the second one. */
const [EACH_SIDE, BLOCK] = [22, 15];
const JOINED = { blockPosts: BLOCK / 3, joinedSegments: 3 };
const COMMON = 'zwölf';
/** No other text has a piece of the first word. */
const SECRET = `ÿþý∆∂ ${COMMON}`;

describe('the text of an erased post in the search index', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let db: Postgres;
  let postId: string;
  beforeEach(async () => {
    forum = await startForum();
    ada = await forum.agent('ada');
    db = forum.api.services.db;
    const others = { count: EACH_SIDE, body: COMMON, authorId: ada.agentId };
    await addPosts(forum, { ...others, newer: false });
    postId = accepted(await ada.post('/v1/posts', { title: SECRET, body: SECRET })).post.postId;
    await addPosts(forum, { ...others, newer: true });
  });
  afterEach(() => forum.stop());

  const erase = () => act(forum, 'erase_content', 'post', postId);
  const index = (segmentBlocks: number, sizes: Partial<IndexSizes> = {}) =>
    moveToIndex(forum, { blockPosts: BLOCK, segmentBlocks, ...sizes });

  /** How many posts of live segments hold all pieces of a text. */
  async function held(text: string): Promise<number> {
    const range = { before: '~', downTo: '', count: 64, bytes: 16_000 };
    const { matches } = await lookUp(db, gramsToLookUp([text], {}), range, { timeoutMs: 5_000 });
    return matches.flatMap(({ places }) => places()).length;
  }
  const grams = () => forum.rows('SELECT DISTINCT gram FROM search_postings ORDER BY gram');

  async function assertErased(): Promise<void> {
    for (const text of [SECRET, 'ÿ', '∆∂']) assert.equal(await held(text), 0, text);
    assert.equal(await held(COMMON), 2 * EACH_SIDE);
    assert.equal((await searchAll(ada, { q: COMMON })).posts.length, 2 * EACH_SIDE);
    assert.deepEqual(await forum.rows('SELECT FROM search_erased'), []);
    const left = await grams();
    await rebuildIndex(searchDatabases(db));
    await index(3);
    assert.deepEqual(await grams(), left, 'as in an index that never had it');
  }

  for (const [kind, segmentBlocks, sizes] of [
    ['of one block', 4, {}],
    ['of many blocks', 3, {}],
    ['that was joined', 3, JOINED],
  ] as const) {
    it(`goes from a segment ${kind}, and nothing else does`, async () => {
      await index(segmentBlocks, sizes);
      assert.equal(await held(SECRET), 1);
      await erase();
      await index(segmentBlocks, sizes);
      await assertErased();
    });
  }

  for (const [what, statementName, sizes] of [
    ['merged', 'search.mergePart', { blockPosts: BLOCK, segmentBlocks: 3 }],
    ['joined', 'search.postingsOfGrams', { segmentBlocks: 3, ...JOINED }],
  ] as const) {
    it(`goes while segments are ${what}`, async () => {
      let steps = 0;
      const cut = changed(db, (work) => (tx) => {
        const query: Db['query'] = (statement, ...rest) => {
          if (statement.name === statementName && ++steps > 8) throw new Error('cut here');
          return tx.query(statement, ...rest);
        };
        return work({ query });
      });
      await assert.rejects(indexPosts(searchDatabases(cut), { ...sizes, stepRows: 9 }), /cut here/);
      await erase();
      await moveToIndex(forum, { ...sizes, stepRows: 9 });
      await assertErased();
    });
  }

  it('goes with that of others in the same segment, and beside those that still wait for one', async () => {
    await index(4);
    const others = await forum.rows<{ id: string }>(
      `SELECT unnest(post_ids) AS id FROM search_block_posts
       WHERE block = (SELECT block FROM search_block_posts WHERE $1 = ANY (post_ids))`,
      [postId],
    );
    assert.equal(others.length, BLOCK);
    for (const { id } of others) await act(forum, 'erase_content', 'post', id);
    const waiting: string[] = [];
    for (let n = 0; n < 3; n++)
      waiting.push(accepted(await ada.post('/v1/posts', { title: 'waits', body: 'waits' })).post.postId);
    await act(forum, 'erase_content', 'post', waiting[2]!);
    const sent: string[] = [];
    const watched = changed(db, (work) => (tx) => {
      const query: Db['query'] = (statement, ...rest) => {
        sent.push(statement.name);
        return tx.query(statement, ...rest);
      };
      return work({ query });
    });
    await indexPosts(searchDatabases(watched), { blockPosts: 2, segmentBlocks: 9, stepRows: 20 });
    const [put, done] = ['search.putSegment', 'search.erasedAll'].map((name) => sent.indexOf(name));
    assert.ok(put! > 0 && put! < done!, `a block was put at ${put}, what was erased was gone at ${done}`);
    assert.equal(sent.filter((name) => name === 'search.erasedAll').length, 2, 'one for all, one for what waits');
    assert.equal(await held(SECRET), 0);
    assert.equal(await held(COMMON), 2 * EACH_SIDE - BLOCK + 1);
    assert.deepEqual(await forum.rows('SELECT FROM search_erased'), []);
  });

  it('is not added if the erasure comes after the text was read', async () => {
    const late = changed(db, (work) => async (tx) => {
      await erase();
      return work(tx);
    });
    assert.equal(await indexPosts(searchDatabases(late), { blockPosts: BLOCK * 3, segmentBlocks: 3 }), 0);
    await index(3);
    await assertErased();
  });

  it('goes when it is erased before its block is committed', async () => {
    let blocks = 0;
    const late = changed(db, (work) => async (tx) => {
      const answer = await work(tx);
      if (++blocks === 1) await erase();
      if (blocks > 1) throw new Error('cut here');
      return answer;
    });
    await assert.rejects(indexPosts(searchDatabases(late), { blockPosts: BLOCK * 3, segmentBlocks: 3 }), /cut here/);
    assert.equal(await held(SECRET), 1);
    await index(3);
    await assertErased();
  });
});
