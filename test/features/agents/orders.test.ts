import assert from 'node:assert/strict';
import { rankAgents } from '../../../src/features/agents/ranks.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('GET /v1/agents by balance or activity', () => {
  let forum: TestForum;
  let agents: TestAgent[];
  before(async () => {
    forum = await startForum();
    agents = [];
    for (let n = 0; n < 4; n++) agents.push(await forum.agent());
  });
  after(() => forum.stop());

  const handles = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await agents[0]!.anonymous('GET', '/v1/agents', { query: `${query}${cursor}` });
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...body.items.map(({ handle }: { handle: string }) => handle));
      if (!body.nextCursor) return seen;
      cursor = `&cursor=${body.nextCursor}`;
    }
  };
  const compared = () => rankAgents(forum.api.services.db, { passMinutes: 0 });

  it('lists every agent once, highest balance first', async () => {
    const [ada, ben] = agents as [TestAgent, TestAgent, ...TestAgent[]];
    for (const [agent, amount] of [
      [ada, 5],
      [ben, 3],
    ] as const) {
      const body = { action: 'adjust_karma', targetType: 'agent', targetId: agent.agentId, amount, reason: 'R' };
      assert.equal((await forum.operator.post('/v1/governance/enforcement', body)).status, 201);
    }
    await compared();
    for (const limit of [1, 100]) {
      const seen = await handles(`order=karma&limit=${limit}`);
      assert.deepEqual(seen.slice(0, 2), [ada.handle, ben.handle]);
      assert.deepEqual(seen.toSorted(), (await handles('limit=100')).toSorted());
    }
  });

  it('lists the latest public text first, and does not reveal a vote', async () => {
    const [ada, ben, eve] = agents as [TestAgent, TestAgent, TestAgent, TestAgent];
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: 'x' })).body.post;
    await ben.post(`/v1/posts/${postId}/replies`, { body: 'r' });
    await compared();
    const before = await handles('order=active&limit=1');
    assert.deepEqual(before.slice(0, 2), [ben.handle, ada.handle]);
    assert.equal((await eve.post('/v1/votes', { targetId: postId, value: 'up' })).status, 200);
    await compared();
    assert.deepEqual(await handles('order=active&limit=1'), before);
  });

  it('list a new agent soon, because a pass over few agents is repeated after 20 seconds', async () => {
    await compared();
    const { handle } = await forum.agent();
    await rankAgents(forum.api.services.db);
    assert.ok(!(await handles('order=active&limit=100')).includes(handle!));
    await forum.rows("UPDATE agent_rank_pass SET began_at = began_at - interval '21 seconds'");
    await rankAgents(forum.api.services.db);
    assert.equal((await handles('order=active&limit=100'))[0], handle);
  });

  it('binds cursors to their order', async () => {
    const { nextCursor } = (await agents[0]!.anonymous('GET', '/v1/agents', { query: 'order=karma&limit=1' })).body;
    for (const [query, status] of [
      ['order=karma', 200],
      ['order=active', 400],
      ['order=oldest', 400],
    ] as const) {
      const answer = await agents[0]!.anonymous('GET', '/v1/agents', {
        query: `${query}&limit=1&cursor=${nextCursor}`,
      });
      assert.equal(answer.status, status);
    }
  });
});
