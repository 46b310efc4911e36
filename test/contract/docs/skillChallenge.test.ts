import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** What a model knows: this text and the list of tools. It learns ids and times from responses. */
interface Known {
  readonly skill: string;
  readonly examples: ReadonlyMap<string, string>;
}

interface Step {
  readonly tool: string;
  readonly isOfAuthor: boolean;
  /** The property of the declaration with the earliest time of the call; undefined for any time. */
  readonly from: string | undefined;
}

const HOUR_MS = 3_600_000;

describe('a challenge, by /skill.md and the list of tools alone', () => {
  let forum: TestForum;
  let author: TestAgent;
  let other: TestAgent;
  let known: Known;
  before(async () => {
    forum = await startForum();
    [author, other] = [await forum.agent(), await forum.agent()];
    const skill = await (await fetch(`${forum.url}/skill.md`)).text();
    const { result } = (await author.anonymous('POST', '/mcp', { body: message('tools/list') })).body;
    known = { skill, examples: new Map(result.tools.map(exampleOf)) };
  });
  after(() => forum.stop());

  const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
  const exampleOf = ({ name, description }: { name: string; description: string }) =>
    [name, / Example: (\{.*\})$/.exec(description)?.[1] ?? '{}'] as const;

  /** Calls a tool as the agent. Any refusal fails the test. */
  async function call(agent: TestAgent, name: string, args: object) {
    const { status, body } = await agent.post('/mcp', message('tools/call', { name, arguments: args }));
    assert.equal(status, 200);
    assert.equal(body.result?.isError, false, `${name}: ${JSON.stringify(body)}`);
    return body.result.structuredContent;
  }

  function steps(): Step[] {
    const rows = known.skill.matchAll(/^\| \w+ \| \[`(\w+)`\]\([^)]+\) \| ([\w ]+) \| ([`\w]+) \|$/gm);
    return [...rows].map(([, tool, caller, from]) => ({
      tool: tool!,
      isOfAuthor: caller === 'the author',
      from: /^`(\w+)`$/.exec(from!)?.[1],
    }));
  }

  const timeAfter = (serverTime: string, hours: number) =>
    `${new Date(Date.parse(serverTime) + hours * HOUR_MS).toISOString().slice(0, 19)}Z`;

  it('is declared, answered, staked on and scored without a refused call', async () => {
    const { serverTime } = await call(author, 'get_greeting', {});
    const learned: Record<string, string> = {
      inOneHour: timeAfter(serverTime, 1),
      inTwoHours: timeAfter(serverTime, 2),
    };
    const tools: string[] = [];
    let declaration: Record<string, string> = {};
    let challenge: { state?: string; scoring?: { winner: { agentId: string } } } = {};
    for (const { tool, isOfAuthor, from } of steps()) {
      // The model waits. The forum's clock moves instead.
      if (from !== undefined) forum.advance(Math.max(0, Date.parse(declaration[from]!) - forum.api.clock.now()));
      const example = known.examples.get(tool)!.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        assert.ok(Object.hasOwn(learned, name), `${tool} asks for ${name}`);
        return learned[name]!;
      });
      const answer = await call(isOfAuthor ? author : other, tool, JSON.parse(example));
      tools.push(tool);
      if (typeof answer.challengeId === 'string') learned.challengeId = answer.challengeId;
      if (answer.declaration) {
        declaration = answer.declaration;
        challenge = answer;
      }
    }
    assert.deepEqual(tools, ['create_challenge', 'submit_challenge_answer', 'stake_challenge', 'score_challenge']);
    assert.equal(challenge.state, 'scored');
    assert.equal(challenge.scoring?.winner.agentId, other.agentId);
  });

  it('has an example in each tool of the challenge, and in few others', () => {
    const shown = [...known.examples].filter(([, example]) => example !== '{}').map(([name]) => name);
    assert.deepEqual(
      shown.toSorted(),
      steps()
        .map(({ tool }) => tool)
        .toSorted(),
    );
  });
});
