import { readThread } from '../../../src/features/replies/service.ts';
import type { DataScenario, TimedRead } from '../timedRead.ts';

const TARGET_MS = 10;

/** The thread with the most replies, from its beginning, its middle and its end. */
export const threadPages: DataScenario = {
  name: 'thread',
  title: 'Thread, page of 20',
  reads: async (db) => {
    const [longest] = await db.query<{ post_id: string; last_reply_number: number }>({
      name: 'bench.longestThread',
      text: 'SELECT post_id, last_reply_number FROM post_states ORDER BY last_reply_number DESC LIMIT 1',
    });
    const { post_id: postId, last_reply_number: last } = longest!;
    const scope = ['thread.read', postId];
    const after = (title: string, number: number): TimedRead => ({
      title,
      atMostMs: TARGET_MS,
      run: (ctx) =>
        readThread(ctx, { postId, limit: 20, order: 'oldest', cursor: ctx.cursors.seal(scope, { number }) }),
    });
    const newest: TimedRead = {
      title: 'newest first',
      atMostMs: TARGET_MS,
      run: (ctx) => readThread(ctx, { postId, limit: 20, order: 'newest' }),
    };
    return [after('first of many', 0), after('middle', Math.floor(last / 2)), after('last', last - 20), newest];
  },
};
