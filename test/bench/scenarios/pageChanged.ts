import { newPost } from '../content.ts';
import type { Call, HttpVariant, Scenario } from '../scenario.ts';
import { ASKING } from './page.ts';
import { signedPosts } from './postCreate.ts';

/** A run requests each thread once after it changed. */
const THREADS = 1_000;
const REPLIES = 20;
/** A vote on one reply of each thread, which makes its cached JSON and its cached page stale. */
const CHANGE = `UPDATE reply_states SET upvotes = upvotes + 1, version = version + 1
  WHERE reply_id IN (SELECT reply_id FROM replies WHERE post_id = ANY($1) AND reply_number = 7)`;

/** Threads that changed since their last read, as pages and as JSON. Both are rendered again. */
export const changedThreadPage: Scenario = {
  name: 'page.thread.changed',
  title: 'The page of a thread of 20 replies that changed',
  targets: [
    { title: 'the page ÷ the JSON that it is made of', quantity: 'rate', of: 'page', against: 'json', atLeast: 0.5 },
  ],
  prepare: async (stage) => {
    const { pool } = stage.database;
    await stage.send(signedPosts(stage, THREADS), 201);
    const newest = 'SELECT post_id FROM posts ORDER BY post_id DESC LIMIT $1';
    const { rows } = await pool.query<{ post_id: string }>(newest, [THREADS]);
    const postIds = rows.map(({ post_id }) => post_id);
    for (let n = 0; n < REPLIES; n++) {
      const replies = postIds.map((postId, index): Call => {
        const body = JSON.stringify({ body: newPost().body });
        return {
          method: 'POST',
          path: `/v1/posts/${postId}/replies`,
          signer: (n * THREADS + index) % stage.agents.length,
          body,
        };
      });
      await stage.send(replies, 201);
    }
    const changed = (name: string, title: string, pathOf: (postId: string) => string): HttpVariant => ({
      kind: 'http',
      name,
      title,
      status: 200,
      server: ASKING,
      mostCalls: THREADS,
      calls: async (count) => {
        await pool.query(CHANGE, [postIds]);
        return Array.from({ length: count }, (_, index) => ({
          method: 'GET',
          path: pathOf(postIds[index]!),
        }));
      },
    });
    return [
      changed('json', 'GET /v1/posts/{postId}', (postId) => `/v1/posts/${postId}?limit=50`),
      changed('page', 'GET /p/{postId}', (postId) => `/p/${postId}`),
    ];
  },
};
