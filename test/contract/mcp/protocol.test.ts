import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { rawExchange } from '../support/raw.ts';

describe('POST /mcp', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const message = (method: string, params?: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    ...(params ? { params } : {}),
  });
  const anonymous = (body: unknown, headers: Record<string, string> = {}) =>
    ada.anonymous('POST', '/mcp', { body, headers });
  const call = (name: string, args: object = {}) => ada.post('/mcp', message('tools/call', { name, arguments: args }));

  it('answers initialize with its own revision, whatever is asked', async () => {
    const asked = message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't' } });
    const { status, body } = await anonymous(asked);
    assert.equal(status, 200);
    assert.equal(body.result.protocolVersion, '2025-06-18');
  });

  it('shows every tool whole in the inventory, with schemas and all four annotations', async () => {
    const { tools } = (await ada.anonymous('GET', '/mcp/tools')).body;
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      assert.equal(inputSchema.type, 'object');
      assert.equal(outputSchema.type, 'object', name);
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      for (const hint of [readOnlyHint, destructiveHint, idempotentHint, openWorldHint])
        assert.equal(typeof hint, 'boolean');
    }
    const card = await ada.anonymous('GET', '/.well-known/mcp.json');
    assert.equal(card.body.toolCount, tools.length);
  });

  it('writes a signed post by tools/call, through the same pipeline as REST', async () => {
    const { status, body, headers } = await call('create_post', {
      title: 'By MCP',
      body: 'Signed over the whole message',
    });
    assert.equal(status, 200);
    assert.equal(body.result.isError, false);
    assert.equal(headers.get('x-svc-ratelimit-remaining'), '29');
    const { post } = body.result.structuredContent;
    const read = await ada.anonymous('GET', `/v1/posts/${post.postId}`);
    assert.equal(read.body.post.title, 'By MCP');
  });

  it('answers what no strict parser reads under its id, and says where the fault is', async () => {
    const { body: answer, status } = await ada.signed('POST', '/mcp', {
      rawBody:
        '{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"vote","arguments":{"body":"a\\u0000b"}}}',
    });
    assert.equal(status, 400);
    assert.deepEqual(answer, {
      jsonrpc: '2.0',
      id: '7',
      error: { code: -32_700, message: 'Parse error at params.arguments.body' },
    });
    const cut = await ada.signed('POST', '/mcp', { rawBody: '{"jsonrpc":"2.0","id":"7"' });
    assert.deepEqual([cut.body.id, cut.body.error.message], [null, 'Parse error']);
  });

  it('says refusals as results with token and field, without structured content', async () => {
    const unsigned = await anonymous(
      message('tools/call', { name: 'create_post', arguments: { title: 'x', body: 'y' } }),
    );
    assert.equal(unsigned.status, 200);
    assert.equal(unsigned.body.result.isError, true);
    assert.deepEqual(JSON.parse(unsigned.body.result.content[0].text), { error: 'unauthorized' });
    assert.equal(unsigned.body.result.structuredContent, undefined);
    const wrong = await call('create_post', { title: '#', body: 'y' });
    assert.deepEqual(JSON.parse(wrong.body.result.content[0].text), { error: 'invalid_request', field: 'title' });
  });

  it('adds texts to a refusal that say what to do and how long to wait', async () => {
    const cy = await forum.agent();
    const feedback = { kind: 'bug', title: 'Again', body: 'and again' };
    const byRest = () => cy.post('/v1/feedback', feedback);
    for (let n = 0; n < 5; n++) assert.equal((await byRest()).status, 201);
    const rest = await byRest();
    const { body, headers } = await cy.post(
      '/mcp',
      message('tools/call', { name: 'create_feedback', arguments: feedback }),
    );
    const texts = body.result.content.map(({ text }: { text: string }) => text);
    assert.equal(texts[0], JSON.stringify(rest.body));
    assert.equal(texts[0], '{"error":"rate_limited"}');
    assert.match(texts[1], /untrusted data/);
    const { hint, retryAfterSeconds } = JSON.parse(texts[2]);
    assert.match(hint, /retryAfterSeconds/);
    assert.ok(retryAfterSeconds > 86_300 && retryAfterSeconds <= 86_400, String(retryAfterSeconds));
    assert.equal(headers.get('x-svc-retry-after'), String(retryAfterSeconds));
    for (const [sent, hinted] of [
      [{}, /^The call was not signed\. .* A signing bridge .* read_docs, chapter mcp\.$/],
      [{ 'x-svc-agent-id': ada.agentId }, /sign again with a new nonce/],
    ] as const) {
      const refused = await anonymous(message('tools/call', { name: 'get_karma', arguments: {} }), sent);
      const advice = JSON.parse(refused.body.result.content[2].text);
      assert.deepEqual(Object.keys(advice), ['hint']);
      assert.match(advice.hint, hinted);
    }
  });

  it('says what is valid in the names of the tool, and which tool may have been meant', async () => {
    const hintOf = async (name: string, args: object) => {
      const { body, headers } = await call(name, args);
      assert.match(headers.get('link') ?? '', /^<\/docs\/operations\/[a-z]+\.[a-zA-Z]+>; rel="help"$/);
      return JSON.parse(body.result.content[2].text).hint;
    };
    assert.equal(await hintOf('search', { query: 7 }), 'query: text, at most 20,000 characters');
    assert.equal(await hintOf('search', { q: 'x', limit: 0 }), 'limit: 1 to 20; no property q: did you mean query?');
    assert.equal(
      await hintOf('create_post', { title: 'T', bdoy: 'B' }),
      'body: required, text, 1 to 20,000 characters (an envelope only in an encrypted community); no property bdoy: did you mean body?',
    );
    assert.equal(await hintOf('get_post', { postId: 'p_1' }), 'postId: p_, then 25 of a-z and 0-9');
    const errorOf = async (door: string, name: string) =>
      (await ada.post(door, message('tools/call', { name, arguments: {} }))).body.error.message;
    assert.equal(await errorOf('/mcp', 'create_pots'), 'Unknown tool: did you mean create_post?');
    assert.equal(await errorOf('/mcp/core', 'create_challenge'), 'Unknown tool: it is a tool of /mcp');
    assert.equal(await errorOf('/mcp', 'x'.repeat(70)), 'Unknown tool');
  });

  it('refuses a replayed message and spends no nonce on previews', async () => {
    const body = message('tools/call', { name: 'create_post', arguments: { title: 'Once', body: 'x' } });
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    assert.equal((await ada.signed('POST', '/mcp', { body, nonce })).body.result.isError, false);
    const again = await ada.signed('POST', '/mcp', { body, nonce });
    assert.deepEqual([again.body.result.isError, again.headers.get('x-svc-auth')], [true, 'declined']);
    const preview = message('tools/call', { name: 'preview_post', arguments: { title: 'Often', body: 'x' } });
    for (let n = 0; n < 2; n++) {
      const answer = await ada.signed('POST', '/mcp', { body: preview, nonce: 'BAECAwQFBgcICQoLDA0ODw' });
      assert.equal(answer.body.result.isError, false);
    }
  });

  it('says that credentials were declined, whatever is called, and nothing where none came', async () => {
    for (const name of ['search', 'get_greeting', 'get_karma']) {
      const body = message('tools/call', { name, arguments: {} });
      const said = async (sent: Promise<{ headers: Headers }>) => (await sent).headers.get('x-svc-auth');
      assert.equal(await said(ada.signed('POST', '/mcp', { body, skewSeconds: 400 })), 'declined', name);
      assert.equal(await said(anonymous(body, { 'x-svc-nonce': 'AAECAwQFBgcICQoLDA0ODw' })), 'declined', name);
      assert.equal(await said(ada.post('/mcp', body)), null, name);
      assert.equal(await said(anonymous(body)), null, name);
    }
  });

  it('takes no origin but its own, though the host were made to match it', async () => {
    const statusOf = async (headers: Record<string, string>) => {
      const body = JSON.stringify(message('ping'));
      const all = {
        ...headers,
        'content-type': 'application/json',
        'content-length': body.length,
        connection: 'close',
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      return (await rawExchange(forum.url, `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`)).status;
    };
    const { host } = new URL(forum.url);
    assert.equal(await statusOf({ host, origin: `http://${host}` }), 200);
    assert.equal(await statusOf({ host: 'evil.example', origin: 'http://evil.example' }), 403);
    assert.equal(await statusOf({ host, origin: 'null' }), 403);
    assert.equal(await statusOf({ host: 'forum.internal' }), 200);
  });

  it('keeps to the protocol in everything else', async () => {
    assert.equal((await anonymous({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    assert.equal((await anonymous([message('ping')])).body.error.code, -32_600);
    const ping = (id: string) =>
      ada.anonymous('POST', '/mcp', { rawBody: `{"jsonrpc":"2.0","id":${id},"method":"ping"}` });
    assert.equal((await ping('9007199254740991')).body.id, 9_007_199_254_740_991);
    for (const id of ['9007199254740993', '-1e300'])
      assert.deepEqual([(await ping(id)).body.id, (await ping(id)).body.error.code], [null, -32_600]);
    assert.equal((await ada.anonymous('POST', '/mcp', { rawBody: '{' })).body.error.code, -32_700);
    assert.equal((await anonymous(message('message/send'))).body.error.code, -32_601);
    assert.equal((await anonymous(message('tasks/get'))).body.error.code, -32_601);
    assert.equal((await anonymous(message('tools/call', { name: 'nope' }))).body.error.code, -32_602);
    const unspoken = await anonymous(message('tools/list'), { 'mcp-protocol-version': '1999-01-01' });
    assert.deepEqual([unspoken.status, unspoken.body.error.data], [400, { supported: ['2026-07-28', '2025-06-18'] }]);
    const form = await anonymous(message('ping'), { 'content-type': 'application/x-www-form-urlencoded' });
    assert.equal(form.body.error.message, 'Parse error: send Content-Type: application/json');
    assert.equal((await anonymous(message('ping'), { origin: 'https://elsewhere.example' })).status, 403);
    assert.equal((await anonymous(message('ping'), { accept: '*/*' })).status, 200);
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const refused = await ada.anonymous(method, '/mcp');
      assert.equal(refused.status, 405, method);
      assert.equal(refused.headers.get('allow'), 'POST', method);
    }
  });
});
