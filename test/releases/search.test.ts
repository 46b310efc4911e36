import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { searchAll } from '../features/search/support/searching.ts';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { redisForTest, type TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/emptyDatabase.ts';
import { eventually } from '../support/waits.ts';
import { Stage } from './support/stage.ts';
import { checkOut, type Tree } from './support/trees.ts';

wantCalm();

/** The last commit whose search has the trigram index alone. */
const BEFORE = '7c49c2f';
/** More than a page of either release walks before it asks its index. */
const OLDER_POSTS = 6_000;
const STEP_MS = 500;
const INDEXED_MS = 30_000;
/** Between two posts of the finder. */
const PAUSE_MS = 30;

describe('search beside the release whose index was another', function () {
  this.timeout(180_000);
  let old: Tree | undefined;
  let database: TestDatabase;
  let stage: Stage;
  before(async function () {
    old = await checkOut(BEFORE);
    if (old) return;
    console.log(`      (this clone does not have commit ${BEFORE}: skipped)`);
    this.skip();
  });
  after(() => old?.remove());
  beforeEach(async () => {
    database = await createEmptyDatabase();
    stage = new Stage({ databaseUrl: database.url, redisUrl: (await redisForTest()).url });
  });
  afterEach(async () => {
    await stage.end();
    await database.drop();
  });

  const query = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows;
  const none = (text: string) => eventually(async () => (await query(text)).length === 0, INDEXED_MS);

  for (const order of ['API', 'worker'] as const) {
    it(`finds every post at each moment, there and back, ${order} first`, async () => {
      const { root } = old!;
      await stage.migrate(root);
      const [api, worker] = await Promise.all([stage.startApi(root), stage.startWorker(root)]);
      const urls = new Set([api.url]);
      const writer = await new TestAgent(api.url).register('writer');
      const finder = new Finder(writer, urls);
      for (const { word, id } of await query(OLDER, [writer.agentId, OLDER_POSTS])) finder.posts.set(word, id);
      await none('SELECT FROM search_pending LIMIT 1');
      const finding = finder.run();

      await stage.migrate();
      await sleep(STEP_MS);
      const startApi = async () => {
        const started = await stage.startApi();
        urls.add(started.url);
        return started;
      };
      const started = [];
      const starts = [startApi, () => stage.startWorker()];
      for (const start of order === 'API' ? starts : starts.toReversed()) {
        started.push(await start());
        await sleep(STEP_MS);
      }
      await none(`SELECT FROM search_backfill WHERE below <> ''`);
      await sleep(STEP_MS);
      urls.delete(api.url);
      for (const process of [api, worker]) await stage.stop(process);
      await sleep(STEP_MS);

      const [word, erased] = [...finder.posts][OLDER_POSTS / 2]!;
      finder.posts.delete(word);
      const [{ name } = { name: '' }] = await query('SELECT name FROM releases ORDER BY seen_at LIMIT 1');
      await query(`SELECT ${name}.erase_subject('post', $1, 'gov_1')`, [erased]);
      await none('SELECT FROM search_erased');

      const again = await Promise.all([stage.startApi(root), stage.startWorker(root)]);
      urls.add(again[0].url);
      for (const process of started) {
        urls.delete(process.url);
        await stage.stop(process);
      }
      await sleep(STEP_MS);
      finder.stop();
      await finding;
      console.log(`      ${finder.posts.size - OLDER_POSTS + 1} posts written, ${finder.searches} searches`);
      assert.ok(finder.searches > 50);
      assert.deepEqual(await query(UNPLACED), []);
    });
  }
});

/** Writes posts and looks for one of all that there are, at any of the processes, and so on until it is told to stop. */
class Finder {
  readonly posts = new Map<string, string>();
  searches = 0;
  readonly #writer: TestAgent;
  readonly #urls: ReadonlySet<string>;
  #isOver = false;

  constructor(writer: TestAgent, urls: ReadonlySet<string>) {
    this.#writer = writer;
    this.#urls = urls;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const word = `new${n}word`;
      const { status, body } = await this.#atAny().post('/v1/posts', { title: 'A post', body: word });
      assert.equal(status, 201, JSON.stringify(body));
      this.posts.set(word, body.post.postId);
      for (const looked of [word, pick(this.posts.keys()), pick(this.posts.keys())]) await this.#find(looked);
      await sleep(PAUSE_MS);
    }
  }

  async #find(word: string): Promise<void> {
    const found = await searchAll(this.#atAny(), { q: word });
    this.searches++;
    assert.deepEqual(found.posts, [this.posts.get(word)].filter(Boolean), word);
  }

  #atAny = (): TestAgent => new TestAgent(pick(this.#urls), Date.now, this.#writer.signing.secretKey.subarray(0, 32));
}

function pick<T>(from: Iterable<T>): T {
  const all = [...from];
  return all[Math.floor(Math.random() * all.length)]!;
}

const OLDER = `WITH made AS (
    INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
    SELECT 'p_0' || lpad(n::text, 24, '0'), $1, 'post', false, '.', 'old' || n || 'word', now()
    FROM generate_series(1, $2::integer) n RETURNING post_id, body
  ), states AS (INSERT INTO post_states (post_id) SELECT post_id FROM made),
  pending AS (INSERT INTO search_pending (post_id) SELECT post_id FROM made)
  SELECT body AS word, post_id AS id FROM made`;

/** Posts that neither wait nor stand in a segment. */
const UNPLACED = `SELECT post_id FROM posts EXCEPT SELECT post_id FROM search_waiting
  EXCEPT SELECT unnest(post_ids) FROM search_block_posts`;
