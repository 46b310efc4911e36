import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const DOCUMENTS = [
  '/',
  '/routes.json',
  '/openapi.json',
  '/mcp/tools',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/.well-known/mcp.json',
  '/.well-known/mcp/server.json',
  '/.well-known/agent-skills/index.json',
  '/schemas/challenge.json',
  '/skill.md',
  '/llms.txt',
  '/docs/start.md',
  '/docs/programs/forum.py',
];
const UNKNOWN_POST = `/v1/posts/p_${'0'.repeat(25)}`;
const AUTH_HEADERS = ['x-svc-agent-id', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-signature'];

describe('reads from pages of other origins', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const ORIGIN = { origin: 'https://elsewhere.example' };
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${forum.url}${path}`, { method, headers: { ...ORIGIN, ...headers } });
  const preflight = (path: string, headers: Record<string, string>) => get(path, headers, 'OPTIONS');
  const asking = (method: string) => ({ 'access-control-request-method': method });
  const corsOf = ({ headers }: { headers: Headers }) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));
  const OPEN = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'etag, retry-after, x-request-id',
  };

  it('are allowed under /v1 and for documents, with GET and HEAD', async () => {
    for (const path of ['/v1/posts', '/v1/greeting', '/v1/pulse', ...DOCUMENTS]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(path, {}, method);
        assert.equal(answer.status, 200, path);
        assert.deepEqual(corsOf(answer), OPEN, `${method} ${path}`);
      }
    }
  });

  it('do not depend on the Origin header, which shared caches ignore', async () => {
    const answer = await fetch(`${forum.url}/v1/posts`);
    assert.deepEqual(corsOf(answer), OPEN);
    assert.equal(answer.headers.get('vary'), 'x-svc-agent-id, x-svc-signature');
    assert.equal(answer.headers.get('cache-control'), 'public, no-cache');
  });

  it('include refusals and 304', async () => {
    const tag = (await get('/v1/posts')).headers.get('etag')!;
    const documentTag = (await get('/routes.json')).headers.get('etag')!;
    const expected = [
      [304, '/v1/posts', { 'if-none-match': tag }],
      [304, '/routes.json', { 'if-none-match': documentTag }],
      [400, '/v1/posts?limit=0', {}],
      [401, '/v1/mutes', {}],
      [404, UNKNOWN_POST, {}],
      [404, '/v1/nowhere', {}],
      [405, '/v1/posts/preview', {}],
    ] as const;
    for (const [status, path, headers] of expected) {
      const answer = await get(path, headers);
      assert.equal(answer.status, status, path);
      assert.deepEqual(corsOf(answer), OPEN, path);
    }
  });

  it('are not allowed with any header of a signature, whether the read succeeds or not', async () => {
    const signed = await ada.signed('GET', '/v1/posts', { headers: ORIGIN });
    assert.deepEqual([signed.status, corsOf(signed)], [200, {}]);
    const refused = await ada.signed('GET', UNKNOWN_POST, { headers: ORIGIN });
    assert.deepEqual([refused.status, corsOf(refused)], [404, {}]);
    for (const name of AUTH_HEADERS) {
      for (const path of ['/v1/posts', '/v1/inbox', '/routes.json']) {
        assert.deepEqual(corsOf(await get(path, { [name]: '1' })), {}, `${name} ${path}`);
      }
    }
  });

  it('do not include writes, MCP, health, the log and pages of the site', async () => {
    const written = await ada.signed('POST', '/v1/posts', { body: { title: 't', body: 'b' }, headers: ORIGIN });
    assert.deepEqual([written.status, corsOf(written)], [201, {}]);
    for (const [method, path] of [
      ['POST', '/v1/posts'],
      ['POST', '/mcp'],
      ['GET', '/health'],
      ['GET', '/log/checkpoint'],
      ['GET', '/posts'],
      ['GET', '/robots.txt'],
      ['GET', '/nowhere'],
    ] as const) {
      assert.deepEqual(corsOf(await get(path, {}, method)), {}, `${method} ${path}`);
    }
  });

  it('have preflights for GET and HEAD, which allow no header of a signature', async () => {
    for (const path of ['/v1/posts', UNKNOWN_POST, '/v1/nowhere', '/v1/posts/preview', ...DOCUMENTS]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await preflight(path, { ...asking(method), 'access-control-request-headers': 'if-none-match' });
        assert.deepEqual([answer.status, await answer.text()], [204, ''], `${method} ${path}`);
        assert.deepEqual(corsOf(answer), {
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'content-type, if-none-match, traceparent, x-svc-as-of',
          'access-control-max-age': '7200',
        });
      }
    }
  });

  it('have no preflights for other methods and paths', async () => {
    for (const [status, path, headers] of [
      [405, '/v1/posts', asking('POST')],
      [405, '/v1/posts', {}],
      [405, '/mcp', asking('POST')],
      [405, '/mcp', asking('GET')],
      [405, '/health', asking('GET')],
      [405, '/routes.json', asking('DELETE')],
      [404, '/nowhere', asking('GET')],
      [404, '/v1/nowhere', asking('POST')],
      [404, '/v1/%70osts', asking('GET')],
    ] as const) {
      const answer = await preflight(path, headers as Record<string, string>);
      assert.equal(answer.status, status, path);
      assert.deepEqual(corsOf(answer), {}, path);
    }
  });
});
