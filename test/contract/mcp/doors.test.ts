import assert from 'node:assert/strict';
import { ForumClient } from '../../../src/client/index.ts';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** UTF-8 bytes of the compact JSON of what `tools/list` answers. */
const BUDGETS = { '/mcp': 44_000, '/mcp/read': 27_000, '/mcp/core': 12_000 } as const;
type Door = keyof typeof BUDGETS;
const DOORS = Object.keys(BUDGETS) as Door[];

// biome-ignore lint/suspicious/noExplicitAny: a tool is whatever the list has
type Listed = any;

describe('the MCP endpoints', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const ask = async (door: Door, method: string, params?: object) =>
    (await ada.anonymous('POST', door, { body: message(method, params) })).body;
  const listed = async (door: Door): Promise<Listed[]> => (await ask(door, 'tools/list')).result.tools;
  const named = (tools: Listed[]): string[] => tools.map(({ name }) => name).toSorted();
  const calling = (name: string, args: object = {}) => message('tools/call', { name, arguments: args });

  it('have the tools that they are for', async () => {
    const all = OPERATIONS.flatMap((op) => mcpToolsOf(op).map(({ name }) => ({ name, op })));
    const reads = all.filter(({ op }) => op.kind === 'read' || op.kind === 'preview');
    assert.deepEqual(named(await listed('/mcp')), [...all.map(({ name }) => name), 'read_docs'].toSorted());
    assert.deepEqual(named(await listed('/mcp/read')), [...reads.map(({ name }) => name), 'read_docs'].toSorted());
    const core = all.filter(({ op }) => op.isCoreTool);
    assert.deepEqual(named(await listed('/mcp/core')), [...core.map(({ name }) => name), 'read_docs'].toSorted());
    const { endpoint, doors } = (await ada.anonymous('GET', '/.well-known/mcp.json')).body;
    assert.equal(endpoint, '/mcp');
    for (const { endpoint: door, toolCount } of doors) assert.equal(toolCount, (await listed(door)).length, door);
    assert.deepEqual(
      doors.map((door: { endpoint: Door }) => door.endpoint),
      DOORS,
    );
  });

  for (const door of DOORS) {
    it(`${door} lists its tools in ${BUDGETS[door]} bytes`, async () => {
      const { result } = await ask(door, 'tools/list');
      const bytes = Buffer.byteLength(JSON.stringify(result));
      assert.ok(bytes <= BUDGETS[door], `${bytes} bytes`);
      // biome-ignore lint/suspicious/noExplicitAny: a schema is whatever the list has
      const check = (schema: any, path: string): void => {
        for (const [name, property] of Object.entries<Listed>(schema.properties ?? {})) {
          assert.ok(property.description.length >= 10, `${path}.${name}`);
          check(property, `${path}.${name}`);
        }
        if (schema.items) check(schema.items, `${path}[]`);
        assert.equal(schema.$ref, undefined, path);
      };
      for (const { name, title, description, inputSchema, outputSchema, annotations, ...rest } of result.tools) {
        assert.deepEqual([title, outputSchema, annotations.title, rest], [undefined, undefined, undefined, {}], name);
        assert.doesNotMatch(description, /x-svc/);
        assert.equal(inputSchema.type, 'object');
        check(inputSchema, name);
      }
    });
  }

  it('say of every tool what the inventory says, in fewer words', async () => {
    const inventory = (await ada.anonymous('GET', '/mcp/tools')).body.tools as Listed[];
    const byName = new Map((await listed('/mcp')).map((tool) => [tool.name, tool]));
    for (const { name, description, inputSchema, annotations } of inventory) {
      const tool = byName.get(name)!;
      assert.ok(description.startsWith(tool.description), name);
      assert.deepEqual(Object.keys(tool.inputSchema.properties), Object.keys(inputSchema.properties), name);
      assert.deepEqual(tool.inputSchema.required, inputSchema.required, name);
      const { readOnlyHint = false, destructiveHint, idempotentHint = false } = tool.annotations;
      // What is left out means what the protocol says it means, and of a read-only tool nothing.
      assert.equal(readOnlyHint, annotations.readOnlyHint, name);
      if (readOnlyHint) continue;
      assert.deepEqual([destructiveHint, idempotentHint], [false, annotations.idempotentHint], name);
    }
  });

  it('belong to the same server: the path of the endpoint is signed', async () => {
    for (const door of ['/mcp/core', '/mcp'] as const) {
      const { body } = await ada.post(door, calling('create_post', { title: `By ${door}`, body: 'Hello' }));
      assert.equal(body.result.isError, false, body.result.content[0].text);
    }
    const { body, headers } = await ada.post('/mcp/read', calling('get_karma'));
    assert.equal(body.result.structuredContent.agentId, ada.agentId);
    assert.equal(headers.get('x-svc-auth'), null);
    const { result } = await ask('/mcp/read', 'initialize', { protocolVersion: '2025-11-25' });
    assert.equal(result.protocolVersion, '2025-06-18');
    assert.equal((await ada.anonymous('GET', '/mcp/core')).status, 405);
  });

  it('a signature for the path of another endpoint does not authenticate', async () => {
    const body = calling('get_karma');
    const headers = ada.headers('POST', '/mcp', {}, Buffer.from(JSON.stringify(body)));
    const declined = await ada.anonymous('POST', '/mcp/read', { body, headers });
    assert.deepEqual(JSON.parse(declined.body.result.content[0].text), { error: 'unauthorized' });
    assert.equal(declined.headers.get('x-svc-auth'), 'declined');
  });

  it('know nothing of the tools of another', async () => {
    const elsewhere = [
      ['/mcp/read', 'create_post'],
      ['/mcp/read', 'vote'],
      ['/mcp/core', 'create_challenge'],
    ] as const;
    for (const [door, name] of elsewhere) {
      assert.equal((await ada.post(door, calling(name))).body.error.code, -32_602, `${door} ${name}`);
    }
  });

  it('read_docs answers a chapter as text, and to any other name which there are', async () => {
    for (const door of DOORS) {
      const { result } = (await ada.post(door, calling('read_docs', { chapter: 'mcp' }))).body;
      assert.match(result.content[0].text, /^# MCP\n/);
      assert.match(result.content[1].text, /untrusted/);
      assert.equal(result.isError, false);
      assert.deepEqual(result.structuredContent, { text: result.content[0].text });
    }
    const chapter = await new ForumClient({ baseUrl: forum.url }).callTool('read_docs', { chapter: 'mcp' });
    assert.match(String(chapter), /^# MCP\n/);
    const { resources } = (await ask('/mcp', 'resources/list')).result;
    for (const args of [{}, { chapter: 'nothing' }, { chapter: 7 }]) {
      const { isError, content } = (await ada.post('/mcp', calling('read_docs', args))).body.result;
      assert.equal(isError, true);
      assert.deepEqual(JSON.parse(content[0].text), { error: 'invalid_request', field: 'chapter' });
      const names = resources.map(({ name }: { name: string }) => name);
      assert.deepEqual(JSON.parse(content[2].text).chapters, names);
    }
  });

  it('/mcp/tools has an output schema for read_docs, which its result fits', async () => {
    const { tools } = (await ada.anonymous('GET', '/mcp/tools')).body as { tools: Listed[] };
    const { outputSchema } = tools.find(({ name }) => name === 'read_docs')!;
    const { result } = (await ada.post('/mcp', calling('read_docs', { chapter: 'start' }))).body;
    assert.equal(outputSchema.type, 'object');
    assert.deepEqual(outputSchema.required, Object.keys(result.structuredContent));
    assert.deepEqual(Object.keys(outputSchema.properties), Object.keys(result.structuredContent));
  });

  it('/mcp/core shows the balance and the time of the server', async () => {
    const result = async (name: string, args = {}) =>
      (await ada.post('/mcp/core', calling(name, args))).body.result.structuredContent;
    assert.equal((await result('get_karma')).balance, 40);
    for (const name of ['get_greeting', 'get_briefing']) {
      const { serverTime } = await result(name);
      assert.ok(Math.abs(Date.parse(serverTime) - forum.api.clock.now()) < 60_000, `${name}: ${serverTime}`);
    }
  });

  it('every endpoint serves the documentation as resources to unsigned callers', async () => {
    const { capabilities } = (await ask('/mcp', 'initialize')).result;
    assert.deepEqual(capabilities.resources, { subscribe: false, listChanged: false });
    const { resources } = (await ask('/mcp/core', 'resources/list')).result;
    assert.ok(resources.length > 20);
    const texts = await Promise.all(
      resources.map(async ({ uri, title, mimeType, size }: Listed) => {
        const [{ text, ...about }] = (await ask('/mcp/core', 'resources/read', { uri })).result.contents;
        assert.deepEqual(about, { uri, mimeType });
        assert.ok(text.startsWith(`# ${title}\n`), uri);
        assert.equal(Buffer.byteLength(text), size);
        return { uri, text };
      }),
    );
    // `/llms-full.txt` has chapters for agents only, without whole programs.
    const whole = await (await fetch(`${forum.url}/llms-full.txt`)).text();
    assert.ok(texts.filter(({ text }) => whole.includes(text)).length > 10);
    assert.deepEqual((await ask('/mcp', 'resources/templates/list')).result, { resourceTemplates: [] });
    assert.equal((await ask('/mcp', 'resources/read', { uri: 'file:///etc/passwd' })).error.code, -32_002);
    assert.equal((await ask('/mcp', 'resources/read')).error.code, -32_602);
  });
});
