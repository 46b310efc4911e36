import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ForumClient, generateAgentKeys, runBridge } from '../../../src/client/index.ts';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const VERSION = '2026-07-28';
const META = 'io.modelcontextprotocol/';

interface Sent {
  readonly door?: string;
  readonly meta?: object | null;
  readonly headers?: Record<string, string | undefined>;
}

describe('MCP of revision 2026-07-28', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const META_OF = { [`${META}protocolVersion`]: VERSION, [`${META}clientCapabilities`]: {} };
  const messageOf = (method: string, params: object, meta: object | null) => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, ...(meta ? { _meta: meta } : {}) },
  });
  function headersOf(method: string, params: { name?: string; uri?: string }, given: Sent['headers'] = {}) {
    const name = params.name ?? params.uri;
    const all = { 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name, ...given };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, string>;
  }
  function ask(
    method: string,
    params: object = {},
    { door = '/mcp', meta = META_OF, headers }: Sent = {},
  ): Promise<Answer> {
    return ada.anonymous('POST', door, {
      body: messageOf(method, params, meta),
      headers: headersOf(method, params, headers),
    });
  }

  it('server/discover tells revisions, capabilities and who it is, to anybody', async () => {
    const { status, body } = await ask('server/discover');
    assert.equal(status, 200);
    const { resultType, supportedVersions, capabilities, instructions, ttlMs, cacheScope, _meta } = body.result;
    assert.deepEqual([resultType, cacheScope], ['complete', 'public']);
    assert.deepEqual(supportedVersions, [VERSION, '2025-06-18']);
    assert.deepEqual(capabilities, { tools: {}, resources: {} });
    assert.match(instructions, /untrusted data/);
    assert.ok(Number.isInteger(ttlMs) && ttlMs > 0);
    assert.equal(_meta[`${META}serverInfo`].name, 'agent-forum');
  });

  it('lists and documents say for how long they may be kept, and are those of the revision before', async () => {
    const asked: [string, object?][] = [
      ['tools/list'],
      ['resources/list'],
      ['resources/templates/list'],
      ['resources/read', { uri: 'forum://docs/mcp' }],
    ];
    for (const door of ['/mcp', '/mcp/read', '/mcp/core']) {
      for (const [method, params = {}] of asked) {
        const { resultType, ttlMs, cacheScope, _meta, ...rest } = (await ask(method, params, { door })).body.result;
        assert.deepEqual([resultType, cacheScope, typeof ttlMs], ['complete', 'public', 'number'], method);
        assert.equal(typeof _meta[`${META}serverInfo`].version, 'string');
        const before = await ada.anonymous('POST', door, { body: messageOf(method, params, null) });
        assert.deepEqual(before.body.result, rest);
      }
    }
  });

  it('a signed call without a handshake completes, and its result may not be cached', async () => {
    const params = { name: 'create_post', arguments: { title: 'Without a handshake', body: 'One request' } };
    const body = messageOf('tools/call', params, META_OF);
    const { status, body: answer } = await ada.signed('POST', '/mcp', {
      body,
      headers: headersOf('tools/call', params),
    });
    assert.equal(status, 200);
    const { resultType, isError, structuredContent, ttlMs, cacheScope } = answer.result;
    assert.deepEqual([resultType, isError, ttlMs, cacheScope], ['complete', false, undefined, undefined]);
    assert.equal(structuredContent.post.author.handle, ada.handle);
    const unsigned = await ask('tools/call', params);
    assert.deepEqual([unsigned.status, unsigned.body.result.isError], [200, true]);
    assert.equal(unsigned.body.result.resultType, 'complete');
  });

  it('refuses a request that does not say what it has to', async () => {
    const without = (key: string) =>
      Object.fromEntries(Object.entries(META_OF).filter(([name]) => !name.endsWith(key)));
    for (const meta of [null, {}, without('protocolVersion'), without('clientCapabilities')]) {
      for (const method of ['server/discover', 'tools/list']) {
        const { status, body } = await ask(method, {}, { meta });
        assert.deepEqual([status, body.error.code, body.id], [400, -32_602, 7], JSON.stringify(meta));
      }
    }
  });

  it('refuses a revision that it does not speak, and names those that it does', async () => {
    const version = '1900-01-01';
    const meta = { ...META_OF, [`${META}protocolVersion`]: version };
    const { status, body } = await ask('tools/list', {}, { meta, headers: { 'mcp-protocol-version': version } });
    assert.deepEqual([status, body.error.code], [400, -32_022]);
    assert.deepEqual(body.error.data, { supported: [VERSION, '2025-06-18'], requested: version });
  });

  it('rejects headers that differ from the body', async () => {
    const call = { name: 'get_greeting', arguments: {} };
    const cases: [string, object, Record<string, string | undefined>][] = [
      ['tools/list', {}, { 'mcp-protocol-version': '2025-06-18' }],
      ['tools/list', {}, { 'mcp-protocol-version': undefined }],
      ['tools/list', {}, { 'mcp-method': undefined }],
      ['tools/list', {}, { 'mcp-method': 'Tools/List' }],
      ['tools/call', call, { 'mcp-name': undefined }],
      ['tools/call', call, { 'mcp-name': 'get_karma' }],
      ['resources/read', { uri: 'forum://docs/mcp' }, { 'mcp-name': 'forum://docs/start' }],
    ];
    for (const [method, params, headers] of cases) {
      const { status, body } = await ask(method, params, { headers });
      assert.deepEqual([status, body.error.code], [400, -32_020], JSON.stringify(headers));
    }
    const encoded = `=?base64?${Buffer.from('get_greeting').toString('base64')}?=`;
    assert.equal((await ask('tools/call', call, { headers: { 'mcp-name': encoded } })).body.result.isError, false);
  });

  it('has no methods of the handshake: 404 as well as -32601', async () => {
    for (const method of [
      'initialize',
      'ping',
      'logging/setLevel',
      'prompts/list',
      'tasks/get',
      'subscriptions/listen',
    ]) {
      const { status, body } = await ask(method);
      assert.deepEqual([status, body.error.code, body.id], [404, -32_601, 7], method);
    }
    const uri = 'forum://docs/nothing';
    const { error } = (await ask('resources/read', { uri })).body;
    assert.deepEqual([error.code, error.data], [-32_602, { uri }]);
    const long = { uri: `forum://${'x'.repeat(300)}` };
    assert.equal((await ask('resources/read', long)).body.error.data, undefined);
    assert.equal((await ask('tools/call', { name: 'nothing' })).body.error.code, -32_602);
  });

  it('leaves initialize and what follows it as they were', async () => {
    const initialize = messageOf('initialize', { protocolVersion: VERSION, capabilities: {}, clientInfo: {} }, null);
    for (const headers of [{}, { 'mcp-protocol-version': VERSION }]) {
      const { status, body } = await ada.anonymous('POST', '/mcp', { body: initialize, headers });
      assert.deepEqual([status, body.result.protocolVersion], [200, '2025-06-18']);
    }
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    const ping = await ada.anonymous('POST', '/mcp', { body: messageOf('ping', {}, { progressToken: 1 }), headers });
    assert.deepEqual(ping.body.result, {});
    const card = (await ada.anonymous('GET', '/.well-known/mcp.json')).body;
    assert.deepEqual([card.protocolVersion, card.protocolVersions], ['2025-06-18', [VERSION, '2025-06-18']]);
  });

  it('goes through the bridge, which sends the headers, and tells for itself what nobody else may keep', async () => {
    const client = new ForumClient({ baseUrl: forum.url, keys: generateAgentKeys() });
    const uri = 'forum://docs/mcp';
    const asked = [
      messageOf('server/discover', {}, META_OF),
      messageOf('tools/list', {}, META_OF),
      messageOf('tools/call', { name: 'get_greeting', arguments: {} }, META_OF),
      messageOf('tools/call', { name: 'register_agent', arguments: {} }, META_OF),
      messageOf('resources/read', { uri }, META_OF),
    ].map((message, id) => ({ ...message, id }));
    const input = new PassThrough();
    const answers: { id: number; result: { resultType: string; cacheScope?: string; instructions?: string } }[] = [];
    input.end(asked.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await runBridge(client, { input, writeLine: (line) => answers.push(JSON.parse(line)), log: () => {} });
    const results = answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result);
    assert.deepEqual(
      results.map(({ resultType, cacheScope }) => [resultType, cacheScope]),
      [
        ['complete', 'private'],
        ['complete', 'private'],
        ['complete', undefined],
        ['complete', undefined],
        ['complete', 'public'],
      ],
      JSON.stringify(answers),
    );
    assert.match(results[0]!.instructions!, /not registered/);
  });
});
