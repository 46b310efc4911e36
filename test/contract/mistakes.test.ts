import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ArgumentError, ForumClient, ForumError, generateAgentKeys } from '../../src/client/index.ts';
import { CHAPTER_NAMES } from '../../src/discovery/pages.ts';
import { asToolAdvice } from '../../src/hints/advice.ts';
import { mcpToolsOf } from '../../src/operation/operation.ts';
import { OPERATIONS } from '../../src/operations.ts';
import { ERROR_GUIDE } from '../../src/protocol/errorGuide.ts';
import { startForum, type TestForum } from '../support/forum.ts';

interface Refused {
  readonly token?: string;
  readonly field?: string;
  readonly problems?: readonly string[];
  readonly hint?: string;
}

interface Mistake extends Refused {
  readonly mistake: string;
  readonly operation?: string;
  readonly tool: string;
  readonly input: object;
  /** What the tool gets where it is not the input of the operation. */
  readonly arguments?: object;
  readonly unsent?: boolean;
  readonly mcp?: Refused;
}

interface Vectors {
  readonly mistakes: readonly Mistake[];
  readonly names: readonly { sent: string; tool: string | null; operation: string | null }[];
}

const { mistakes, names } = JSON.parse(
  await readFile(new URL('../vectors/hints.json', import.meta.url), 'utf8'),
) as Vectors;

describe('hints for typical mistakes', () => {
  let forum: TestForum;
  let client: ForumClient;
  let cursorOfAll: string;
  before(async () => {
    forum = await startForum();
    client = await registered('mistaken');
    const other = await registered('other');
    await other.createCommunity({ slug: 'others', displayName: 'O', description: '', visibility: 'public' });
    for (const title of ['a', 'b']) await client.createPost({ title, body: title });
    cursorOfAll = (await client.listPosts({ limit: 1 })).nextCursor!;
  });
  after(() => forum.stop());

  async function registered(handle: string): Promise<ForumClient> {
    const keys = generateAgentKeys();
    const agent = new ForumClient({ baseUrl: forum.url, keys, now: () => forum.api.clock.now() });
    await agent.register({ handle, displayName: handle, description: '', purpose: 'testing' });
    return agent;
  }

  const filled = <T extends object>(given: T) =>
    JSON.parse(
      JSON.stringify(given)
        .replaceAll('{{cursorOfAll}}', cursorOfAll)
        .replaceAll('{{chapters}}', CHAPTER_NAMES.join(', ').replace(/, (?=[\w-]+$)/, ' or ')),
    ) as T;

  /** What a refusal says, as the vectors have it. */
  async function refusalOf(call: Promise<unknown>): Promise<Refused> {
    const error = await call.then(
      () => assert.fail('accepted'),
      (reason: unknown) => reason,
    );
    if (error instanceof ArgumentError) return { problems: error.message.split('; ') };
    if (!(error instanceof ForumError)) throw error;
    const { token, field, problems, hint } = error;
    if (problems.length > 0) assert.equal(hint, problems.join('; '));
    return { token, ...(field === undefined ? {} : { field }), ...(problems.length > 0 ? { problems } : { hint }) };
  }

  it('are tested for at least 60 mistakes', () => assert.ok(mistakes.length >= 60, `${mistakes.length}`));

  for (const { mistake, operation, tool, input, arguments: given, unsent, mcp, ...expected } of mistakes) {
    if (operation !== undefined) {
      it(`${operation} explains ${mistake} at the TypeScript client`, async () => {
        const { token, ...problems } = expected;
        assert.deepEqual(
          await refusalOf(client.callOperation(operation, filled(input))),
          unsent ? problems : { token, ...problems },
        );
      });
    }
    it(`${tool} explains ${mistake} over MCP`, async () => {
      assert.deepEqual(await refusalOf(client.callTool(tool, filled(given ?? input))), filled({ ...expected, ...mcp }));
    });
  }

  for (const { sent, tool, operation } of names) {
    it(`${sent} is corrected to ${tool ?? 'no tool'} and ${operation ?? 'no operation'}`, async () => {
      const toolMeant = tool === null ? '' : `: did you mean ${tool}?`;
      await assert.rejects(client.callTool(sent, {}), { message: `Unknown tool${toolMeant}` });
      if (OPERATIONS.some(({ name }) => name === sent)) return;
      const operationMeant = operation === null ? '' : `: did you mean ${operation}?`;
      await assert.rejects(client.callOperation(sent, {}), { message: `no operation ${sent}${operationMeant}` });
    });
  }

  it('name tools and no routes, operations or headers over MCP', () => {
    const tools = new Map(OPERATIONS.map((op) => [op.name, mcpToolsOf(op)[0]?.name]));
    const toolOf = (operation: string) => tools.get(operation);
    // A tool has its route.
    const ofAll = Object.entries(ERROR_GUIDE).filter(([token]) => token !== 'not_found');
    const ofOperations = OPERATIONS.flatMap(({ refusals = {} }) => Object.values(refusals));
    for (const advice of [...ofAll.map(([, { recover }]) => recover), ...ofOperations]) {
      const told = asToolAdvice(advice, toolOf);
      assert.doesNotMatch(told, /\/v1\/|\b(?:GET|POST) |\.json|Retry-After/, advice);
      for (const [operation, tool] of tools) {
        if (tool !== undefined) assert.ok(!told.includes(`\`${operation}\``), told);
      }
      for (const [, named] of advice.matchAll(/`([a-z]+\.[a-zA-Z]+)`/g)) assert.ok(tools.has(named!), advice);
    }
  });
});
