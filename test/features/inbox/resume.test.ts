import assert from 'node:assert/strict';
import { assertRefused } from '../../contract/support/assertions.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type Item, quiet } from './support.ts';

/** docs/reading#cursors */
describe('resumeCursor', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob, cid]: TestAgent[] = [];
  let postId: string;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_REPLIES: '1000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    postId = (await ada!.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId;
    await quiet(forum);
  });

  const reply = async (by: TestAgent) => {
    const { replyId } = (await by.post(`/v1/posts/${postId}/replies`, { body: 'A reply' })).body.reply;
    await quiet(forum);
    return replyId as string;
  };
  const inboxOf = async (agent: TestAgent, query = '') => {
    const { status, body } = await agent.get('/v1/inbox', query);
    assert.equal(status, 200, JSON.stringify(body));
    return body as { items: Item[]; nextCursor?: string; resumeCursor: string };
  };
  const repliesIn = ({ items }: { items: Item[] }) => items.flatMap(({ replyId }) => replyId ?? []);
  const refused = async (agent: TestAgent, path: string, query: string) =>
    assertRefused(await agent.get(path, query), 400, 'invalid_request', { field: 'cursor' });

  it('an inbox cursor continues after the last shown event, acknowledged or not', async () => {
    const { resumeCursor: start } = await inboxOf(ada!);
    assert.deepEqual((await inboxOf(ada!, `cursor=${start}`)).items, []);
    const first = await reply(bob!);
    const second = await reply(bob!);
    const page = await inboxOf(ada!, `limit=1&cursor=${start}`);
    assert.deepEqual(repliesIn(page), [first]);
    assert.ok(page.nextCursor);
    await ada!.post('/v1/inbox/ack', { eventId: page.items[0]!.eventId });
    await refused(ada!, '/v1/inbox', `limit=1&cursor=${page.nextCursor}`);
    const rest = await inboxOf(ada!, `cursor=${page.resumeCursor}`);
    assert.deepEqual([repliesIn(rest), rest.nextCursor], [[second], undefined]);
    const none = await inboxOf(ada!, `cursor=${rest.resumeCursor}`);
    assert.deepEqual(none.items, []);
    const third = await reply(bob!);
    assert.deepEqual(repliesIn(await inboxOf(ada!, `cursor=${none.resumeCursor}`)), [third]);
  });

  it('an inbox cursor is bound to its agent and filters, and an unread one to the acknowledgements', async () => {
    await reply(bob!);
    const all = await inboxOf(ada!);
    const unread = await inboxOf(ada!, 'unread=true');
    await refused(bob!, '/v1/inbox', `cursor=${all.resumeCursor}`);
    await refused(ada!, '/v1/inbox', `type=reply&cursor=${all.resumeCursor}`);
    assert.deepEqual((await inboxOf(ada!, `unread=true&cursor=${unread.resumeCursor}`)).items, []);
    await ada!.post('/v1/inbox/ack', { eventId: all.items[0]!.eventId });
    await refused(ada!, '/v1/inbox', `unread=true&cursor=${unread.resumeCursor}`);
    assert.deepEqual((await inboxOf(ada!, `cursor=${all.resumeCursor}`)).items, []);
    const { body } = await ada!.anonymous('GET', '/v1/inbox');
    assert.deepEqual((await ada!.anonymous('GET', '/v1/inbox', { query: `cursor=${body.resumeCursor}` })).body, body);
  });

  it('a cursor of unread events ends when one event is acknowledged', async () => {
    await reply(bob!);
    await reply(bob!);
    for (const query of ['unread=true', 'unread=false']) {
      if (query === 'unread=false')
        await ada!.post('/v1/inbox/ack', { eventId: (await inboxOf(ada!)).items[0]!.eventId });
      await reply(bob!);
      await reply(bob!);
      const page = await inboxOf(ada!, `${query}&limit=1`);
      const { items } = await inboxOf(ada!);
      await ada!.post('/v1/inbox/ack', { eventId: items.at(-1)!.eventId, scope: 'event' });
      for (const cursor of [page.nextCursor, page.resumeCursor]) {
        if (cursor !== undefined) await refused(ada!, '/v1/inbox', `${query}&limit=1&cursor=${cursor}`);
      }
    }
    const all = await inboxOf(ada!, 'limit=1');
    await ada!.post('/v1/inbox/ack', { eventId: (await inboxOf(ada!)).items.at(-2)!.eventId, scope: 'event' });
    assert.notDeepEqual((await inboxOf(ada!, `limit=1&cursor=${all.nextCursor}`)).items, []);
  });

  it('a thread cursor continues after the last shown reply, for every caller', async () => {
    const path = `/v1/posts/${postId}`;
    const thread = async (agent: TestAgent, query = '') => (await agent.get(path, query)).body;
    const shown = (body: { replies: { replyId: string }[] }) => body.replies.map(({ replyId }) => replyId);
    const { resumeCursor: start } = await thread(cid!);
    const first = await reply(bob!);
    const second = await reply(bob!);
    const page = await thread(cid!, `limit=1&cursor=${start}`);
    assert.deepEqual(shown(page), [first]);
    assert.deepEqual(shown(await thread(cid!, `cursor=${page.nextReplyCursor}`)), [second]);
    const rest = await thread(cid!, `cursor=${page.resumeCursor}`);
    assert.deepEqual([shown(rest), rest.nextReplyCursor], [[second], undefined]);
    assert.deepEqual(shown(await thread(cid!, `cursor=${rest.resumeCursor}`)), []);
    const third = await reply(bob!);
    assert.deepEqual(shown(await thread(cid!, `cursor=${rest.resumeCursor}`)), [third]);
    assert.deepEqual(shown(await thread(bob!, `cursor=${rest.resumeCursor}`)), [third]);
  });

  it('a thread has the same cursor for every caller, also from the cache', async () => {
    await reply(bob!);
    const path = `/v1/posts/${postId}`;
    for (let n = 0; n < 4; n++) {
      const { body: anybodys } = await cid!.anonymous('GET', path);
      assert.deepEqual((await cid!.get(path)).body, anybodys);
      const query = `cursor=${anybodys.resumeCursor}`;
      assert.deepEqual((await cid!.get(path, query)).body, (await cid!.anonymous('GET', path, { query })).body);
    }
  });

  it('a thread cursor that release 1.0 made is valid for its caller only', async () => {
    const path = `/v1/posts/${postId}`;
    const cursor = forum.api.services.cursors.seal(['thread.resume', postId, cid!.agentId], { number: 0 });
    const first = await reply(bob!);
    const { body } = await cid!.get(path, `cursor=${cursor}`);
    assert.deepEqual(
      body.replies.map(({ replyId }: { replyId: string }) => replyId),
      [first],
    );
    await refused(bob!, path, `cursor=${cursor}`);
  });
});
