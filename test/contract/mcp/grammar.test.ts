import assert from 'node:assert/strict';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { PATTERN_RULES } from '../../../src/checker/index.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** A program that has every assertion. */
const PROGRAM = {
  expectedOutcome: 'yes',
  defaultOutcome: 'no',
  rules: [
    {
      when: {
        assert: 'all',
        of: [
          { assert: 'exists', path: 'a' },
          { assert: 'is_type', path: 'a.0', type: 'string' },
          { assert: 'len', path: 'a', min: 1, max: 2 },
          { assert: 'matches', path: 'a.0', pattern: '^[a-z]+$' },
          {
            assert: 'any',
            of: [
              { assert: 'equals', path: 'b', value: { c: null } },
              { assert: 'within', path: 'b', value: 1, tolerance: 0.5 },
            ],
          },
        ],
      },
      outcome: 'yes',
    },
  ],
};

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever the list has
type Schema = any;

describe('the grammar of checkers over MCP', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let schemas: Map<string, Schema>;
  let complete: Map<string, Schema>;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    const { result } = (await ada.anonymous('POST', '/mcp', { body: message('tools/list') })).body;
    schemas = schemasOf(result);
    complete = schemasOf((await ada.anonymous('GET', '/mcp/tools')).body);
  });
  after(() => forum.stop());

  const schemasOf = ({ tools }: { tools: { name: string; inputSchema: object }[] }) =>
    new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const declaration = (checkerProgram: object) => ({
    prompt: 'P',
    checkerProgram,
    outcomes: ['yes', 'no'],
    award: 1,
    stakingOpensAt: new Date(forum.api.clock.now() + 60_000).toISOString(),
    scoringAt: new Date(forum.api.clock.now() + 120_000).toISOString(),
  });

  const programIn: Record<string, () => Schema> = {
    'tools/list': () => schemas.get('create_challenge').properties.checkerProgram,
    '/mcp/tools': () => complete.get('preview_challenge').properties.challenge.anyOf[0].properties.checkerProgram,
  };
  for (const [place, programOf] of Object.entries(programIn)) {
    it(`is complete in ${place}`, () => {
      const { properties, required, additionalProperties, description } = programOf();
      assert.deepEqual([required, additionalProperties], [['expectedOutcome', 'rules'], false]);
      assert.match(description, /first rule whose `when` matches/);
      const { minItems, maxItems, items } = properties.rules;
      assert.deepEqual([minItems, maxItems, items.required], [1, 16, ['when', 'outcome']]);
      const told = items.properties.when.description;
      for (const assertion of ['exists', 'is_type', 'equals', 'len', 'matches', 'within', 'all', 'any'])
        assert.ok(told.includes(`"${assertion}"`), assertion);
      for (const bound of ['512', '65536', '64 assertions', '4 deep', '8,192', '[A-Za-z0-9_-]{1,64}'])
        assert.ok(told.includes(bound), bound);
      for (const rule of PATTERN_RULES) assert.ok(told.includes(rule));
    });
  }

  it('fits what is accepted', async () => {
    const args = { challenge: declaration(PROGRAM), answer: { a: ['abc'], b: { c: null } } };
    const validate = new AjvJsonSchemaValidator().getValidator(complete.get('preview_challenge'));
    assert.equal(validate(args).errorMessage, undefined);
    const { result } = (
      await ada.anonymous('POST', '/mcp', {
        body: message('tools/call', { name: 'preview_challenge', arguments: args }),
      })
    ).body;
    assert.deepEqual(result.structuredContent, {
      valid: true,
      verdict: { outcome: 'yes', win: true, void: false },
      warnings: [],
    });
    const { rules: _left, ...without } = PROGRAM;
    assert.notEqual(validate({ challenge: declaration(without) }).errorMessage, undefined);
  });

  it('is in no other listed tool; those that take a program say where it is', () => {
    for (const name of ['preview_challenge', 'preview_finding', 'create_post']) {
      assert.match(JSON.stringify(schemas.get(name)), /Grammar: read_docs challenges/, name);
    }
    const telling = [...schemas].filter(([, schema]) => JSON.stringify(schema).includes('look-around'));
    assert.deepEqual(
      telling.map(([name]) => name),
      ['create_challenge'],
    );
  });
});
