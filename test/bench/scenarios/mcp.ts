import { threadVersion } from '../../../src/features/replies/store.ts';
import { newPost } from '../content.ts';
import { executionsOf, queryPath } from '../execution.ts';
import type { Call, HttpVariant, Scenario, Target } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { newThread } from './hotReads.ts';
import { signedPosts } from './postCreate.ts';

const POSTS = 1_000;
/** Replies of a thread. */
const PAGE = 20;
/** The cache of responses holds all posts of that length. */
const LONG_CHARACTERS = 16_000;
const MOST = 1.2;
/**
 * The endings of the names of a read and of its tool, and of their titles. Signed reads are sent by agents one after
 * the other.
 */
const READS = [
  ['Read', ''],
  ['SignedRead', ', signed'],
  ['Thread', ', 20 replies'],
  ['SignedThread', ', 20 replies, signed'],
] as const;
const LONG = ['Long', `, ${LONG_CHARACTERS.toLocaleString('en')} characters`] as const;

const readTarget = ([suffix, what]: readonly [string, string], atMost = MOST): Target => ({
  title: `CPU of get_post ÷ GET /v1/posts/{postId}${what}`,
  quantity: 'cpu',
  of: `tool${suffix}`,
  against: `rest${suffix}`,
  atMost,
});

/**
 * MCP tools compared with the same operations by REST: a signed write, and reads of many posts, of one thread of 20
 * replies, and of many long posts. Reads are anonymous, and signed where the title says so. Bare servers that send the
 * same bytes show how much of the difference is due to the request body and the larger response.
 */
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
    ...READS.map((each) => readTarget(each)),
    {
      title: 'the same of bare servers with the same statement and bytes: a post',
      quantity: 'cpu',
      of: 'bareTool',
      against: 'bareRest',
    },
    {
      title: 'the same of bare servers with the same statement and bytes: the thread',
      quantity: 'cpu',
      of: 'bareToolThread',
      against: 'bareRestThread',
    },
    readTarget(LONG, 1.35),
  ],
  prepare: async (stage) => {
    const posts = await newPosts(stage, signedPosts(stage, POSTS));
    const longPosts = await newPosts(stage, signedPosts(stage, POSTS, longPost));
    const many = (count: number, call: (index: number) => Call) =>
      Array.from({ length: count }, (_, index) => call(index));
    const written = (count: number) =>
      many(count, (index) => ({ ...toolCall('create_post', newPost()), signer: index % stage.agents.length }));
    const thread = await newThread(stage);
    const api = { kind: 'http', server: 'api' } as const;
    const reads = [...READS, LONG].flatMap(([suffix, what]): HttpVariant[] => {
      const isSigned = suffix.startsWith('Signed');
      const ids = suffix.endsWith('Thread') ? [thread] : suffix === 'Long' ? longPosts : posts;
      const calls = (callOf: (postId: string) => Call) => {
        // A run continues the walk where the last one ended, because a slow machine does not get around in one run.
        let next = 0;
        return (count: number) =>
          many(count, () => ({
            ...callOf(ids[next++ % ids.length]!),
            ...(isSigned && { signer: next % stage.agents.length }),
          }));
      };
      const read = { ...api, status: 200, repeatable: !isSigned };
      const get = calls((postId) => ({ method: 'GET', path: `/v1/posts/${postId}` }));
      const call = calls((postId) => toolCall('get_post', { postId }));
      return [
        { ...read, name: `rest${suffix}`, title: `GET /v1/posts/{postId}${what}`, calls: get },
        { ...read, name: `tool${suffix}`, title: `get_post${what}`, calls: call },
      ];
    });
    return [
      { ...api, name: 'restWrite', title: 'POST /v1/posts', status: 201, calls: (count) => signedPosts(stage, count) },
      { ...api, name: 'toolWrite', title: 'create_post', status: 200, calls: written },
      ...reads,
      ...(await bareTwins(stage, posts[0]!, ['bareRest', 'bareTool'])),
      ...(await bareTwins(stage, thread, ['bareRestThread', 'bareToolThread'])),
    ];
  },
};

/** Writes the posts. Returns the ids of as many of the newest posts. */
async function newPosts(stage: Stage, calls: readonly Call[]): Promise<string[]> {
  await stage.send(calls, 201);
  const newest = 'SELECT post_id FROM posts ORDER BY post_id DESC LIMIT $1';
  const { rows } = await stage.database.pool.query<{ post_id: string }>(newest, [calls.length]);
  return rows.map(({ post_id }) => post_id);
}

function longPost(): ReturnType<typeof newPost> {
  const { title, body } = newPost();
  return { title, body: body.repeat(Math.ceil(LONG_CHARACTERS / body.length)).slice(0, LONG_CHARACTERS) };
}

/** Bare servers that run the statement of a cached read and send the bytes of REST and of the tool. */
async function bareTwins(stage: Stage, postId: string, names: readonly [string, string]): Promise<HttpVariant[]> {
  const start = { postId, order: 'oldest', number: 0 } as const;
  const executions = await executionsOf((db) => threadVersion(db, start, PAGE));
  const statements = executions.map(({ statement }) => statement);
  const path = queryPath(executions);
  const tool = toolCall('get_post', { postId });
  const asked: readonly Call[] = [{ method: 'GET', path: `/v1/posts/${postId}` }, tool];
  return Promise.all(
    asked.map(async ({ method, path: real, body }, index) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const response = await fetch(`${stage.api.url}${real}`, { method, headers, ...(body ? { body } : {}) });
      const text = await response.text();
      const sent = { ...headers, 'content-length': String(Buffer.byteLength(text)) };
      return {
        kind: 'http',
        name: names[index]!,
        title: `bare node:http, the statement and the bytes of ${index === 0 ? 'GET' : 'get_post'}`,
        server: { statements, answer: { status: 200, headers: sent, body: text } },
        status: 200,
        repeatable: true,
        calls: (count) => Array.from({ length: count }, () => ({ method, path, ...(body ? { body } : {}) })),
      };
    }),
  );
}

function toolCall(name: string, input: object): Call {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return { method: 'POST', path: '/mcp', body: JSON.stringify(message) };
}
