import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { searchDatabases } from '../../../src/features/search/databases.ts';
import { gramsToLookUp } from '../../../src/features/search/grams.ts';
import { indexedPieces } from '../../../src/features/search/indexedPieces.ts';
import { indexPosts, rebuildIndex } from '../../../src/features/search/indexing.ts';
import { BLOCK_POSTS, BlockPostings } from '../../../src/features/search/postings.ts';
import { lookUp, postIdsAt } from '../../../src/features/search/segments.ts';
import { walkWaiting } from '../../../src/features/search/store.ts';
import { BEYOND_ALL, type Db } from '../../../src/platform/postgres/postgres.ts';
import { startProcess } from '../../faults/support/processes.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { findProgram } from '../../support/programs.ts';
import {
  addHiddenPost,
  addPosts,
  changed,
  coverByRemoved,
  moveToIndex,
  searchAll,
  statementsOf,
} from './support/searching.ts';

const run = promisify(execFile);

/** Fourteen blocks: one merged segment, a full one and two blocks. */
const POSTS = 140;
const SMALL = { blockPosts: 10, segmentBlocks: 4, joinedSegments: 2 };
const NO_HURRY = { timeoutMs: 5_000 };

describe('search.index', () => {
  let forum: TestForum;
  beforeEach(async () => {
    forum = await startForum();
    await add(POSTS, randomBytes(20).toString('hex'), { newer: false });
  });
  afterEach(() => forum.stop());

  const add = (count: number, body: string, where: { newer: boolean; series?: string } = { newer: true }) =>
    addPosts(forum, { count, body, authorId: forum.operator.agentId, ...where });

  /** How often posts wait or are in a live segment, and how many posts there are. */
  const placed = () =>
    forum.rows<{ times: number; posts: number }>(
      `SELECT times, count(*)::integer AS posts FROM (
         SELECT count(placed.post_id)::integer AS times FROM posts p LEFT JOIN (
           SELECT post_id FROM search_waiting
           UNION ALL SELECT unnest(post_ids) FROM search_block_posts b JOIN search_segments s
             ON b.block = ANY (s.blocks) AND s.state = 'live'
         ) placed USING (post_id) GROUP BY p.post_id
       ) counted GROUP BY times`,
    );
  const states = () =>
    forum.rows(
      `SELECT state, cardinality(blocks) AS blocks, count(*)::integer AS count FROM search_segments GROUP BY 1, 2 ORDER BY 1, 2`,
    );

  it('puts every post into one segment, however many run at a time, merges those and then does nothing', async () => {
    const put = await Promise.all(Array.from({ length: 4 }, () => moveToIndex(forum, SMALL)));
    const rest = await moveToIndex(forum, SMALL);
    assert.equal(
      put.reduce((sum, count) => sum + count, rest),
      POSTS,
    );
    assert.equal(await moveToIndex(forum, SMALL), 0);
    assert.deepEqual(await placed(), [{ times: 1, posts: POSTS }]);
    assert.deepEqual(await states(), [
      { state: 'live', blocks: 1, count: 2 },
      { state: 'live', blocks: 4, count: 1 },
      { state: 'live', blocks: 8, count: 1 },
    ]);
    assert.deepEqual(
      await forum.rows('SELECT segment FROM search_postings EXCEPT SELECT segment FROM search_segments'),
      [],
    );
  });

  it('keeps every post in one place if any statement fails, and continues from there', async () => {
    const { db } = forum.api.services;
    const order = ['search.putSegment', 'search.putPostings', 'search.mergePart', 'search.replaceSegments'];
    for (const name of [...order, 'search.dropSegment', 'search.postingsOfGrams']) {
      await assert.rejects(indexPosts(searchDatabases(failingAt(db, name)), SMALL), /cut here/, name);
      assert.deepEqual(await placed(), [{ times: 1, posts: POSTS }], name);
    }
    await moveToIndex(forum, SMALL);
    assert.deepEqual(await placed(), [{ times: 1, posts: POSTS }]);
  });

  it('takes no post of a block if one of them was indexed elsewhere at the same time', async () => {
    const { db } = forum.api.services;
    let taken: string | undefined;
    const overtaken = changed(db, (work) => (tx) => {
      const query: Db['query'] = async (statement, values, ...rest) => {
        if (statement.name === 'search.takeWaiting' && taken === undefined) {
          taken = (values![0] as string[])[5]!;
          await forum.rows('DELETE FROM search_waiting WHERE post_id = $1', [taken]);
        }
        return tx.query(statement, values, ...rest);
      };
      return work({ query });
    });
    await indexPosts(searchDatabases(overtaken), SMALL);
    assert.deepEqual(await placed(), [
      { times: 0, posts: 1 },
      { times: 1, posts: POSTS - 1 },
    ]);
    await forum.rows('INSERT INTO search_waiting VALUES ($1)', [taken]);
    await moveToIndex(forum, SMALL);
    assert.deepEqual(await placed(), [{ times: 1, posts: POSTS }]);
  });

  it('keeps every post in one place when workers are killed, and continues from there', async function () {
    this.timeout(60_000);
    const OPERATOR_AGENT_ID = forum.operator.agentId;
    const env = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, OPERATOR_AGENT_ID };
    // More than two full segments of the size that a worker makes.
    const posts = 9_000;
    await add(posts - POSTS, 'x y z');
    for (let kill = 0; kill < 3; kill++) {
      const worker = await startProcess('worker', env);
      await sleep(150 * kill);
      await worker.end('SIGKILL');
      assert.deepEqual(await placed(), [{ times: 1, posts }]);
    }
    await moveToIndex(forum, { blockPosts: 2_048, segmentBlocks: 2 });
    assert.deepEqual(await placed(), [{ times: 1, posts }]);
    assert.deepEqual(await states(), [{ state: 'live', blocks: 2, count: 2 }]);
  });

  it('fills an index that a command emptied from the newest post on, and drops the old content', async () => {
    await moveToIndex(forum, SMALL);
    const env = { ...process.env, DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
    await run(process.execPath, [await findProgram('src/ops/rebuildSearch.ts')], { env });
    assert.deepEqual(await placed(), [{ times: 0, posts: POSTS }]);
    await add(5, 'x');
    assert.equal(await moveToIndex(forum, SMALL), POSTS);
    assert.deepEqual(await placed(), [{ times: 1, posts: POSTS + 5 }]);
    const [segments] = await forum.rows(
      'SELECT count(DISTINCT block)::integer AS blocks, (SELECT count(*)::integer FROM search_waiting) AS waiting FROM search_block_posts',
    );
    assert.deepEqual(segments, { blocks: POSTS / SMALL.blockPosts, waiting: 5 });
  });

  it('is no condition for a search to answer: what it lacks is walked', async () => {
    const ada = await forum.agent();
    const rare = randomBytes(20).toString('hex');
    // More than a page walks before it asks the index.
    await add(900 - POSTS, 'x');
    await forum.rows('UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM posts)', [rare]);
    const sizes = { blockPosts: 100, segmentBlocks: 4 };
    await moveToIndex(forum, sizes);
    const [oldest] = await forum.rows<{ id: string }>('SELECT min(post_id) AS id FROM posts');
    await forum.rows('DELETE FROM search_block_posts WHERE $1 = ANY (post_ids)', [oldest!.id]);
    assert.deepEqual((await searchAll(ada, { q: rare })).posts, [oldest!.id]);
    await forum.rows('DELETE FROM search_backfill');
    assert.deepEqual((await searchAll(ada, { q: rare })).posts, [oldest!.id]);
    await rebuildIndex(searchDatabases(forum.api.services.db));
    assert.equal(await moveToIndex(forum, sizes), 900);
    assert.deepEqual((await searchAll(ada, { q: rare })).posts, [oldest!.id]);
  });

  it('keeps hidden posts out, and a preview leaves nothing', async () => {
    const ada = await forum.agent();
    await addHiddenPost(ada, 'hidden-place', 'Hidden');
    assert.equal((await ada.post('/v1/posts/preview', { title: 'Preview', body: 'x' })).status, 200);
    assert.equal((await forum.rows('SELECT FROM search_waiting')).length, POSTS);
    await ada.post('/v1/posts', { title: 'Public', body: 'x' });
    assert.equal((await forum.rows('SELECT FROM search_waiting')).length, POSTS + 1);
    await rebuildIndex(searchDatabases(forum.api.services.db));
    await moveToIndex(forum, { blockPosts: POSTS, segmentBlocks: 4 });
    const hidden =
      'SELECT p.post_id FROM search_block_posts b JOIN posts p ON p.post_id = ANY (b.post_ids) WHERE p.hidden';
    assert.deepEqual(await forum.rows(hidden), []);
  });

  it('names few posts beside those that hold a term, of one or two characters too', async () => {
    const { db } = forum.api.services;
    const [one] = await forum.rows<{ id: string }>(
      'SELECT post_id AS id FROM posts ORDER BY post_id OFFSET 75 LIMIT 1',
    );
    await forum.rows(`UPDATE posts SET title = 'Ünder §7' WHERE post_id = $1`, [one!.id]);
    await moveToIndex(forum, SMALL);
    for (const term of ['§7', '§', 'Ünder', 'der §7']) {
      const range = { before: '~', downTo: '', count: 64, bytes: 16_000 };
      const { matches, rest } = await lookUp(db, gramsToLookUp([term], {}), range, NO_HURRY);
      const [match, ...others] = matches.filter(({ places }) => places().length > 0);
      assert.deepEqual([others.length, rest], [0, null], term);
      const place = 75 % SMALL.blockPosts;
      assert.deepEqual(await postIdsAt(db, [{ block: match!.block, place }], NO_HURRY), [one!.id]);
      assert.deepEqual(match!.places(), [place], term);
    }
  });

  it('finds posts in the oldest of many segments that all have its grams, with and without filters', async () => {
    const ada = await forum.agent();
    const [one, other] = [randomBytes(20).toString('hex'), randomBytes(20).toString('hex')];
    await forum.rows(
      `UPDATE posts p SET body = CASE WHEN number <= 2 THEN $1 || ' ' || $2 WHEN number % 2 = 0 THEN $1 ELSE $2 END
       FROM (SELECT post_id, row_number() OVER (ORDER BY post_id) AS number FROM posts) n WHERE n.post_id = p.post_id`,
      [one, other],
    );
    // More segments than one statement looks up.
    await moveToIndex(forum, { blockPosts: 1, segmentBlocks: 2, joinedSegments: 1 });
    await coverByRemoved(forum);
    const oldest = await forum.rows<{ id: string }>('SELECT post_id AS id FROM posts ORDER BY post_id LIMIT 2');
    const terms = [one, other];
    const ids = oldest.map(({ id }) => id);
    const asked: boolean[] = [];
    for (const facts of [{}, { authorId: forum.operator.agentId }]) {
      // The index alone: a page walks first, and on a busy machine page after page, down to the oldest post.
      const found: string[] = [];
      const sent = await statementsOf(forum, async () => {
        const search = { db: searchDatabases(forum.api.services.db), criteria: { terms, ...facts }, limit: 20 };
        const begin = { before: BEYOND_ALL, waitingRows: 1 };
        for await (const { postIds } of indexedPieces(search, begin)) found.push(...postIds);
      });
      assert.deepEqual(found.toSorted(), ids, JSON.stringify(facts));
      assert.ok(sent.filter((name) => name === 'search.lookUp').length >= 2, JSON.stringify(facts));
      asked.push(sent.includes('search.blocks'));
      const { handle: author } = forum.operator;
      const query = { q: terms.join(' '), match: 'all', ...('authorId' in facts && { author }) };
      assert.deepEqual((await searchAll(ada, query)).posts.toSorted(), ids, JSON.stringify(facts));
    }
    // What the segments are made of is known from then on.
    assert.deepEqual(asked, [true, false]);
  });

  it('puts posts with very many grams into a block', async () => {
    await add(BLOCK_POSTS, 'x');
    const signs = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(0x4e00 + n));
    await forum.rows('UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM posts)', [signs.join('')]);
    assert.equal(await moveToIndex(forum, { blockPosts: BLOCK_POSTS, segmentBlocks: 4 }), BLOCK_POSTS);
    for (const at of [0, 9_999, 19_997]) {
      const grams = gramsToLookUp([signs.slice(at, at + 3).join('')], {});
      const { matches } = await lookUp(
        forum.api.services.db,
        grams,
        { before: '~', downTo: '', count: 64, bytes: 16_000 },
        NO_HURRY,
      );
      assert.deepEqual([matches.length, matches[0]?.places()], [1, [0]], `${at}`);
    }
  });

  it('lags behind, and a search then reads a limited number of the newest waiting posts per page', async () => {
    const ada = await forum.agent();
    const rare = randomBytes(20).toString('hex');
    await forum.rows(`UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM posts)`, [rare]);
    await moveToIndex(forum, SMALL);
    await add(2_000, 'x');
    await forum.rows(`UPDATE posts SET body = $1 WHERE post_id = (SELECT min(post_id) FROM search_waiting)`, [rare]);
    const [indexed] = await forum.rows<{ id: string }>('SELECT min(post_id) AS id FROM posts');
    const waiting = await forum.rows<{ id: string }>('SELECT post_id AS id FROM search_waiting ORDER BY post_id DESC');

    const walk = (from: string) =>
      walkWaiting(forum.api.services.db, { terms: [rare] }, { from, rows: 100, limit: 5 }, NO_HURRY);
    assert.deepEqual(await walk('~'), { postIds: [], edge: waiting[99]!.id });
    assert.deepEqual(await walk(waiting.at(-50)!.id), { postIds: [waiting.at(-1)!.id], edge: null });
    assert.deepEqual((await searchAll(ada, { q: rare })).posts, [waiting.at(-1)!.id, indexed!.id]);
  });
});

describe('search.index of an empty forum', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('refuses larger blocks and segments than have places', async () => {
    await assert.rejects(moveToIndex(forum, { blockPosts: BLOCK_POSTS + 1 }), RangeError);
    await assert.rejects(moveToIndex(forum, { segmentBlocks: 65 }), RangeError);
    const block = new BlockPostings();
    block.add(1, BLOCK_POSTS - 1);
    assert.throws(() => block.add(1, BLOCK_POSTS), RangeError);
  });
});

/** The same database, where one statement of a job fails after all that the transaction did before. */
function failingAt(db: TestForum['api']['services']['db'], name: string): typeof db {
  const cut = (inner: Db): Db => ({
    query: (statement, values, options) =>
      statement.name === name ? Promise.reject(new Error('cut here')) : inner.query(statement, values, options),
  });
  return Object.assign(Object.create(db) as typeof db, {
    query: (...asked: Parameters<Db['query']>) => db.query(...asked),
    inTransaction: <T>(work: (tx: Db) => Promise<T>) => db.inTransaction((tx) => work(cut(tx))),
  });
}
