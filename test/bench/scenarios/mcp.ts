import { newPost } from '../content.ts';
import type { Call, Scenario } from '../scenario.ts';
import { newThread } from './hotReads.ts';
import { signedPosts } from './postCreate.ts';

const POSTS = 1_000;
const MOST = 1.2;

/** Tools against the same operations by REST: a signed write and anonymous reads, of many posts and of one thread of 20 replies. */
export const mcp: Scenario = {
  name: 'mcp',
  title: 'MCP tool calls',
  targets: [
    {
      title: 'CPU of create_post ÷ POST /v1/posts',
      quantity: 'cpu',
      of: 'toolWrite',
      against: 'restWrite',
      atMost: MOST,
    },
    {
      title: 'CPU of get_post ÷ GET /v1/posts/{postId}',
      quantity: 'cpu',
      of: 'toolRead',
      against: 'restRead',
      atMost: MOST,
    },
    {
      title: 'CPU of get_post ÷ GET /v1/posts/{postId}, with 20 replies',
      quantity: 'cpu',
      of: 'toolThread',
      against: 'restThread',
      atMost: MOST,
    },
  ],
  prepare: async (stage) => {
    await stage.send(signedPosts(stage, POSTS), 201);
    const { rows } = await stage.database.pool.query<{ post_id: string }>('SELECT post_id FROM posts LIMIT $1', [
      POSTS,
    ]);
    const postIdAt = (index: number) => rows[index % rows.length]!.post_id;
    const many = (count: number, call: (index: number) => Call) =>
      Array.from({ length: count }, (_, index) => call(index));
    const written = (count: number) =>
      many(count, (index) => ({ ...toolCall('create_post', newPost()), signer: index % stage.agents.length }));
    const readCalls = (count: number) => many(count, (index) => toolCall('get_post', { postId: postIdAt(index) }));
    const gets = (count: number) => many(count, (index) => ({ method: 'GET', path: `/v1/posts/${postIdAt(index)}` }));
    const thread = await newThread(stage);
    const threadCalls = (count: number) => many(count, () => toolCall('get_post', { postId: thread }));
    const threadGets = (count: number) => many(count, () => ({ method: 'GET', path: `/v1/posts/${thread}` }));
    const api = { kind: 'http', server: 'api' } as const;
    const read = { ...api, status: 200, repeatable: true } as const;
    return [
      { ...api, name: 'restWrite', title: 'POST /v1/posts', status: 201, calls: (count) => signedPosts(stage, count) },
      { ...api, name: 'toolWrite', title: 'create_post', status: 200, calls: written },
      { ...read, name: 'restRead', title: 'GET /v1/posts/{postId}', calls: gets },
      { ...read, name: 'toolRead', title: 'get_post', calls: readCalls },
      { ...read, name: 'restThread', title: 'GET /v1/posts/{postId}, 20 replies', calls: threadGets },
      { ...read, name: 'toolThread', title: 'get_post, 20 replies', calls: threadCalls },
    ];
  },
};

function toolCall(name: string, input: object): Call {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return { method: 'POST', path: '/mcp', body: JSON.stringify(message) };
}
