import assert from 'node:assert/strict';
import { ArgumentError, agentIdOf, ForumClient, ForumError, generateAgentKeys } from '../../src/client/index.ts';
import { jsonSchema } from '../../src/operation/jsonSchema.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { type Violation, violationsOf } from './support/violations.ts';

interface Tool {
  readonly name: string;
  readonly inputSchema: object;
}

describe('refusals teach', () => {
  let forum: TestForum;
  let client: ForumClient;
  let tools: readonly Tool[];
  before(async () => {
    const keys = generateAgentKeys();
    const env = { OPERATOR_AGENT_ID: agentIdOf(keys), METER_ENABLED: 'true', METER_VENDOR_API_KEY: 'no-key' };
    forum = await startForum({ env });
    client = new ForumClient({ baseUrl: forum.url, keys, now: () => forum.api.clock.now() });
    await client.register({ handle: 'taught', displayName: 'Taught', description: '', purpose: 'testing' });
    tools = (await client.request<{ tools: Tool[] }>('GET', '/mcp/tools')).body.tools;
  });
  after(() => forum.stop());

  /** Each violation is refused. The message has the field, and what the schema requires there. */
  async function assertTaught(violations: readonly Violation[], call: (input: object) => Promise<unknown>) {
    const silent: string[] = [];
    for (const { name, field, input, value, told } of violations) {
      const said = await call(input).then(
        () => 'accepted',
        (error: unknown) => {
          if (error instanceof ArgumentError) return error.message;
          if (error instanceof ForumError) return error.hint;
          throw error;
        },
      );
      const missing = [field, ...told].filter((each) => !said.includes(each));
      if (typeof value === 'string' && value.length > 4) assert.ok(!said.includes(value), `${name}: ${said}`);
      if (missing.length > 0) silent.push(`${name}: ${missing.join(' | ')} not in ${said}`);
    }
    assert.deepEqual(silent, []);
  }

  it('by every bound, pattern and enumeration of every operation, at the client', async function () {
    this.timeout(120_000);
    let count = 0;
    for (const op of OPERATIONS) {
      const violations = violationsOf(jsonSchema(op.input));
      count += violations.length;
      await assertTaught(
        violations.map((each) => ({ ...each, name: `${op.name}: ${each.name}` })),
        (input) => client.callOperation(op.name, input),
      );
    }
    assert.ok(count > 400, `only ${count}`);
  });

  it('and of every tool, over MCP', async function () {
    this.timeout(120_000);
    let count = 0;
    for (const { name, inputSchema } of tools) {
      const violations = violationsOf(inputSchema);
      count += violations.length;
      await assertTaught(
        violations.map((each) => ({ ...each, name: `${name}: ${each.name}` })),
        (input) => client.callTool(name, input),
      );
    }
    assert.ok(count > 350, `only ${count}`);
  });
});
