import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { migrateLatest, migrateSearchIndex } from '../../../migrations/run.ts';
import { startApi } from '../../../src/api.ts';
import { isUsable, type SearchDatabases, searchDatabases } from '../../../src/features/search/databases.ts';
import { indexPosts, rebuildIndex } from '../../../src/features/search/indexing.ts';
import { readiness } from '../../../src/ops/readiness.ts';
import { ReadinessMetrics } from '../../../src/ops/readinessMetrics.ts';
import { requireSearchIndex, searchIndexState } from '../../../src/ops/searchIndex.ts';
import { createLog } from '../../../src/platform/log.ts';
import { Postgres, sql } from '../../../src/platform/postgres/postgres.ts';
import { connectRedis } from '../../../src/platform/redis/redis.ts';
import { compileTree } from '../../../src/tools/dev/compiled.ts';
import { startWorkers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { asAdmin, type TestDatabase } from '../../support/database.ts';
import { createEmptyDatabase } from '../../support/emptyDatabase.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { act } from '../governance/moderation/support/scenes.ts';
import { addPosts, changed, coverByRemoved, searchAll } from './support/searching.ts';

const SIZES = { blockPosts: 300, segmentBlocks: 2 };
const WRONG_INDEX = /^Workers do not maintain the search index .*: correct the setting, or run npm run search:rebuild$/;
const POSTS = 900;
const SERIES = 'abcdefghijklmnopqrstuvwx';
const INDEX_TABLES = [
  'search_segments',
  'search_block_posts',
  'search_postings',
  'search_summaries',
  'search_summary_grams',
];

describe('an index of search in a database of its own', () => {
  let forum: TestForum;
  let own: TestDatabase;
  let both: SearchDatabases;
  let ada: TestAgent;

  /** An agent's post, older than most, with a word that no other has. */
  async function addRare(): Promise<{ word: string; postId: string }> {
    const word = randomBytes(20).toString('hex');
    const { postId } = (await ada.post('/v1/posts', { title: 'Rare', body: `a ${word} b` })).body.post;
    return { word, postId };
  }
  let series = 0;
  const addMany = () =>
    addPosts(forum, {
      count: POSTS,
      body: 'x y z',
      newer: true,
      authorId: forum.operator.agentId,
      series: SERIES[series++]!,
    });
  /** How often a post is in live segments, and how many posts that is true of; those that wait count as well. */
  async function placed(): Promise<Record<number, number>> {
    const { rows: inBlocks } = await own.pool.query<{ id: string }>(
      `SELECT unnest(p.post_ids) AS id FROM search_segments s JOIN search_block_posts p ON p.block = ANY (s.blocks)
       WHERE s.state = 'live'`,
    );
    const waiting = await forum.rows<{ id: string }>('SELECT post_id AS id FROM search_waiting');
    const times = new Map<string, number>();
    for (const { id } of [...inBlocks, ...waiting]) times.set(id, (times.get(id) ?? 0) + 1);
    const counts: Record<number, number> = {};
    for (const count of times.values()) counts[count] = (counts[count] ?? 0) + 1;
    return counts;
  }
  const rowsIn = async (database: TestDatabase, table: string): Promise<number> =>
    (await database.pool.query(`SELECT FROM ${table}`)).rowCount ?? 0;

  before(async function () {
    this.timeout(60_000);
    own = await createEmptyDatabase();
    // One test ends them all.
    own.pool.on('error', () => {});
    await migrateSearchIndex(own.url);
    let home: string | undefined;
    forum = await startForum({
      env: { SEARCH_DATABASE_URL: own.url },
      prepare: async (url) => {
        home = url;
        const [posts, index] = [url, own.url].map(
          (each) => new Postgres({ url: each, maxConnections: 1, applicationName: 'test' }),
        );
        await rebuildIndex(searchDatabases(posts!, index!));
        await posts!.close();
        await index!.close();
      },
    });
    assert.equal(forum.database.url, home);
    both = searchDatabases(forum.api.services.db, forum.api.services.searchIndex);
    ada = await forum.agent();
  });
  after(async () => {
    await forum.stop();
    await own.drop();
  });

  it('has the tables that it would have beside the posts', async () => {
    const columns = async (database: TestDatabase) => {
      const { rows } = await database.pool.query(
        `SELECT table_name, column_name, data_type, collation_name, is_nullable, is_identity FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = ANY ($1) ORDER BY 1, 2`,
        [[...INDEX_TABLES, 'search_backfill']],
      );
      const { rows: indexes } = await database.pool.query(
        `SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = ANY ($1) ORDER BY 1, 2`,
        [[...INDEX_TABLES, 'search_backfill']],
      );
      const { rows: options } = await database.pool.query(
        `SELECT relname, reloptions FROM pg_class WHERE relname = ANY ($1) ORDER BY 1`,
        [INDEX_TABLES],
      );
      return [rows, indexes, options];
    };
    assert.deepEqual(await columns(own), await columns(forum.database));
  });

  it('answers searches for rare words, and the forum database holds no index rows', async () => {
    const { word, postId } = await addRare();
    await addMany();
    assert.ok((await indexPosts(both, SIZES)) >= POSTS);
    await coverByRemoved(forum);
    for (const table of INDEX_TABLES) assert.equal(await rowsIn(forum.database, table), 0, table);
    assert.ok((await rowsIn(own, 'search_postings')) > 0);
    const asked: string[] = [];
    const index = forum.api.services.searchIndex!;
    const query = index.query.bind(index);
    index.query = (statement, ...rest) => {
      asked.push(statement.name);
      return query(statement, ...rest);
    };
    const found = await searchAll(ada, { q: word }).finally(() => Reflect.deleteProperty(index, 'query'));
    assert.deepEqual(found.posts, [postId]);
    assert.ok(asked.includes('search.lookUp') && asked.includes('search.postIds'), asked.join());
  });

  it('lacks no post whichever of both databases does not commit', async () => {
    await addMany();
    const before = await placed();
    const failing = (database: Postgres, when: 'before' | 'after') =>
      changed(database, (work) => async (tx) => {
        if (when === 'after') await work(tx);
        throw new Error('cut here');
      });
    const { posts, index } = both;
    await assert.rejects(indexPosts({ posts, index: failing(index, 'before') }, SIZES), /cut here/);
    assert.deepEqual(await placed(), before);
    await assert.rejects(indexPosts({ posts, index: failing(index, 'after') }, SIZES), /cut here/);
    assert.deepEqual(await placed(), before);
    // The index has committed, and the posts still wait: they are added once more.
    await assert.rejects(indexPosts({ posts: failing(posts, 'after'), index }, SIZES), /cut here/);
    await indexPosts(both, SIZES);
    const counts = await placed();
    assert.equal(counts[2], SIZES.blockPosts);
    const { word, postId } = await addRare();
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
    const all = (await searchAll(ada, { q: 'x y z', limit: '20' })).posts;
    assert.equal(all.length, 2 * POSTS);
    assert.equal(new Set(all).size, all.length);
    await rebuildIndex(both);
    await indexPosts(both, SIZES);
    assert.deepEqual(Object.keys(await placed()), ['1']);
  });

  it('removes erased posts', async () => {
    const { word, postId } = await addRare();
    await addMany();
    await indexPosts(both, SIZES);
    const grams = () =>
      own.pool.query('SELECT DISTINCT gram FROM search_postings').then(({ rows }) => rows.map(({ gram }) => gram));
    const before = await grams();
    await act(forum, 'erase_content', 'post', postId);
    await indexPosts(both, SIZES);
    assert.equal(await rowsIn(forum.database, 'search_erased'), 0);
    assert.ok((await grams()).length < before.length);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, []);
  });

  it('is walked around while it is lost, and asked again afterwards', async function () {
    this.timeout(30_000);
    const { word, postId } = await addRare();
    await indexPosts(both, SIZES);
    const name = new pg.Client({ connectionString: own.url }).database!;
    const redis = connectRedis(forum.api.services.config, 'admission');
    const metrics = new ReadinessMetrics('api');
    /** What /ready warns of, and the metric that an alarm goes by. */
    const state = async () => {
      const ready = await readiness({ db: both.posts, redis, clock: forum.api.clock, searchIndex: both.index });
      const text = await metrics.text(ready, undefined);
      return [ready.warnings, /^forum_search_index_used\b.* (\d)$/m.exec(text)?.[1]];
    };
    assert.deepEqual(await state(), [[], '1']);
    await asAdmin(async (admin) => {
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    });
    try {
      assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
      assert.deepEqual(await state(), [['search index: unavailable, searches scan the posts'], '0']);
      assert.equal((await ada.post('/v1/posts', { title: 'Goes on', body: 'x' })).status, 201);
      await assert.rejects(indexPosts(both, SIZES));
    } finally {
      await asAdmin((admin) => admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
      redis.disconnect();
    }
    await indexPosts(both, SIZES);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
  });

  it('is not changed by processes with another setting, and is replaced by one command', async () => {
    const { word, postId } = await addRare();
    const home = { url: forum.database.url, maxConnections: 2, applicationName: 'test' };
    const beside = searchDatabases(new Postgres(home));
    await assert.rejects(indexPosts(beside, { ...SIZES, blockPosts: 1 }), { message: WRONG_INDEX });
    const log = createLog('silent', 'api');
    await assert.rejects(requireSearchIndex(beside, log), { name: 'StartupError', message: WRONG_INDEX });
    await rebuildIndex(beside);
    await addRare();
    await assert.rejects(indexPosts(both, { ...SIZES, blockPosts: 1 }), { message: WRONG_INDEX });
    assert.ok((await indexPosts(beside, SIZES)) > POSTS);
    const api = await startApi({ ...forum.api.services.config, port: 0, searchDatabaseUrl: undefined }, log);
    try {
      const answer = await fetch(`${api.url}/v1/search?q=${word}`);
      const { posts } = (await answer.json()) as { posts: { postId: string }[] };
      assert.deepEqual(
        posts.map((post) => post.postId),
        [postId],
      );
    } finally {
      await api.stop();
    }
    // The API that has the other index still finds what only this one has.
    await sleep(1_000);
    await addMany();
    assert.ok((await indexPosts(beside, SIZES)) > 0);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
    const late = await addRare();
    await addMany();
    await indexPosts(beside, SIZES);
    assert.deepEqual((await searchAll(ada, { q: late.word })).posts, [late.postId]);
    await beside.posts.close();
    await rebuildIndex(both);
    for (const table of INDEX_TABLES) assert.equal(await rowsIn(forum.database, table), 0, table);
    await indexPosts(both, SIZES);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
  });

  it('is no other forum’s, and no copy from before: whose it was walks', async () => {
    const { word, postId } = await addRare();
    // The other forum has taken it.
    const other = await startForum();
    try {
      await rebuildIndex(searchDatabases(other.api.services.db, both.index));
      await assert.rejects(indexPosts(both, { ...SIZES, blockPosts: 1 }), { message: WRONG_INDEX });
      await sleep(1_000);
      assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
    } finally {
      await other.stop();
    }
    await rebuildIndex(both);
    assert.ok((await indexPosts(both, SIZES)) > POSTS);
    // As a copy from before the last block.
    const [fed] = await forum.rows<{ newest_block: number }>('SELECT newest_block FROM search_index_fed');
    await own.pool.query('DELETE FROM search_segments WHERE segment >= $1', [fed!.newest_block]);
    await addRare();
    await assert.rejects(indexPosts(both, { ...SIZES, blockPosts: 1 }), { message: WRONG_INDEX });
    await rebuildIndex(both);
    assert.ok((await indexPosts(both, SIZES)) > POSTS);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
  });

  it('is filled by a worker, which has the address of the posts too', async function () {
    this.timeout(30_000);
    await rebuildIndex(both);
    const { word, postId } = await addRare();
    const workers = await startWorkers(forum.api.services.config, createLog('silent', 'worker'));
    try {
      const isFull = async () =>
        (await own.pool.query(`SELECT FROM search_backfill WHERE below = ''`)).rowCount === 1 &&
        (await rowsIn(own, 'search_postings')) > 0;
      while (!(await isFull())) await sleep(100);
    } finally {
      await workers.stop();
    }
    assert.equal(await rowsIn(forum.database, 'search_postings'), 0);
    assert.deepEqual((await searchAll(ada, { q: word })).posts, [postId]);
  });

  it('lacks no post if its database undoes a transaction, and the indexing is repeated', async () => {
    await rebuildIndex(both);
    await indexPosts(both, SIZES);
    await addMany();
    let left = 2;
    const deadlocked = changed(both.index, (work) => async (tx) => {
      const result = await work(tx);
      if (left-- > 0) await tx.query(sql('test.deadlock', `DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$`));
      return result;
    });
    await indexPosts({ posts: both.posts, index: deadlocked }, SIZES);
    assert.ok(left < 0);
    const [shown] = await forum.rows<{ count: number }>('SELECT count(*)::integer FROM posts WHERE NOT hidden');
    assert.deepEqual(await placed(), { 1: shown!.count });
  });

  it('is read by processes that still use the index beside the posts, also for posts after that index was abandoned', async () => {
    const beside = { posts: both.posts, index: both.posts };
    await rebuildIndex(beside);
    const log = createLog('silent', 'api');
    const api = await startApi({ ...forum.api.services.config, port: 0, searchDatabaseUrl: undefined }, log);
    try {
      await rebuildIndex(both);
      const word = randomBytes(20).toString('hex');
      const authorId = forum.operator.agentId;
      await addPosts(forum, { count: 1, body: `a ${word} b`, newer: true, authorId, series: SERIES[series++]! });
      const [rare] = await forum.rows<{ post_id: string }>('SELECT post_id FROM posts WHERE strpos(body, $1) > 0', [
        word,
      ]);
      await addMany();
      await indexPosts(both, SIZES);
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const answer = await fetch(`${api.url}/v1/search?q=${word}${cursor}`);
        const page = (await answer.json()) as { posts: { postId: string }[]; nextCursor?: string };
        found.push(...page.posts.map((post) => post.postId));
        if (page.nextCursor === undefined) break;
        cursor = `&cursor=${page.nextCursor}`;
      }
      assert.deepEqual(found, [rare!.post_id]);
    } finally {
      await api.stop();
    }
  });

  it('delays no search while its database does not respond', async () => {
    const { word } = await addRare();
    await addMany();
    const silent = createServer((socket) => socket.on('error', () => {}).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const url = `postgres://nobody@127.0.0.1:${port}/nothing`;
    const index = new Postgres({ url, maxConnections: 2, applicationName: 'test' });
    try {
      const startedAt = performance.now();
      assert.equal(await isUsable({ posts: both.posts, index }), false);
      assert.ok(performance.now() - startedAt < 2_000, word);
    } finally {
      silent.close();
      await index.close();
    }
  });

  it('refuses the database of a forum, and a forum refuses that of an index', async () => {
    await assert.rejects(migrateSearchIndex(forum.database.url), {
      name: 'StartupError',
      message: /^SEARCH_DATABASE_URL/,
    });
    await assert.rejects(migrateLatest(own.url), { name: 'StartupError', message: /^DATABASE_URL/ });
    assert.deepEqual(await migrateSearchIndex(own.url), []);
    const again = new Postgres({ url: forum.database.url, maxConnections: 1, applicationName: 'test' });
    try {
      await assert.rejects(requireSearchIndex({ posts: both.posts, index: again }, createLog('silent', 'api')), {
        name: 'StartupError',
        message: /^SEARCH_DATABASE_URL/,
      });
    } finally {
      await again.close();
    }
  });

  it('is migrated with each release, else nothing starts on it', async () => {
    const log = createLog('silent', 'api');
    await requireSearchIndex(both, log);
    await own.pool.query(`DELETE FROM knex_migrations WHERE name = '0002_joined_segments'`);
    await assert.rejects(requireSearchIndex(both, log), {
      name: 'StartupError',
      message:
        /^The database of SEARCH_DATABASE_URL is not up to date \(1 migrations missing\)\. Run: npm run migrate$/,
    });
    assert.equal(await searchIndexState(both), '1 migrations missing: run npm run migrate');
    assert.deepEqual(await migrateSearchIndex(own.url), ['0002_joined_segments']);
    await requireSearchIndex(both, log);
    assert.equal(await searchIndexState(both), 'ok');
  });

  it('says in one line what keeps its command from emptying it', async () => {
    const program = join(await compileTree(resolve('.')), 'src/ops/rebuildSearch.js');
    const rebuild = async (env: Record<string, string>) => {
      const run = promisify(execFile)(process.execPath, [program], {
        env: { ...process.env, DATABASE_URL: forum.database.url, REDIS_URL: 'redis://127.0.0.1:1', ...env },
      });
      return run.then(
        () => '',
        ({ stderr }: { stderr: string }) => stderr.trimEnd(),
      );
    };
    const unmade = await createEmptyDatabase();
    const nowhere = new URL(own.url);
    nowhere.pathname = '/not_there';
    const reading = (url: string) => {
      const address = new URL(url);
      address.searchParams.set('options', '-c default_transaction_read_only=on');
      return address.href;
    };
    const takesNoWrites = (setting: string) =>
      new RegExp(`^[^\\n]*is read-only[^\\n]*the primary in ${setting}, or promote this server\\.$`);
    try {
      assert.match(await rebuild({ SEARCH_DATABASE_URL: unmade.url }), /^[^\n]*not migrated[^\n]*npm run migrate$/);
      assert.match(await rebuild({ SEARCH_DATABASE_URL: forum.database.url }), /^SEARCH_DATABASE_URL names[^\n]*$/);
      assert.match(await rebuild({ SEARCH_DATABASE_URL: nowhere.href }), /^[^\n]*has no database not_there[^\n]*$/);
      const read = { SEARCH_DATABASE_URL: reading(own.url) };
      assert.match(await rebuild(read), takesNoWrites('SEARCH_DATABASE_URL'));
      const standby = { DATABASE_URL: reading(forum.database.url) };
      assert.match(await rebuild(standby), takesNoWrites('DATABASE_URL'));
      assert.match(await rebuild({ ...standby, SEARCH_DATABASE_URL: own.url }), takesNoWrites('DATABASE_URL'));
    } finally {
      await unmade.drop();
    }
  }).timeout(30_000);
});
