import assert from 'node:assert/strict';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { gramsToLookUp } from '../../../src/features/search/grams.ts';
import { rebuildIndex } from '../../../src/features/search/indexing.ts';
import { lookUp } from '../../../src/features/search/segments.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

import { act } from '../governance/moderation/support/scenes.ts';
import { coverByRemoved, moveToIndex, searchAll } from './support/searching.ts';

/** A post a block, two posts a segment, four a summary. */
const SIZES = { blockPosts: 1, segmentBlocks: 2, joinedSegments: 1, summarySegments: 2 };
/** In this order: two summaries, and a segment that is in none. */
const WORDS = ['äpfel', 'birne', 'citron', 'dattel', 'erbse', 'feige', 'gurke', 'hirse', 'ingwer', 'johannis'];

describe('summaries of segments', () => {
  let forum: TestForum;
  let ada: TestAgent;
  const ids = new Map<string, string>();
  beforeEach(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent('ada');
    for (const word of WORDS) {
      const written = await ada.post('/v1/posts', { title: 'All alike', body: `a ${word}` });
      assert.equal(written.status, 201);
      ids.set(word, written.body.post.postId);
    }
    await coverByRemoved(forum);
    await moveToIndex(forum, SIZES);
  });
  afterEach(() => forum.stop());

  const summaries = () =>
    forum.rows<{ summary: number; segments: number[] }>(
      `SELECT summary, segments FROM search_summaries WHERE state = 'live' ORDER BY summary`,
    );
  const assertAllFound = async () => {
    for (const [word, id] of ids) assert.deepEqual((await searchAll(ada, { q: word })).posts, [id], word);
    assert.equal((await searchAll(ada, { q: 'alike', limit: '3' })).posts.length, WORDS.length);
  };
  /** How many posts segments name for a text. */
  const named = async (text: string) => {
    const range = { before: '~', downTo: '', count: 64, bytes: 16_000 };
    const { matches } = await lookUp(forum.api.services.db, gramsToLookUp([text], {}), range, { timeoutMs: 5_000 });
    return matches.flatMap(({ places }) => places()).length;
  };

  it('are made of segments of many blocks, and nothing is lost by them', async () => {
    const made = await summaries();
    assert.deepEqual(
      made.map(({ segments }) => segments.length),
      [2, 2],
    );
    await assertAllFound();
  });

  it('keep a search from segments that lack one of the grams', async () => {
    assert.equal(await named('birne'), 1);
    // As if the other segment of the same summary held it too, which nobody asks.
    const [{ segments } = { segments: [] }] = await summaries();
    await forum.rows(
      `INSERT INTO search_postings SELECT $1, gram, posts FROM search_postings WHERE segment = $2 ON CONFLICT DO NOTHING`,
      [segments[1], segments[0]],
    );
    assert.equal(await named('birne'), 1);
    await forum.rows('DELETE FROM search_summaries');
    assert.equal(await named('birne'), 2);
  });

  it('are missed by nobody: segments without one are asked, as those are that the release before makes', async () => {
    await forum.rows('DELETE FROM search_summaries WHERE summary = (SELECT min(summary) FROM search_summaries)');
    await assertAllFound();
    await forum.rows(`UPDATE search_summaries SET state = 'made', parts_made = 0`);
    await forum.rows('DELETE FROM search_summary_grams');
    await assertAllFound();
  });

  it('stay as long as one of their segments is asked, be it one that is to be joined', async () => {
    const before = (await summaries()).flatMap(({ segments }) => segments);
    await moveToIndex(forum, { ...SIZES, joinedSegments: 3 });
    const left = await forum.rows<{ segment: number }>('SELECT segment FROM search_segments WHERE segment = ANY ($1)', [
      before,
    ]);
    const after = (await summaries()).flatMap(({ segments }) => segments);
    assert.deepEqual(
      left.map(({ segment }) => after.includes(segment)),
      [true],
    );
    await assertAllFound();
  });

  it('go with their segments when the index is made anew', async () => {
    const before = (await summaries()).map(({ summary }) => summary);
    await rebuildIndex(searchDatabases(forum.api.services.db));
    await assertAllFound();
    // Each of those that cover the others would have a block of its own.
    await forum.rows('DELETE FROM post_states WHERE removed');
    await forum.rows('DELETE FROM posts p WHERE NOT EXISTS (SELECT FROM post_states s WHERE s.post_id = p.post_id)');
    await moveToIndex(forum, SIZES);
    await coverByRemoved(forum);
    const after = (await summaries()).map(({ summary }) => summary);
    assert.ok(after.length >= before.length);
    assert.ok(!after.some((summary) => before.includes(summary)));
    assert.deepEqual(await forum.rows('SELECT FROM search_summary_grams WHERE summary = ANY ($1)', [before]), []);
    await assertAllFound();
  });

  it('forget what an erased post held, and only that', async () => {
    const holding = async (text: string) => {
      const rows = await forum.rows<{ gram: number }>(
        'SELECT gram FROM search_summary_grams WHERE gram = ANY ($1) AND segments <> 0',
        [gramsToLookUp([text], {})],
      );
      return rows.length;
    };
    assert.ok((await holding('äpfel')) > 0);
    await act(forum, 'erase_content', 'post', ids.get('äpfel')!);
    await moveToIndex(forum, SIZES);
    assert.equal(await holding('äpf'), 0);
    ids.delete('äpfel');
    for (const [word, id] of ids) assert.deepEqual((await searchAll(ada, { q: word })).posts, [id], word);
  });
});
