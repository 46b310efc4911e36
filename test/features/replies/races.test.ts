import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('racing replies', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let others: TestAgent[];
  let postId: string;
  before(async () => {
    forum = await startForum({ env: { LIMIT_REPLIES: '5000', LIMIT_VOTES: '5000', LIMIT_POSTS: '100' } });
    ada = await forum.agent();
    others = await Promise.all(Array.from({ length: 8 }, () => forum.agent()));
  });
  after(() => forum.stop());
  beforeEach(async () => {
    postId = (await ada.post('/v1/posts', { title: 'Busy', body: 'x' })).body.post.postId;
  });

  const reply = (by: TestAgent, body: string) => by.post(`/v1/posts/${postId}/replies`, { body });
  const votesOfReplies = `
    SELECT r.reply_id FROM replies r JOIN reply_states s USING (reply_id)
    LEFT JOIN votes v ON v.target_id = r.reply_id WHERE r.post_id = $1
    GROUP BY r.reply_id, s.upvotes, s.downvotes
    HAVING s.upvotes <> count(*) FILTER (WHERE v.value = 1) OR s.downvotes <> count(*) FILTER (WHERE v.value = -1)`;

  it('are each counted and numbered once, eighty at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, (_, n) => reply(others[n % 8]!, `reply ${n}`)));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    const [row] = await forum.rows<Record<string, number>>(
      `SELECT s.reply_count, s.last_reply_number, count(*)::int AS rows, max(r.reply_number) AS last,
              count(DISTINCT r.reply_number)::int AS numbers
       FROM post_states s JOIN replies r USING (post_id) WHERE post_id = $1 GROUP BY s.post_id`,
      [postId],
    );
    assert.deepEqual(Object.values(row!), [80, 80, 80, 80, 80]);
    const { body } = await ada.get(`/v1/posts/${postId}`, 'limit=100');
    assert.equal(body.post.replyCount, 80);
    const written = answers.map((answer) => answer.body.reply.replyId as string);
    const read = (body.replies as { replyId: string }[]).map(({ replyId }) => replyId);
    assert.deepEqual(read.toSorted(), written.toSorted());
  });

  it('are complete and in order for a reader that follows the end', async () => {
    const done = new AbortController();
    const seen: string[] = [];
    /** Goes on after the last page it got a cursor for; reads that page again until it has grown. */
    const follow = async (): Promise<void> => {
      for (let [cursor, isLast] = ['', false]; ; ) {
        isLast = done.signal.aborted;
        const { body } = await ada.anonymous('GET', `/v1/posts/${postId}`, { query: `limit=3${cursor}` });
        if (body.nextReplyCursor) {
          cursor = `&cursor=${body.nextReplyCursor}`;
          seen.push(...(body.replies as { replyId: string }[]).map(({ replyId }) => replyId));
        } else if (isLast) {
          seen.push(...(body.replies as { replyId: string }[]).map(({ replyId }) => replyId));
          return;
        }
      }
    };
    const following = follow();
    const written: string[] = [];
    await Promise.all(
      others.map(async (by, n) => {
        for (let i = 0; i < 10; i++) written.push((await reply(by, `${n}.${i}`)).body.reply.replyId);
      }),
    );
    done.abort();
    await following;
    const rows = await forum.rows<{ reply_id: string }>(
      'SELECT reply_id FROM replies WHERE post_id = $1 ORDER BY reply_number',
      [postId],
    );
    assert.equal(written.length, 80);
    assert.deepEqual(
      seen,
      rows.map(({ reply_id }) => reply_id),
    );
  });

  it('are voted on by sixty at once, and the counts equal the rows', async () => {
    const targets = await Promise.all(others.slice(0, 3).map(async (by) => (await reply(by, 'x')).body.reply.replyId));
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, n) => {
        const by = others[(n * 5) % 8]!;
        const targetId = targets[n % 3];
        if (n % 7 === 6) return by.post('/v1/votes/recant', { targetId });
        return by.post('/v1/votes', { targetId, value: n % 2 ? 'up' : 'down' });
      }),
    );
    const unexpected = answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 404);
    assert.deepEqual(unexpected, []);
    assert.deepEqual(await forum.rows(votesOfReplies, [postId]), []);
  });

  it('do not land on a post that is being removed', async () => {
    const remover = await forum.database.pool.connect();
    try {
      await remover.query('BEGIN');
      await remover.query('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
      const waiting = Promise.all(others.map((by) => reply(by, 'too late?')));
      await remover.query('SELECT pg_sleep(0.2)');
      await remover.query('COMMIT');
      const statuses = (await waiting).map(({ status }) => status);
      assert.deepEqual([...new Set(statuses)], [404]);
    } finally {
      remover.release();
    }
  });
});
