import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type AgentKeys,
  ArgumentError,
  ForumClient,
  ForumNetworkError,
  generateAgentKeys,
  signingFetch,
} from '../../src/client/index.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { hasValidSignature, RecordingServer } from './support/forum.ts';
import { runForJson } from './support/runCommand.ts';

describe('a fetch that signs, under the official MCP client', () => {
  let forum: TestForum;
  let keys: AgentKeys;
  let mcp: Client;
  before(async () => {
    forum = await startForum();
    keys = generateAgentKeys();
    const now = () => forum.api.clock.now();
    await new ForumClient({ baseUrl: forum.url, keys, now }).register({
      handle: 'caller',
      displayName: 'Caller',
      description: '',
      purpose: 'testing',
    });
    mcp = new Client({ name: 'test', version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(`${forum.url}/mcp/core`), {
      fetch: signingFetch({ baseUrl: forum.url, keys, now }),
    });
    // Its optional members are declared without undefined there.
    await mcp.connect(transport as never);
  });
  after(async () => {
    await mcp.close();
    await forum.stop();
  });

  it('posts and reads its own content through an MCP endpoint', async () => {
    const body = 'Signed: é, 漢, 🎉';
    const written = await mcp.callTool({ name: 'create_post', arguments: { title: 'Over MCP', body } });
    const { post } = written.structuredContent as { post: { body: string; author: { handle: string } } };
    assert.deepEqual([post.body, post.author.handle], [body, 'caller']);
    const greeting = await mcp.callTool({ name: 'get_greeting', arguments: { view: 'compact' } });
    const { agent } = greeting.structuredContent as { agent: { handle: string } };
    assert.equal(agent.handle, 'caller');
  });
});

describe('a fetch that signs', () => {
  const keys = generateAgentKeys();
  const server = new RecordingServer();
  let fetch: ReturnType<typeof signingFetch>;
  before(async () => {
    await server.start();
    fetch = signingFetch({ baseUrl: server.origin, keys });
  });
  afterEach(() => server.reset());
  after(() => server.stop());

  it('signs path, query and bytes of each request again', async () => {
    const url = `${server.origin}/a/b?x=1+2&a=%C3%A9&a=`;
    await fetch(url);
    await fetch(new URL(url), { method: 'POST', body: '{"a": 1}', headers: { 'content-type': 'application/json' } });
    await fetch(new Request(url, { method: 'PUT', body: new Uint8Array([0, 255]) }));
    await fetch('/a/b?x=1+2');
    for (const request of server.received)
      assert.ok(hasValidSignature(request, keys.signing.publicKey), request.method);
    assert.deepEqual(
      server.received.map(({ method, query, body }) => [method, query, body.toString('latin1')]),
      [
        ['GET', 'x=1+2&a=%C3%A9&a=', ''],
        ['POST', 'x=1+2&a=%C3%A9&a=', '{"a": 1}'],
        ['PUT', 'x=1+2&a=%C3%A9&a=', '\0\xff'],
        ['GET', 'x=1+2', ''],
      ],
    );
    assert.equal(server.received[1]!.headers['content-type'], 'application/json');
    assert.equal(new Set(server.received.map(({ headers }) => headers['x-svc-nonce'])).size, 4);
  });

  it('can replace the global one', async () => {
    const { fetch: usual } = globalThis;
    try {
      globalThis.fetch = fetch;
      await globalThis.fetch('/a');
    } finally {
      globalThis.fetch = usual;
    }
    assert.equal(server.received.length, 1);
  });

  it('signs for one origin alone', async () => {
    await assert.rejects(fetch('http://127.0.0.1:1/mcp'), ArgumentError);
    assert.throws(() => signingFetch({ baseUrl: `${server.origin}/mcp`, keys }), ArgumentError);
  });

  it('follows no redirect', async () => {
    server.answer = (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    assert.equal((await fetch(`${server.origin}/mcp`, { method: 'POST', body: '{}' })).status, 307);
    assert.equal(server.received.length, 1);
  });

  it('never reaches the origin that a redirect leads to, nor do client and command line', async () => {
    const other = new RecordingServer();
    await other.start();
    const usual = process.env.HTTP_PROXY;
    try {
      for (const status of [301, 302, 303, 307, 308]) {
        server.answer = (_request, response) =>
          response.writeHead(status, { location: `${other.origin}/v1/posts` }).end();
        const response = await fetch('/v1/posts', { method: 'POST', body: '{}', redirect: 'follow' });
        assert.equal(response.status, status);
        const client = new ForumClient({ baseUrl: server.origin, keys });
        await assert.rejects(client.createPost({ title: 't', body: 'b' }), { token: 'redirect_refused', status });
        await assert.rejects(client.listPosts(), { token: 'redirect_refused', status });
        const env = { FORUM_URL: server.origin, HOME: '/nonexistent' };
        assert.equal((await runForJson(['list'], { env })).answer.error, 'redirect_refused');
        // Through a proxy, which is this very server, another fetch sends.
        process.env.HTTP_PROXY = server.origin;
        await assert.rejects(new ForumClient({ baseUrl: 'http://forum.test', keys }).listPosts(), { status });
        delete process.env.HTTP_PROXY;
      }
      assert.deepEqual(other.received, []);
    } finally {
      if (usual !== undefined) process.env.HTTP_PROXY = usual;
      await other.stop();
    }
  });

  it('sends once, and names the attempt whose answer was lost', async () => {
    server.answer = (_request, response) => response.destroy();
    const error: unknown = await fetch(`${server.origin}/mcp`, { method: 'POST', body: '{}' }).catch(
      (reason) => reason,
    );
    assert.ok(error instanceof ForumNetworkError);
    assert.equal(error.attempt?.nonce, server.last.headers['x-svc-nonce']);
    assert.equal(server.received.length, 1);
  });

  it('aborts with its signal', async () => {
    server.answer = () => {};
    await assert.rejects(fetch(server.origin, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  });
});
