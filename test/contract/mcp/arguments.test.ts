import assert from 'node:assert/strict';
import { recordedExample } from '../../../src/discovery/recorded.ts';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { validate } from '../../../src/operation/schemas.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { exampleOf } from '../examples.ts';
import { flatInput } from '../support/flatInput.ts';

interface Shown {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, object>; readonly required?: string[] };
  readonly annotations: { readonly readOnlyHint: boolean };
}

const TOOLS = OPERATIONS.flatMap((op) => mcpToolsOf(op).map((tool) => ({ op, ...tool })));

/** The optional properties that an input has, but for those that may be any JSON, null too. */
function optionalNames(input: (typeof TOOLS)[number]['input']): string[] {
  const keys = input.describe().keys as Record<string, { type: string; flags?: { presence?: string } }>;
  return Object.keys(keys).filter((name) => keys[name]!.flags?.presence !== 'required' && keys[name]!.type !== 'any');
}

describe('arguments of tools', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
    [ada, bob] = [await forum.agent(), await forum.agent()];
  });
  after(() => forum.stop());

  const call = async (name: string, args: unknown) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    return (await ada.post('/mcp', body)).body;
  };

  const governanceTool = async (named: string) => {
    const { tools } = (await ada.anonymous('GET', '/mcp/tools')).body as { tools: Shown[] };
    const { inputSchema } = tools.find(({ name }) => name === named)!;
    return { inputSchema, op: TOOLS.find(({ name }) => name === named)!.op };
  };

  it('null is the same as absent for every optional property of every input', () => {
    let count = 0;
    for (const { op, name, input } of TOOLS) {
      const example = recordedExample(op)!.input;
      const optional = optionalNames(input);
      if (optional.length === 0) continue;
      const required = Object.fromEntries(Object.entries(example).filter(([key]) => !optional.includes(key)));
      const absent = validate(input, required);
      assert.equal(absent.error, undefined, name);
      for (const property of optional) {
        assert.deepEqual(validate(input, { ...required, [property]: null }), absent, `${name}: ${property}`);
        count += 1;
      }
    }
    assert.ok(count >= 67, `only ${count}`);
  });

  it('the schemas of the tools say so', async () => {
    const { tools } = (await ada.anonymous('GET', '/mcp/tools')).body as { tools: Shown[] };
    for (const { name, inputSchema } of tools) {
      for (const [property, schema] of Object.entries(inputSchema.properties)) {
        if (inputSchema.required?.includes(property)) continue;
        const takesNull = !('type' in schema || 'enum' in schema);
        assert.ok(takesNull, `${name}: ${property}`);
      }
    }
  });

  it('every read answers alike with all of them null, and without', async () => {
    for (const { op, name, input } of TOOLS.filter((tool) => tool.op.kind === 'read')) {
      const example = op.name.startsWith('meter.') ? {} : flatInput(op, await exampleOf(op, { forum, ada, bob }));
      const optional = optionalNames(input);
      const required = Object.entries(example).filter(([key]) => !optional.includes(key));
      const nulls = optional.map((property) => [op.mcpNames?.[property] ?? property, null] as const);
      const [given, left] = [
        await call(name, Object.fromEntries([...required, ...nulls])),
        await call(name, Object.fromEntries(required)),
      ];
      assert.equal(given.result.isError, left.result.isError, `${name}: ${given.result.content[0].text}`);
      if (given.result.isError) assert.equal(given.result.content[0].text, left.result.content[0].text, name);
    }
  });

  it('null instead of arguments means no arguments', async () => {
    const { result } = await call('list_posts', null);
    assert.equal(result.isError, false);
    assert.ok(Array.isArray(result.structuredContent.items));
    assert.equal((await call('list_posts', [])).error.code, -32_602);
  });

  it('an event of governance is named governanceEventId, or eventId', async () => {
    const { op, inputSchema } = await governanceTool('get_governance_event');
    assert.deepEqual(Object.keys(inputSchema.properties), ['governanceEventId']);
    const { governanceEventId } = flatInput(op, await exampleOf(op, { forum, ada, bob })) as Record<string, string>;
    for (const name of ['get_governance_event', 'get_governance_proof']) {
      const { inputSchema: shown } = await governanceTool(name);
      assert.deepEqual([Object.keys(shown.properties), shown.required], [['governanceEventId'], ['governanceEventId']]);
    }
    for (const args of [{ governanceEventId }, { eventId: governanceEventId }]) {
      const { structuredContent } = (await call('get_governance_event', args)).result;
      assert.equal(structuredContent.eventId, governanceEventId);
    }
    assert.equal((await call('get_governance_proof', { eventId: governanceEventId })).result.isError, false);
    const refused = async (args: object) => {
      const { isError, content } = (await call('get_governance_event', args)).result;
      assert.equal(isError, true);
      return [JSON.parse(content[0].text).field, JSON.parse(content.at(-1).text).hint];
    };
    const wanted = 'governanceEventId: gov_, then 25 of a-z and 0-9';
    assert.deepEqual(await refused({ eventId: 'gov_1' }), ['governanceEventId', wanted]);
    const [field, hint] = await refused({ governanceEventId, eventId: governanceEventId });
    assert.equal(field, 'eventId');
    assert.match(hint, /^no property eventId/);
  });

  it('null is a result in the check of a finding', async () => {
    const example = flatInput(
      OPERATIONS.find(({ name }) => name === 'finding.check')!,
      await exampleOf('finding.check', { forum, ada, bob }),
    );
    const supplied = (await call('check_finding', { ...example, result: null })).result.structuredContent;
    assert.equal(supplied.comparison.resultSource, 'supplied');
    const { result: _left, ...rest } = example;
    const stored = (await call('check_finding', rest)).result.structuredContent;
    assert.equal(stored.comparison.resultSource, 'stored');
  });

  it('in a REST body null is absent too, in a query it is a word', async () => {
    const preview = { title: 'T', body: 'B', communitySlug: null, finding: null };
    assert.equal((await ada.post('/v1/posts/preview', preview)).status, 200);
    const refused = await ada.anonymous('GET', '/v1/posts', { query: 'limit=null' });
    assert.deepEqual(refused.body, { error: 'invalid_request', field: 'limit' });
  });
});
