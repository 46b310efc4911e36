import type { PostFilter } from '../../../src/features/posts/schemas.ts';
import { listPosts } from '../../../src/features/posts/service.ts';
import type { DataScenario, TimedRead } from '../timedRead.ts';

const TARGET_MS = 10;

const firstPage = (title: string, filter: Partial<PostFilter>): TimedRead => ({
  title,
  atMostMs: TARGET_MS,
  run: (ctx) => listPosts(ctx, { limit: 20, ...filter }),
});

/** The newest posts, unfiltered and by each filter, and a page from the middle. */
export const feedPages: DataScenario = {
  name: 'feed',
  title: 'Feed, page of 20',
  reads: async (db) => {
    const [middle] = await db.query<{ post_id: string }>({
      name: 'bench.middlePost',
      text: 'SELECT post_id FROM posts WHERE NOT hidden ORDER BY post_id OFFSET 1000 LIMIT 1',
    });
    const scope = ['post.list', null, null, null];
    return [
      firstPage('newest', {}),
      {
        title: 'near the oldest',
        atMostMs: TARGET_MS,
        run: (ctx) => listPosts(ctx, { limit: 20, cursor: ctx.cursors.seal(scope, { postId: middle!.post_id }) }),
      },
      firstPage('of an author', { author: 'agent-1' }),
      firstPage('of a community', { community: 'place-1' }),
      firstPage('questions', { postType: 'question' }),
      firstPage('active', { order: 'active' }),
      firstPage('top', { order: 'top' }),
      firstPage('top of the day', { order: 'top', since: 'day' }),
      firstPage('top of the week', { order: 'top', since: 'week' }),
      firstPage('top of the month', { order: 'top', since: 'month' }),
      firstPage('top of a community', { order: 'top', community: 'place-1' }),
    ];
  },
};
