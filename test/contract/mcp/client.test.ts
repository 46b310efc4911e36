import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { ForumClient, generateAgentKeys, runBridge } from '../../../src/client/index.ts';
import { mcpToolsOf, type Operation } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import { UNTRUSTED_NOTICE } from '../../../src/protocol/service.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { exampleOf, METER_ENV } from '../examples.ts';
import { flatInput } from '../support/flatInput.ts';

/** The official client; it lists tools without their output schemas, which the inventory has. */
const newClient = () => new Client({ name: 'test', version: '1.0.0' });

const allNames = [...OPERATIONS.flatMap((op) => mcpToolsOf(op).map(({ name }) => name)), 'read_docs'];
/** Those whose operation is a single tool, so that its example is one of the tool. */
const tools = OPERATIONS.flatMap((op) => (op.mcpTool === undefined ? [] : [{ op, name: op.mcpTool }]));

describe('the official MCP client', () => {
  let forum: TestForum;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true, env: { ...METER_ENV, LIMIT_POSTS: '1000' } });
    bob = await forum.agent();
  });
  after(() => forum.stop());

  /** An example of the tool in its own argument names; null where the example is for the route alone. */
  async function argumentsOf(op: Operation, ada: TestAgent): Promise<Record<string, unknown>> {
    const input = flatInput(op, await exampleOf(op, { forum, ada, bob }));
    return Object.fromEntries(Object.entries(input).map(([name, value]) => [op.mcpNames?.[name] ?? name, value]));
  }

  describe('over Streamable HTTP, unsigned', () => {
    let client: Client;
    before(async () => {
      client = newClient();
      // Its optional members are declared without undefined there.
      await client.connect(new StreamableHTTPClientTransport(new URL(`${forum.url}/mcp`)) as never);
    });
    after(() => client.close());

    it('agrees on the revision of this server though it asked for a newer one', () => {
      assert.equal(client.getServerVersion()?.name, 'agent-forum');
    });

    it('lists every tool', async () => {
      const listed = (await client.listTools()).tools.map(({ name }) => name);
      assert.deepEqual(listed.toSorted(), allNames.toSorted());
    });

    it('calls public tools, and gets the advice to sign for the rest', async () => {
      const ada = await forum.agent();
      for (const { op, name } of tools.filter((each) => each.op.auth !== 'registration-proof')) {
        const { isError, content } = await client.callTool({ name, arguments: await argumentsOf(op, ada) });
        const [text] = content as { text: string }[];
        if (op.auth === 'signed') assert.deepEqual(JSON.parse(text!.text), { error: 'unauthorized' }, name);
        else assert.notEqual(isError, true, `${name}: ${text!.text}`);
      }
    });
  });

  describe('through the bridge, signed', () => {
    let client: Client;
    let ada: TestAgent;
    let bridge: Promise<void>;
    let outputs: ReadonlyMap<string, (value: unknown) => { valid: boolean; errorMessage?: string | undefined }>;
    const toBridge = new PassThrough();
    before(async () => {
      const keys = generateAgentKeys();
      const now = () => forum.api.clock.now();
      const connection = new ForumClient({ baseUrl: forum.url, keys, now });
      const names = { handle: 'bridged', displayName: 'Bridged', description: '', purpose: 'testing' };
      await connection.register(names);
      // The same agent, for what the examples prepare.
      ada = new TestAgent(forum.url, now, keys.signing.seed);
      ada.handle = names.handle;
      const fromBridge = new PassThrough();
      bridge = runBridge(connection, {
        input: toBridge,
        writeLine: (line) => fromBridge.write(`${line}\n`),
        log: (text) => assert.fail(text),
      });
      const inventory = (await ada.anonymous('GET', '/mcp/tools')).body as {
        tools: { name: string; outputSchema?: object }[];
      };
      const ajv = new AjvJsonSchemaValidator();
      outputs = new Map(
        inventory.tools.flatMap(({ name, outputSchema }) =>
          outputSchema ? [[name, ajv.getValidator(outputSchema)] as const] : [],
        ),
      );
      client = newClient();
      // A transport over two streams, whichever side it was made for.
      await client.connect(new StdioServerTransport(fromBridge, toBridge));
    });
    after(async () => {
      toBridge.end();
      await bridge;
      await client.close();
    });

    for (const { op, name } of tools) {
      it(`calls ${name}`, async () => {
        const input = await argumentsOf(op, ada);
        const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
        const [notice, text] = content as { text: string }[];
        assert.notEqual(isError, true, notice!.text);
        assert.equal(notice!.text, UNTRUSTED_NOTICE);
        assert.deepEqual(JSON.parse(text!.text), structuredContent);
        assert.equal(outputs.get(name)!(structuredContent).errorMessage, undefined);
      });
    }

    it('reads the documentation, as a tool and as resources', async () => {
      const { content } = await client.callTool({ name: 'read_docs', arguments: { chapter: 'signing' } });
      const [{ text: chapter }] = content as [{ text: string }];
      assert.match(chapter, /^# Signing/);
      const { resources } = await client.listResources();
      const signing = resources.find(({ name }) => name === 'signing')!;
      assert.deepEqual([signing.mimeType, signing.size], ['text/markdown', Buffer.byteLength(chapter)]);
      const { contents } = await client.readResource({ uri: signing.uri });
      assert.deepEqual(contents, [{ uri: signing.uri, mimeType: 'text/markdown', text: chapter }]);
      await assert.rejects(client.readResource({ uri: 'forum://docs/nothing' }), { code: -32_002 });
    });

    it('tells day receipts from the ledger, though both are one route', async () => {
      const call = (name: string, input: object) => client.callTool({ name, arguments: { ...input } });
      const filter = { agentId: ada.agentId, day: '2026-01-02' };
      const ledger = await call('list_meter_receipts', filter);
      assert.deepEqual(ledger.structuredContent, { results: [] });
      const receipt = await call('get_meter_receipt', filter);
      assert.deepEqual(JSON.parse((receipt.content as { text: string }[])[0]!.text), { error: 'not_found' });
      const partial = await call('get_meter_receipt', { day: '2026-01-02' });
      assert.deepEqual(JSON.parse((partial.content as { text: string }[])[0]!.text), {
        error: 'invalid_request',
        field: 'agentId',
      });
    });
  });
});
