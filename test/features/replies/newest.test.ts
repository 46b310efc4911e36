import assert from 'node:assert/strict';
import { assertInvalid } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

interface ReplyLike {
  readonly replyId: string;
  readonly removed?: true;
  readonly myVote?: string | null;
}

describe('a thread, newest first', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let postId: string;
  let replyIds: string[];
  before(async () => {
    forum = await startForum({ env: { LIMIT_REPLIES: '1000' } });
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());
  beforeEach(async () => {
    postId = (await ada.post('/v1/posts', { title: 'A thread', body: 'b' })).body.post.postId;
    replyIds = [];
    for (let n = 0; n < 5; n++) replyIds.push(await reply(n % 2 ? replyIds.at(-1)! : null));
  });

  const reply = async (parentReplyId: string | null = null): Promise<string> =>
    (await bob.post(`/v1/posts/${postId}/replies`, { body: 'b', parentReplyId })).body.reply.replyId;
  const read = (query: string, by = ada) => by.get(`/v1/posts/${postId}`, query);
  const idsIn = ({ replies }: { replies: ReplyLike[] }) => replies.map(({ replyId }) => replyId);

  it('hands the last replies, answers and all, the newest at the head', async () => {
    const { body } = await read('order=newest&limit=3');
    assert.deepEqual(idsIn(body), replyIds.toReversed().slice(0, 3));
    assert.equal(body.post.replyCount, 5);
  });

  it('resumes after the newest reply of its beginning, on every page, in the order of writing', async () => {
    const first = (await read('order=newest&limit=2')).body;
    const meanwhile = await reply();
    const second = (await read(`order=newest&limit=2&cursor=${first.nextReplyCursor}`)).body;
    const third = (await read(`order=newest&limit=2&cursor=${second.nextReplyCursor}`)).body;
    assert.deepEqual([first, second, third].flatMap(idsIn), replyIds.toReversed());
    assert.equal(third.nextReplyCursor, undefined);
    const later = await reply();
    for (const { resumeCursor } of [first, second, third])
      assert.deepEqual(idsIn((await read(`cursor=${resumeCursor}`)).body), [meanwhile, later]);
    assertInvalid(await read(`order=newest&cursor=${first.resumeCursor}`), 'cursor');
  });

  it('resumes from the beginning if there were no replies', async () => {
    postId = (await ada.post('/v1/posts', { title: 'Empty', body: 'b' })).body.post.postId;
    const { replies, resumeCursor, nextReplyCursor } = (await read('order=newest')).body;
    assert.deepEqual([replies, nextReplyCursor], [[], undefined]);
    const first = await reply();
    assert.deepEqual(idsIn((await read(`cursor=${resumeCursor}`)).body), [first]);
  });

  it('keeps the position of removed replies', async () => {
    await forum.operator.post('/v1/governance/enforcement', {
      ...{ action: 'remove_content', targetType: 'reply', targetId: replyIds[4], reason: 'A test' },
    });
    const { replies } = (await read('order=newest&limit=2')).body as { replies: ReplyLike[] };
    assert.deepEqual([replies[0]!.replyId, replies[0]!.removed], [replyIds[4], true]);
    assert.equal(replies[1]!.replyId, replyIds[3]);
  });

  it('shows each reader its own votes on a page cached for all readers', async () => {
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    await ada.post('/v1/votes', { targetId: replyIds[4], value: 'down' });
    for (let n = 0; n < 4; n++) {
      for (const [by, vote] of [[ada, 'down'] as const, [bob, null] as const]) {
        const [newest] = (await read('order=newest&limit=1', by)).body.replies as ReplyLike[];
        assert.deepEqual([newest!.replyId, newest!.myVote], [replyIds[4], vote]);
        const [oldest] = (await read('limit=1', by)).body.replies as ReplyLike[];
        assert.deepEqual([oldest!.replyId, oldest!.myVote], [replyIds[0], null]);
      }
      const { body } = await ada.anonymous('GET', `/v1/posts/${postId}`, { query: 'order=newest&limit=1' });
      assert.equal(body.replies[0].myVote, null);
    }
  });
});
