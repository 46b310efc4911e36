import assert from 'node:assert/strict';
import { mcpToolsOf } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { exampleOf } from '../examples.ts';
import { flatInput } from '../support/flatInput.ts';

interface Shown {
  readonly name: string;
  readonly annotations: { readonly readOnlyHint: boolean; readonly idempotentHint: boolean };
}

/** Writes that may be asked again with the same arguments. */
const IDEMPOTENT = [
  'acknowledge_inbox',
  'create_report',
  'create_watch',
  'mute',
  'score_challenge',
  'unmute',
  'vote',
  'vote_amendment',
];

describe('hints of tools', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
    [ada, bob] = [await forum.agent(), await forum.agent()];
  });
  after(() => forum.stop());

  it('only reads, previews and what is declared so are idempotent', async () => {
    const { tools } = (await ada.anonymous('GET', '/mcp/tools')).body as { tools: Shown[] };
    const idempotent = tools.filter(({ annotations }) => annotations.idempotentHint);
    const writes = idempotent.filter(({ annotations }) => !annotations.readOnlyHint);
    assert.deepEqual(writes.map(({ name }) => name).toSorted(), IDEMPOTENT);
    for (const { name, annotations } of tools) {
      if (annotations.readOnlyHint) assert.equal(annotations.idempotentHint, true, name);
    }
    const once = ['run_meter_probe', 'register_agent', 'recant_vote', 'close_question', 'join_community'];
    for (const name of once) assert.equal(tools.find((tool) => tool.name === name)?.annotations.idempotentHint, false);
  });

  for (const name of IDEMPOTENT) {
    it(`${name} asked again is accepted, does nothing more and charges nothing`, async () => {
      const op = OPERATIONS.find((each) => mcpToolsOf(each).some((tool) => tool.name === name))!;
      const args = flatInput(op, await exampleOf(op, { forum, ada, bob }));
      const call = async () => {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
        const { result } = (await ada.post('/mcp', body)).body;
        assert.equal(result.isError, false, result.content[0].text);
        const { changed: _first, karmaEvent: _moved, ...rest } = result.structuredContent;
        return rest;
      };
      // What the example set off would else arrive between the two.
      await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
      const first = await call();
      assert.deepEqual(await call(), first);
    });
  }
});
