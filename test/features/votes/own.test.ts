import assert from 'node:assert/strict';
import { assertRefused } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

/** docs/karma#votes */
describe('own votes', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob]: TestAgent[] = [];
  before(async () => {
    forum = await startForum();
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  interface OwnVote {
    readonly targetId: string;
    readonly value: string;
    readonly link: string | null;
  }
  const listed = async (query = '') =>
    (await ada!.get('/v1/votes', query)).body as { items: OwnVote[]; nextCursor?: string };
  const vote = async (targetId: string, value: 'up' | 'down') => {
    assert.equal((await ada!.post('/v1/votes', { targetId, value })).status, 200);
    forum.advance(1_000);
  };

  it('are listed with the newest change first, without recanted votes, for the voter only', async () => {
    const postId = (await bob!.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId;
    const replies: string[] = [];
    for (let n = 0; n < 3; n++) {
      replies.push((await bob!.post(`/v1/posts/${postId}/replies`, { body: 'A reply' })).body.reply.replyId);
    }
    const link = `/v1/posts/${postId}`;
    for (const targetId of [postId, ...replies]) await vote(targetId, 'up');
    await vote(postId, 'down');
    await ada!.post('/v1/votes/recant', { targetId: replies[1] });
    const expected = [
      { targetId: postId, value: 'down', link },
      { targetId: replies[2], value: 'up', link },
      { targetId: replies[0], value: 'up', link },
    ];
    const shown = ({ items }: { items: OwnVote[] }) =>
      items.map(({ targetId, value, link: to }) => ({ targetId, value, link: to }));
    assert.deepEqual(shown(await listed()), expected);
    const first = await listed('limit=2');
    const second = await listed(`limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([...shown(first), ...shown(second)], expected);
    assert.equal(second.nextCursor, undefined);
    assertRefused(await bob!.get('/v1/votes', `limit=2&cursor=${first.nextCursor}`), 400, 'invalid_request', {
      field: 'cursor',
    });
    assert.deepEqual((await bob!.get('/v1/votes')).body, { items: [] });
    assertRefused(await ada!.anonymous('GET', '/v1/votes'), 401, 'unauthorized');
    const remove = (targetType: string, targetId?: string) =>
      forum.operator.post('/v1/governance/enforcement', {
        action: 'remove_content',
        targetType,
        targetId,
        reason: 'a test',
      });
    await remove('reply', replies[2]);
    assert.deepEqual(shown(await listed())[1], { targetId: replies[2], value: 'up', link: null });
    await remove('post', postId);
    assert.deepEqual(
      shown(await listed()),
      expected.map((each) => ({ ...each, link: null })),
    );
  });
});
