import assert from 'node:assert/strict';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { gramsToLookUp } from '../../../src/features/search/grams.ts';
import { rebuildIndex } from '../../../src/features/search/indexing.ts';
import { lookUp, postIdsAt } from '../../../src/features/search/segments.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { addPosts, moveToIndex } from './support/searching.ts';

const POSTS = 90;
const UNITS = 300;
const SIZES = { blockPosts: 40, blockGrams: 5_000, segmentBlocks: 4 };
/** Runs of one, two and three units, and what is looked up beside them. */
const GRAMS_A_POST = 3 * UNITS + 10;
const NO_HURRY = { timeoutMs: 5_000 };

describe('blocks of texts with very many grams', () => {
  let forum: TestForum;
  let texts: { post_id: string; body: string }[];
  before(async () => {
    forum = await startForum();
    await addPosts(forum, { count: POSTS, body: '', newer: false, authorId: forum.operator.agentId });
    // Ideographs at random: hardly a run of them occurs in two posts.
    await forum.rows(
      `UPDATE posts SET body = (
         SELECT string_agg(chr(19968 + floor(random() * 20000)::integer), '') FROM generate_series(1, $1) WHERE post_id <> ''
       )`,
      [UNITS],
    );
    texts = await forum.rows('SELECT post_id, body FROM posts ORDER BY post_id');
  });
  after(() => forum.stop());

  async function assertIndexed(expected: typeof texts): Promise<void> {
    const blocks = await forum.rows<{ posts: number }>(
      'SELECT sum(cardinality(post_ids))::integer AS posts FROM search_block_posts GROUP BY block',
    );
    assert.equal(
      blocks.reduce((sum, { posts }) => sum + posts, 0),
      expected.length,
    );
    const most = Math.max(...blocks.map(({ posts }) => posts));
    assert.ok(most <= Math.ceil(SIZES.blockGrams / UNITS), `${most} posts in a block`);
    const [{ grams } = { grams: 0 }] = await forum.rows<{ grams: number }>(
      `SELECT max(count)::integer AS grams FROM (
         SELECT count(*) / cardinality(s.blocks) AS count
         FROM search_postings p JOIN search_segments s USING (segment) GROUP BY segment, s.blocks
       ) counted`,
    );
    assert.ok(grams <= SIZES.blockGrams + GRAMS_A_POST, `${grams} grams a block`);
    for (const { post_id, body } of expected) assert.deepEqual(await holding(body.slice(100, 110)), [post_id]);
  }

  async function holding(text: string): Promise<string[] | undefined> {
    const range = { before: '~', downTo: '', count: 64, bytes: 16_000 };
    const { matches } = await lookUp(forum.api.services.db, gramsToLookUp([text], {}), range, NO_HURRY);
    const places = matches.flatMap(({ block, places }) => places().map((place) => ({ block, place })));
    return postIdsAt(forum.api.services.db, places, NO_HURRY);
  }

  it('end before they are too large, from the oldest of those that wait on', async () => {
    const moved = await moveToIndex(forum, SIZES);
    assert.ok(moved > POSTS - SIZES.blockPosts && moved < POSTS, `${moved}`);
    await assertIndexed(texts.slice(0, moved));
  });

  it('end before they are too large, from the newest post down while the index is rebuilt', async () => {
    await rebuildIndex(searchDatabases(forum.api.services.db));
    assert.equal(await moveToIndex(forum, SIZES), POSTS);
    await assertIndexed(texts);
  });
});
