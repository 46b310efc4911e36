import { newestPosts, newestVersion, postById } from '../../../src/features/posts/store.ts';
import { repliesBeyond, threadVersion } from '../../../src/features/replies/store.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { newPost } from '../content.ts';
import { executionsOf, queryPath } from '../execution.ts';
import type { Call, HttpVariant, Scenario, Target } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { signedPosts } from './postCreate.ts';

const PAGE = 20;

/** One thread that all agents read, with 20 replies of 600 characters. */
export const hotThread: Scenario = {
  name: 'thread.hot',
  title: 'A thread of 20 replies, over and over',
  targets: targets(),
  prepare: async (stage) => {
    const postId = await newThread(stage);
    const start = { postId, order: 'oldest', number: 0 } as const;
    return variants(stage, {
      path: `/v1/posts/${postId}`,
      version: (db) => threadVersion(db, start, PAGE),
      rows: (db) => Promise.all([postById(db, null, postId), repliesBeyond(db, null, start, PAGE + 1)]),
    });
  },
};

/** Writes a post with a page of replies; returns its id. */
export async function newThread(stage: Stage): Promise<string> {
  await stage.send(signedPosts(stage, 1), 201);
  const postId = await newestPostId(stage);
  for (let n = 0; n < PAGE; n++) {
    const reply = { method: 'POST', path: `/v1/posts/${postId}/replies`, signer: n + 1 } as const;
    await stage.send([{ ...reply, body: JSON.stringify({ body: newPost().body }) }], 201);
  }
  return postId;
}

/** The newest posts, which all agents read. */
export const hotFeed: Scenario = {
  name: 'feed.hot',
  title: 'The feed of 20 posts, over and over',
  targets: targets(),
  prepare: async (stage) => {
    await stage.send(signedPosts(stage, 2 * PAGE), 201);
    return variants(stage, {
      path: '/v1/posts',
      version: (db) => newestVersion(db, {}, PAGE + 1),
      rows: (db) => newestPosts(db, { callerId: null }, PAGE + 1),
    });
  },
};

/** A read and its statements: that of its version, and those of its rows. */
interface HotRead {
  readonly path: string;
  version(db: Db): Promise<unknown>;
  rows(db: Db): Promise<unknown>;
}

async function variants(stage: Stage, { path, version, rows }: HotRead): Promise<HttpVariant[]> {
  const response = await fetch(`${stage.api.url}${path}`);
  const body = await response.text();
  const etag = response.headers.get('etag') ?? '';
  const [checked, read] = await Promise.all([executionsOf(version), executionsOf(rows)]);
  const headers = { 'content-type': 'application/json; charset=utf-8', etag };
  const http = { kind: 'http', status: 200, repeatable: true } as const;
  const repeat = (call: Call) => (count: number) => Array.from({ length: count }, () => call);
  const get = { method: 'GET', path } as const;
  const calls = repeat(get);
  const versionOnly = { calls: repeat({ method: 'GET', path: queryPath(checked) }) };
  const statements = checked.map(({ statement }) => statement);
  const sent = { 'content-length': String(Buffer.byteLength(body)), ...headers };
  const conditional = repeat({ ...get, headers: { 'if-none-match': etag } });
  return [
    { ...http, name: 'api', title: `GET ${path}`, server: 'api', calls },
    {
      ...http,
      ...versionOnly,
      name: 'copy',
      title: 'bare node:http, the same statement and bytes',
      server: { statements, answer: { status: 200, headers: sent, body } },
    },
    { ...http, name: 'unchanged', title: 'the same, 304', status: 304, server: 'api', calls: conditional },
    {
      ...http,
      ...versionOnly,
      name: 'bareUnchanged',
      title: 'bare node:http, the same statement, 304',
      status: 304,
      server: { statements, answer: { status: 304, headers: { etag }, body: '' } },
    },
    {
      ...http,
      name: 'queries',
      title: 'bare node:http, the statements of its rows, and the same bytes',
      server: {
        statements: read.map(({ statement }) => statement),
        answer: { status: 200, headers: sent, body },
      },
      calls: repeat({ method: 'GET', path: queryPath(read) }),
    },
    {
      ...http,
      name: 'signed',
      title: 'the same, signed',
      repeatable: false,
      server: 'api',
      calls: (count) => Array.from({ length: count }, (_, n) => ({ ...get, signer: n % stage.agents.length })),
    },
  ];
}

function targets(): Target[] {
  return [
    {
      title: 'a copy ÷ a bare server with the same statement and bytes',
      quantity: 'rate',
      of: 'api',
      against: 'copy',
      atLeast: 0.8,
    },
    {
      title: '304 ÷ a bare server with the same statement',
      quantity: 'rate',
      of: 'unchanged',
      against: 'bareUnchanged',
      atLeast: 0.8,
    },
  ];
}

async function newestPostId({ database }: Stage): Promise<string> {
  const { rows } = await database.pool.query<{ post_id: string }>(
    'SELECT post_id FROM posts ORDER BY post_id DESC LIMIT 1',
  );
  return rows[0]!.post_id;
}
