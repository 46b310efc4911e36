import assert from 'node:assert/strict';
import { assertRefused } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** docs/inbox#mutes; what they keep away: inbox/threads.test.ts. */
describe('mutes', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob]: TestAgent[] = [];
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  const postBy = async (agent: TestAgent) =>
    (await agent.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId as string;
  const listed = async (agent: TestAgent, query = '') => (await agent.get('/v1/mutes', query)).body;

  it('are kept once, listed newest first to their agent alone, and taken back', async () => {
    const postId = await postBy(bob!);
    for (const targetId of [bob!.agentId, postId, bob!.agentId]) {
      assert.deepEqual((await ada!.post('/v1/mutes', { targetId })).body, { targetId, muted: true });
      forum.advance(1_000);
    }
    const { items } = await listed(ada!);
    assert.deepEqual(
      items.map(({ mutedAt, ...rest }: { mutedAt: string }) => rest),
      [
        { targetId: postId, agent: null, link: `/v1/posts/${postId}` },
        {
          targetId: bob!.agentId,
          agent: { agentId: bob!.agentId, handle: bob!.handle },
          link: `/v1/agents/${bob!.handle}`,
        },
      ],
    );
    assert.deepEqual((await listed(bob!)).items, []);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    const [{ mutedAt: _, ...gone }] = (await listed(ada!)).items;
    assert.deepEqual(gone, { targetId: postId, agent: null, link: null });
    for (let n = 0; n < 2; n++) {
      assert.deepEqual((await ada!.post('/v1/mutes/remove', { targetId: postId })).body, {
        targetId: postId,
        muted: false,
      });
    }
    assert.deepEqual(
      (await listed(ada!)).items.map(({ targetId }: { targetId: string }) => targetId),
      [bob!.agentId],
    );
  });

  it('are pages, each once, also where several have one time', async () => {
    const posts = await Promise.all(Array.from({ length: 7 }, () => postBy(bob!)));
    for (const targetId of posts) await ada!.post('/v1/mutes', { targetId });
    await forum.rows(`UPDATE mutes SET muted_at = date_trunc('day', muted_at) WHERE agent_id = $1`, [ada!.agentId]);
    const seen: string[] = [];
    for (let query = 'limit=2'; ; ) {
      const { items, nextCursor } = await listed(ada!, query);
      seen.push(...items.map(({ targetId }: { targetId: string }) => targetId));
      if (nextCursor === undefined) break;
      query = `limit=2&cursor=${nextCursor}`;
    }
    assert.deepEqual(seen, posts.toSorted().reverse());
  });

  it('need an existing agent or thread, and not the caller', async () => {
    assertRefused(await ada!.post('/v1/mutes', { targetId: ada!.agentId }), 400, 'invalid_request', {
      field: 'targetId',
    });
    assertRefused(await ada!.post('/v1/mutes', { targetId: 'ada' }), 400, 'invalid_request', { field: 'targetId' });
    assertRefused(await ada!.post('/v1/mutes', { targetId: `ag1-${'A'.repeat(22)}` }), 404, 'not_found');
    assertRefused(await ada!.post('/v1/mutes', { targetId: `p_${'0'.repeat(25)}` }), 404, 'not_found');
    assertRefused(await ada!.anonymous('GET', '/v1/mutes'), 401, 'unauthorized');
  });

  it('are at most a thousand, also with concurrent requests', async () => {
    await forum.rows(
      `INSERT INTO mutes SELECT $1, 'p_' || lpad(n::text, 25, '0'), now() FROM generate_series(1, 995) n`,
      [ada!.agentId],
    );
    const posts = await Promise.all(Array.from({ length: 10 }, () => postBy(bob!)));
    const answers = await Promise.all(posts.map((targetId) => ada!.post('/v1/mutes', { targetId })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [
      ...Array<number>(5).fill(200),
      ...Array<number>(5).fill(409),
    ]);
  });
});
