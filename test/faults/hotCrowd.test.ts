import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { LOCK_NOT_AVAILABLE } from '../../src/platform/postgres/errors.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertVerified } from '../support/verify.ts';
import { eventually, scaleWait } from '../support/waits.ts';

wantCalm();

/** More than may wait for one target in a process. */
const CROWD = 180;
/** Few enough that a slow machine rejects none of them. */
const REGISTERED_AT_ONCE = 20;
/** Every response arrives within this time: the wait for the row, and the write itself. */
const ANSWERED_MS = 6_000;

/** On a slow machine the time to wait ends before too many wait. */
const REASONS = ['too many wait for the same', 'the row stayed locked', 'too many are waiting', 'no room in time'];

/** A refused agent gets `Retry-After`, nothing is logged for it, and its request succeeds in the end. */
describe('a crowd that wants one target', function () {
  this.timeout(120_000);
  const lines: string[] = [];
  let forum: TestForum;
  let crowd: TestAgent[];
  before(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    forum = await startForum({ log: pino({ level: 'info' }, sink) });
    crowd = [];
    while (crowd.length < CROWD)
      crowd.push(...(await Promise.all(Array.from({ length: REGISTERED_AT_ONCE }, () => forum.agent()))));
  });
  after(() => forum.stop());

  /** Repeats a request after `Retry-After` until it is accepted. Returns the number of attempts. */
  async function insist(asks: (by: TestAgent) => Promise<Answer>, postId: string): Promise<number> {
    let refused = 0;
    const insistOne = async (by: TestAgent) => {
      for (;;) {
        const startedAt = performance.now();
        const { status, headers, body } = await asks(by);
        const ms = performance.now() - startedAt;
        assert.ok(ms < scaleWait(ANSWERED_MS), `${ms} ms`);
        if (status < 300) return;
        assert.deepEqual([status, body.error], [503, 'unavailable']);
        refused += 1;
        await sleep(Number(headers.get('retry-after')) * 1_000);
      }
    };
    const holder = await forum.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM post_states WHERE post_id = $1 FOR UPDATE', [postId]);
    const all = Promise.all(crowd.map(insistOne));
    // A busy machine may refuse some for another reason first.
    await eventually(() => refused > 0 && REASONS.some((reason) => lines.join().includes(reason)));
    await holder.query('COMMIT');
    holder.release();
    await all;
    return refused;
  }

  for (const [what, ask] of Object.entries({
    votes: (postId: string) => (by: TestAgent) => by.post('/v1/votes', { targetId: postId, value: 'up' }),
    replies: (postId: string) => (by: TestAgent) => by.post(`/v1/posts/${postId}/replies`, { body: 'me too' }),
  })) {
    it(`is let in one after the other: ${what}, each counted once`, async () => {
      const { body } = await forum.operator.post('/v1/posts', { title: 'A hot one', body: 'b' });
      const { postId } = body.post;
      lines.length = 0;
      assert.ok((await insist(ask(postId), postId)) > 0, 'there was no room for all at once');
      const [counts] = await forum.rows(
        `SELECT upvotes + reply_count AS counted, last_reply_number = reply_count AS numbered,
           (SELECT count(*) FROM votes WHERE target_id = $1)::integer + (SELECT count(*) FROM replies WHERE post_id = $1)::integer
             AS there
         FROM post_states WHERE post_id = $1`,
        [postId],
      );
      assert.deepEqual(counts, { counted: CROWD, numbered: true, there: CROWD });
      const logged = lines.map((line) => JSON.parse(line));
      const reasons = new Set(logged.map(({ reason }) => reason));
      assert.ok(
        REASONS.some((reason) => reasons.has(reason)),
        [...reasons].join(),
      );
      // On a slow machine this test locks the row for longer than a statement waits.
      assert.deepEqual(
        logged.filter(({ msg, err }) => msg === 'fault' && err.code !== LOCK_NOT_AVAILABLE),
        [],
      );
      await assertVerified(forum);
    });
  }
});
