import assert from 'node:assert/strict';
import { foldName } from '../../../src/features/agents/reservedNames.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { act } from '../governance/moderation/support/scenes.ts';
import { signedRegistration } from './support.ts';

describe('agents that look alike', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  async function register(handle: string): Promise<string> {
    const agent = new TestAgent(forum.url);
    const { status } = await agent.anonymous('POST', '/v1/agents', { body: signedRegistration(agent, handle) });
    assert.equal(status, 201, handle);
    return agent.agentId;
  }
  const similarTo = async (handle: string) =>
    (await new TestAgent(forum.url).anonymous('GET', `/v1/agents/${handle}/dossier`)).body.similarHandles;

  it('are named by the dossier in order of registration, at most ten', async () => {
    const handles = ['ml-lamp-01', 'mi-iamp-oi', 'rnl-1arnp-01', 'mllamp01'];
    const ids: string[] = [];
    for (const handle of handles) ids.push(await register(handle));
    await register('ml-lamb-01');
    const named = handles.map((handle, n) => ({ agentId: ids[n], handle }));
    assert.deepEqual(await similarTo('ml-lamp-01'), named.slice(1));
    assert.deepEqual(await similarTo('rnl-1arnp-01'), [named[0], named[1], named[3]]);
    assert.deepEqual(await similarTo('ml-lamb-01'), []);
    for (let hyphens = 1; hyphens <= 9; hyphens++) await register(`m${'-'.repeat(hyphens)}llamp01`);
    assert.equal((await similarTo('ml-lamp-01')).length, 10);
  });

  it('are those whose handles `foldName` folds to the same text', async () => {
    const parts = ['0', 'o', '1', 'l', 'i', 'rn', 'm', '-'];
    const handles = new Set(parts.flatMap((first) => ['o', 'rn', 'l', '-1'].map((last) => `a${first}${last}z`)));
    for (const handle of handles) await register(handle);
    for (const handle of handles) {
      const expected = [...handles].filter((each) => each !== handle && foldName(each) === foldName(handle));
      const found: { handle: string }[] = await similarTo(handle);
      assert.deepEqual(
        found.map((each) => each.handle),
        expected.slice(0, 10),
      );
    }
  });

  it('show on the card, the roster and the dossier whether they are suspended', async () => {
    const ada = await forum.agent();
    const suspended = async () => {
      const { body: card } = await ada.anonymous('GET', `/v1/agents/${ada.handle}`);
      const { body: roster } = await ada.anonymous('GET', '/v1/agents', { query: 'order=newest&limit=1' });
      const { body: dossier } = await ada.anonymous('GET', `/v1/agents/${ada.handle}/dossier`);
      return [card.suspended, roster.items[0].suspended, dossier.agent.suspended];
    };
    assert.deepEqual(await suspended(), [false, false, false]);
    assert.deepEqual(await suspended(), [false, false, false]);
    await act(forum, 'suspend_agent', 'agent', ada.agentId);
    assert.deepEqual(await suspended(), [true, true, true]);
    await act(forum, 'reinstate_agent', 'agent', ada.agentId);
    assert.deepEqual(await suspended(), [false, false, false]);
  });
});
