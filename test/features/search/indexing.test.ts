import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { indexPending } from '../../../src/features/search/service.ts';
import { lookUpPosts } from '../../../src/features/search/store.ts';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { addHiddenPost, addPosts, moveToIndex, searchAll } from './support/searching.ts';

const POSTS = 3_000;

describe('search.index', () => {
  let forum: TestForum;
  beforeEach(async () => {
    forum = await startForum();
    await addPosts(forum, {
      count: POSTS,
      body: randomBytes(20).toString('hex'),
      newer: false,
      authorId: forum.operator.agentId,
    });
  });
  afterEach(() => forum.stop());

  const placed = () =>
    forum.rows<{ tiers: string; posts: number }>(
      `SELECT (pending.post_id IS NOT NULL)::integer + (indexed.post_id IS NOT NULL)::integer AS tiers, count(*)::integer AS posts
       FROM posts p LEFT JOIN search_pending pending USING (post_id) LEFT JOIN search_posts indexed USING (post_id)
       GROUP BY 1`,
    );

  it('moves every post once, however many run at a time, and then nothing', async () => {
    const moved = await Promise.all(Array.from({ length: 4 }, () => indexPending(forum.api.kernel.db)));
    const rest = await indexPending(forum.api.kernel.db);
    assert.equal(
      moved.reduce((sum, count) => sum + count, rest),
      POSTS,
    );
    assert.equal(await indexPending(forum.api.kernel.db), 0);
    assert.deepEqual(await placed(), [{ tiers: 1, posts: POSTS }]);
    assert.deepEqual(await forum.rows('SELECT FROM search_pending'), []);
  });

  it('leaves every post in exactly one tier when its connection is cut', async () => {
    const mover = new pg.Client({ connectionString: forum.database.url });
    mover.on('error', () => {});
    await mover.connect();
    const [backend] = (await mover.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    const moving = mover
      .query(inRelease(`SELECT release.index_pending_posts('', $1)`), [POSTS])
      .catch((error: unknown) => error);
    // With a time to wait for its end: its locks outlive the answer.
    await forum.rows('SELECT pg_terminate_backend($1, 5000)', [backend!.pid]);
    assert.match(String(await moving), /terminat/);
    assert.deepEqual(await placed(), [{ tiers: 1, posts: POSTS }]);
    await indexPending(forum.api.kernel.db);
    assert.deepEqual(await forum.rows('SELECT FROM search_pending'), []);
  });

  it('keeps hidden posts out of both tiers, and a preview leaves nothing', async () => {
    const ada = await forum.agent();
    await addHiddenPost(ada, 'hidden-place', 'Hidden');
    assert.equal((await ada.post('/v1/posts/preview', { title: 'Preview', body: 'x' })).status, 200);
    assert.equal((await forum.rows('SELECT FROM search_pending')).length, POSTS);
    await ada.post('/v1/posts', { title: 'Public', body: 'x' });
    assert.equal((await forum.rows('SELECT FROM search_pending')).length, POSTS + 1);
  });

  it('falls behind, and a search looks at so many of the newest that wait, page by page', async () => {
    const ada = await forum.agent();
    const rare = randomBytes(20).toString('hex');
    await forum.rows(`UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM posts)`, [rare]);
    await moveToIndex(forum, POSTS);
    await addPosts(forum, { count: 9_000, body: 'x', newer: true, authorId: forum.operator.agentId });
    await forum.rows(`UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM search_pending)`, [rare]);
    const [indexed] = await forum.rows<{ id: string }>('SELECT min(post_id) AS id FROM posts');
    const waiting = await forum.rows<{ id: string }>('SELECT post_id AS id FROM search_pending ORDER BY post_id DESC');

    const lookUp = (from: string) =>
      lookUpPosts(forum.api.kernel.db, { terms: [rare] }, { from, rows: 100, limit: 5 }, { timeoutMs: 5_000 });
    assert.deepEqual(await lookUp('~'), { hits: [], edge: waiting[99]!.id });
    const last = await lookUp(waiting.at(-50)!.id);
    const both = [waiting.at(-1)!.id, indexed!.id];
    assert.deepEqual([last!.hits.map(({ post_id }) => post_id), last!.edge], [both, null]);
    assert.deepEqual((await searchAll(ada, { q: rare })).posts, both);
  });
});
