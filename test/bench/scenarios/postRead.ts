import { postById } from '../../../src/features/posts/store.ts';
import { repliesBeyond } from '../../../src/features/replies/store.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { executionsOf, queryPath } from '../execution.ts';
import type { Scenario } from '../scenario.ts';
import { signedPosts } from './postCreate.ts';

const POSTS = 5_000;
/** A page of 20 and one more. */
const REPLIES_READ = 21;

/** One post by its id, unsigned, compared with a bare server that runs the same statements. */
export const postRead: Scenario = {
  name: 'post.read',
  title: 'Post by id',
  targets: [
    {
      title: 'posts read a second ÷ bare server with the same queries',
      quantity: 'rate',
      of: 'api',
      against: 'queries',
      atLeast: 0.5,
    },
  ],
  prepare: async (stage) => {
    await stage.send(signedPosts(stage, POSTS), 201);
    const { rows } = await stage.database.pool.query<{ post_id: string }>(
      'SELECT post_id FROM posts ORDER BY random() LIMIT $1',
      [POSTS],
    );
    const executions = await Promise.all(rows.map((row) => executionsOf((db) => threadStart(db, row.post_id))));
    const gets = (paths: readonly string[]) => (count: number) =>
      Array.from({ length: count }, (_, index) => ({ method: 'GET', path: paths[index % paths.length]! }) as const);
    const calls = gets(rows.map((row) => `/v1/posts/${row.post_id}`));
    const queries = gets(executions.map(queryPath));
    const server = { statements: executions[0]!.map(({ statement }) => statement) };
    const http = { kind: 'http', status: 200, repeatable: true } as const;
    return [
      { ...http, name: 'api', title: 'GET /v1/posts/{postId}', server: 'api', calls },
      { ...http, name: 'queries', title: 'bare node:http, same queries', server, calls: queries },
      { ...http, name: 'nothing', title: 'bare node:http, nothing', server: 'nothing', calls },
    ];
  },
};

/** The statements of a read of a post: the post and the first page of its replies, concurrently. */
const threadStart = (db: Db, postId: string) =>
  Promise.all([
    postById(db, null, postId),
    repliesBeyond(db, null, { postId, order: 'oldest', number: 0 }, REPLIES_READ),
  ]);
