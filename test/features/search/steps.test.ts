import assert from 'node:assert/strict';
import { arrangeSegments } from '../../../src/features/search/merging.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const SIZES = {
  blockPosts: 1,
  blockGrams: 1_000,
  segmentBlocks: 2,
  joinedSegments: 1,
  stepRows: 1_000,
};
/** Of each block, side by side. */
const GRAMS = 40_000;

describe('segments of very many grams', () => {
  let forum: TestForum;
  beforeEach(async () => {
    forum = await startForum();
  });
  afterEach(() => forum.stop());

  /** Of one post, as large as of thousands of long ones. */
  const putBlock = async (block: number, state: string, grams = GRAMS) => {
    const id = `p_${block}`;
    await forum.rows(
      `INSERT INTO search_segments (segment, state, oldest, newest, blocks, blocks_oldest, blocks_newest)
       VALUES ($1, $2, $3, $3, $4, $5, $5)`,
      [block, state, id, [block], [id]],
    );
    await forum.rows('INSERT INTO search_block_posts VALUES ($1, 0, $2)', [block, [id]]);
    await forum.rows(`INSERT INTO search_postings SELECT $1, n, '\\x00010000' FROM generate_series(1, $2) n`, [
      block,
      grams,
    ]);
  };
  const countPostings = async () =>
    (await forum.rows<{ count: number }>('SELECT count(*)::integer AS count FROM search_postings'))[0]!.count;

  /** Arranges them to the end; the most that a step added or removed. */
  async function arrange(sizes = SIZES): Promise<number> {
    let most = 0;
    for (let count = await countPostings(); await arrangeSegments(forum.api.services.db, sizes); ) {
      const changed = await countPostings();
      [most, count] = [Math.max(most, Math.abs(changed - count)), changed];
    }
    return most;
  }

  it('are dropped in steps that a statement has time for', async () => {
    await putBlock(1, 'left');
    const most = await arrange();
    assert.ok(most <= 4 * SIZES.stepRows, `${most} rows at once`);
    for (const table of ['search_segments', 'search_postings', 'search_block_posts'])
      assert.deepEqual(await forum.rows(`SELECT FROM ${table}`), [], table);
  });

  it('are merged in steps that a statement has time for', async () => {
    await forum.rows(`SELECT setval('search_segments_seq', 2)`);
    await putBlock(1, 'live');
    await putBlock(2, 'live');
    const most = await arrange();
    assert.ok(most <= 4 * SIZES.stepRows, `${most} rows at once`);
    assert.deepEqual(await forum.rows('SELECT segment, state, blocks FROM search_segments'), [
      { segment: 3, state: 'live', blocks: [1, 2] },
    ]);
    assert.deepEqual(
      await forum.rows('SELECT segment, posts, count(*)::integer AS count FROM search_postings GROUP BY 1, 2'),
      [{ segment: 3, posts: Buffer.from('0001000001010000', 'hex'), count: GRAMS }],
    );
  });

  it('are joined in steps that a statement has time for', async () => {
    await forum.rows(`SELECT setval('search_segments_seq', 4)`);
    for (const block of [1, 2, 3, 4]) await putBlock(block, 'live');
    await forum.rows('DELETE FROM search_postings WHERE segment < 3 AND gram <= 100');
    const most = await arrange({ ...SIZES, joinedSegments: 2 });
    assert.ok(most <= 4 * SIZES.stepRows, `${most} rows at once`);
    assert.deepEqual(await forum.rows('SELECT segment, state, blocks, blocks_oldest FROM search_segments'), [
      { segment: 7, state: 'live', blocks: [1, 2, 3, 4], blocks_oldest: ['p_1', 'p_2', 'p_3', 'p_4'] },
    ]);
    assert.deepEqual(
      await forum.rows(
        'SELECT segment, posts, count(*)::integer AS count FROM search_postings GROUP BY 1, 2 ORDER BY 3',
      ),
      [
        { segment: 7, posts: Buffer.from('0201000003010000', 'hex'), count: 100 },
        { segment: 7, posts: Buffer.from('00010000010100000201000003010000', 'hex'), count: GRAMS - 100 },
      ],
    );
  });

  it('are joined with larger ones, of which a release before made fewer parts one', async () => {
    await forum.rows(`SELECT setval('search_segments_seq', 4)`);
    for (const block of [1, 2, 3, 4]) await putBlock(block, 'live', 100);
    await arrange({ ...SIZES, joinedSegments: 2 });
    await forum.rows(`SELECT setval('search_segments_seq', 9)`);
    for (const block of [8, 9]) await putBlock(block, 'live', 100);
    await arrange({ ...SIZES, joinedSegments: 3 });
    assert.deepEqual(await forum.rows('SELECT segment, state, blocks FROM search_segments'), [
      { segment: 11, state: 'live', blocks: [1, 2, 3, 4, 8, 9] },
    ]);
    assert.deepEqual(
      await forum.rows('SELECT segment, posts, count(*)::integer AS count FROM search_postings GROUP BY 1, 2'),
      [{ segment: 11, posts: Buffer.from('000100000101000002010000030100000401000005010000', 'hex'), count: 100 }],
    );
  });
});
