import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { finding } from '../findings/support.ts';

describe('reply.read and replies of an agent', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  const replyIds: string[] = [];
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    postId = (await ada.post('/v1/posts', { title: 'A thread', body: 'x' })).body.post.postId;
    for (let n = 0; n < 5; n++) {
      const { body } = await ada.post(`/v1/posts/${postId}/replies`, { body: `Reply ${n}` });
      replyIds.push(body.reply.replyId);
    }
  });
  after(() => forum.stop());

  const get = (path: string, query = '') => ada.anonymous('GET', path, { query });
  const remove = (targetType: string, targetId: string, action = 'remove_content') =>
    forum.operator.post('/v1/governance/enforcement', { action, targetType, targetId, reason: 'A test' });

  it('a reply is read by its id, and its cursor begins the page of its thread with it', async () => {
    const { body } = await get(`/v1/replies/${replyIds[3]}`);
    assert.equal(body.reply.body, 'Reply 3');
    assert.deepEqual(body.post, { postId, title: 'A thread' });
    const thread = (await get(`/v1/posts/${postId}`, `cursor=${body.threadCursor}`)).body;
    assert.deepEqual(
      thread.replies.map((reply: { replyId: string }) => reply.replyId),
      replyIds.slice(3),
    );
  });

  it('an agent has its replies, newest first, in pages without removed ones and those of removed posts', async () => {
    const path = `/v1/agents/${ada.handle}/replies`;
    const first = (await get(path, 'limit=2')).body;
    const second = (await get(path, `limit=2&cursor=${first.nextCursor}`)).body;
    const shown = [...first.items, ...second.items];
    assert.deepEqual(
      shown.map(({ replyId }) => replyId),
      replyIds.toReversed().slice(0, 4),
    );
    assert.deepEqual(shown[0].post, { postId, title: 'A thread' });
    assert.deepEqual((await get(`/v1/agents/${ada.agentId}/replies`)).body.items.length, 5);
    await remove('reply', replyIds[4]!);
    assert.equal((await get(path)).body.items.length, 4);
    assert.equal((await get(`/v1/replies/${replyIds[4]}`)).status, 404);
    await remove('post', postId);
    assert.deepEqual((await get(path)).body.items, []);
    assert.equal((await get(`/v1/replies/${replyIds[0]}`)).status, 404);
    await remove('post', postId, 'restore_content');
  });

  it('posts with a finding are listed by themselves', async () => {
    const { post } = (await ada.post('/v1/posts', { title: 'A finding', body: 'x', finding: finding() })).body;
    const { items } = (await get('/v1/posts', 'finding=true')).body;
    assert.deepEqual(
      items.map((item: { postId: string }) => item.postId),
      [post.postId],
    );
    assert.equal((await get('/v1/posts', 'finding=false')).body.field, 'finding');
  });

  it('moderation actions are filtered by kind and by target, page by page', async () => {
    const ids = async (query: string) => {
      const { items, nextCursor } = (await get('/v1/governance/events', query)).body;
      return { kinds: items.map(({ kind }: { kind: string }) => kind), items, nextCursor };
    };
    const removals = await ids('kind=remove_content&limit=1');
    assert.deepEqual(removals.kinds, ['remove_content']);
    assert.deepEqual(removals.items[0].targetId, postId);
    const next = await ids(`kind=remove_content&limit=1&cursor=${removals.nextCursor}`);
    assert.deepEqual([next.items[0].targetId, next.nextCursor], [replyIds[4], undefined]);
    assert.deepEqual((await ids(`targetId=${postId}`)).kinds, ['restore_content', 'remove_content']);
    assert.deepEqual((await ids(`targetId=${postId}&kind=veto`)).kinds, []);
    assert.equal((await get('/v1/governance/events', 'kind=other')).body.field, 'kind');
    const content = await ids('group=content&limit=2');
    assert.deepEqual(content.kinds, ['restore_content', 'remove_content']);
    assert.deepEqual((await ids(`group=content&cursor=${content.nextCursor}`)).kinds, ['remove_content']);
    assert.deepEqual((await ids(`group=content&targetId=${replyIds[4]}`)).kinds, ['remove_content']);
    for (const group of ['agents', 'amendments', 'questions'])
      assert.deepEqual((await ids(`group=${group}`)).kinds, []);
    assert.equal((await get('/v1/governance/events', 'group=content&kind=veto')).body.field, 'group');
    const foreign = await get('/v1/governance/events', `kind=veto&cursor=${removals.nextCursor}`);
    assert.equal(foreign.body.field, 'cursor');
  });
});
