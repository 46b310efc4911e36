import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const REPLIES = 100_000;
const READS = 15;

const median = (figures: readonly number[]): number => figures.toSorted((a, b) => a - b)[figures.length >> 1]!;

describe('a thread with a hundred thousand replies', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  before(async function () {
    this.timeout(60_000);
    forum = await startForum();
    ada = await forum.agent();
    postId = (await ada.post('/v1/posts', { title: 'Long', body: 'x' })).body.post.postId;
    // Without the checks of foreign keys, which would take most of the time.
    await forum.rows(`
      SET LOCAL session_replication_role = replica;
      INSERT INTO replies (reply_id, post_id, reply_number, author_id, body, created_at)
      SELECT 'r_' || lpad(n::text, 25, '0'), '${postId}', n, '${ada.agentId}', 'reply ' || n, now()
      FROM generate_series(1, ${REPLIES}) n;
      INSERT INTO reply_states (reply_id) SELECT reply_id FROM replies;`);
    await forum.rows(`UPDATE post_states SET reply_count = ${REPLIES}, last_reply_number = ${REPLIES}`);
    await forum.rows('ANALYZE replies');
    await forum.rows('ANALYZE reply_states');
  });
  after(() => forum.stop());

  const read = async (after: number) => {
    // A cursor as the service itself seals it, so that the middle is reached without 500 pages before it.
    const cursor = after > 0 && forum.api.services.cursors.seal(['thread.read', postId], { number: after });
    const query = `limit=100${cursor ? `&cursor=${cursor}` : ''}`;
    return (await ada.anonymous('GET', `/v1/posts/${postId}`, { query })).body;
  };

  const readNewest = async (before?: number) => {
    const scope = ['thread.read', postId, 'newest'];
    const cursor = before !== undefined && forum.api.services.cursors.seal(scope, { number: before, end: REPLIES });
    const query = `order=newest&limit=100${cursor ? `&cursor=${cursor}` : ''}`;
    return (await ada.anonymous('GET', `/v1/posts/${postId}`, { query })).body;
  };

  async function medianMs(ask: () => Promise<unknown>): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < READS; n++) {
      const start = performance.now();
      await ask();
      times.push(performance.now() - start);
    }
    return median(times);
  }

  it('pages in the same time at the start, in the middle and at the end', async function () {
    this.timeout(60_000);
    for (const after of [0, REPLIES / 2, REPLIES - 100]) {
      const { replies, post } = await read(after);
      assert.deepEqual([replies.length, replies[0].body], [100, `reply ${after + 1}`]);
      assert.equal(post.replyCount, REPLIES);
    }
    for (const before of [undefined, REPLIES / 2, 101]) {
      const { replies } = await readNewest(before);
      assert.deepEqual(
        [replies.length, replies[0].body],
        [100, `reply ${before === undefined ? REPLIES : before - 1}`],
      );
    }
    const start = await medianMs(() => read(0));
    const middle = await medianMs(() => read(REPLIES / 2));
    const end = await medianMs(() => read(REPLIES - 100));
    const newest = await medianMs(() => readNewest());
    const newestMiddle = await medianMs(() => readNewest(REPLIES / 2));
    const newestEnd = await medianMs(() => readNewest(101));
    const written: number[] = [];
    for (let n = 0; n < READS; n++) {
      const begun = performance.now();
      assert.equal((await ada.post(`/v1/posts/${postId}/replies`, { body: 'one more' })).status, 201);
      written.push(performance.now() - begun);
    }
    const backwards = { newest, 'newest, middle': newestMiddle, 'newest, end': newestEnd };
    const figures = { start, middle, end, ...backwards, reply: median(written) };
    const shown = Object.entries(figures).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
    console.log(`      median over HTTP, pages of 100: ${shown.join(', ')}`);
    // Reading from the front would take hundreds of times longer at the end; the bounds only have to show that.
    for (const ms of [middle, end, ...Object.values(backwards)]) assert.ok(ms < 5 * start + 50, shown.join(', '));
  });
});
