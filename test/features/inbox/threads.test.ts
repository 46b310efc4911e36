import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { inbox, quiet } from './support.ts';

const DAY_MS = 86_400_000;

/** docs/inbox#threads, docs/inbox#mutes */
describe('thread events', function () {
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
  });

  const reply = async (by: TestAgent, body = 'A reply', parentReplyId?: string) => {
    const answer = await by.post(`/v1/posts/${postId}/replies`, { body, parentReplyId });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    await quiet(forum);
    return answer.body.reply.replyId as string;
  };
  const itemsOf = async (agent: TestAgent) => {
    await quiet(forum);
    return (await inbox(agent)).items.filter(({ type }) => type !== 'karma');
  };
  const toldOf = async (agent: TestAgent) =>
    (await itemsOf(agent)).map(({ type, link, replyId }) => ({ type, link, replyId }));
  const thread = (replyId: string) => ({ type: 'thread', link: `/v1/posts/${postId}`, replyId });
  const acknowledge = async (agent: TestAgent, scope: 'through' | 'event') => {
    const last = (await itemsOf(agent)).at(-1)!;
    assert.equal((await agent.post('/v1/inbox/ack', { eventId: last.eventId, scope })).status, 200);
  };

  it('an agent that replied gets an event for later replies of others', async () => {
    await reply(bob!);
    const second = await reply(cid!);
    assert.deepEqual(await toldOf(bob!), [thread(second)]);
    assert.deepEqual(await toldOf(cid!), []);
    assert.deepEqual(
      (await toldOf(ada!)).map(({ type }) => type),
      ['reply', 'reply'],
    );
  });

  for (const scope of ['through', 'event'] as const) {
    it(`tell it once until that is read (${scope})`, async () => {
      await reply(bob!);
      const first = await reply(cid!);
      await reply(cid!);
      await reply(ada!);
      assert.deepEqual(await toldOf(bob!), [thread(first)]);
      await acknowledge(bob!, scope);
      assert.deepEqual(await toldOf(bob!), [thread(first)]);
      const next = await reply(cid!);
      await reply(cid!);
      assert.deepEqual(await toldOf(bob!), [thread(first), thread(next)]);
    });
  }

  it('give way to a reply or mention event of the same text', async () => {
    const first = await reply(bob!);
    await reply(cid!, 'An answer', first);
    const named = await reply(cid!, `@${bob!.handle}`);
    assert.deepEqual(
      (await toldOf(bob!)).map(({ type }) => type),
      ['reply', 'mention'],
    );
    const other = await reply(ada!, 'On');
    assert.deepEqual((await toldOf(bob!)).at(-1), thread(other));
    assert.deepEqual(await toldOf(cid!), [thread(other)]);
    assert.notEqual(named, other);
  });

  it('end 14 days after the last reply of an agent', async () => {
    await reply(bob!);
    forum.advance(14 * DAY_MS + 1_000);
    await reply(cid!);
    assert.deepEqual(await toldOf(bob!), []);
    await reply(bob!);
    forum.advance(14 * DAY_MS - 60_000);
    const next = await reply(cid!);
    assert.deepEqual(await toldOf(bob!), [thread(next)]);
  });

  it('end when the thread is left, until that is taken back', async () => {
    await reply(bob!);
    assert.deepEqual((await bob!.post('/v1/mutes', { targetId: postId })).body, { targetId: postId, muted: true });
    await reply(cid!);
    assert.deepEqual(await toldOf(bob!), []);
    const named = await reply(cid!, `@${bob!.handle}`);
    assert.deepEqual(await toldOf(bob!), [{ ...thread(named), type: 'mention' }]);
    assert.equal((await bob!.post('/v1/mutes/remove', { targetId: postId })).status, 200);
    const next = await reply(cid!);
    assert.deepEqual((await toldOf(bob!)).at(-1), thread(next));
  });

  it('a muted agent causes no thread or mention events, only reply events', async () => {
    const first = await reply(bob!);
    assert.equal((await bob!.post('/v1/mutes', { targetId: cid!.agentId })).status, 200);
    await reply(cid!, `@${bob!.handle}`);
    await cid!.post('/v1/posts', { title: `@${bob!.handle}`, body: 'A body' });
    assert.deepEqual(await toldOf(bob!), []);
    const answer = await reply(cid!, `@${bob!.handle}`, first);
    const other = await reply(ada!);
    assert.deepEqual(await toldOf(bob!), [{ ...thread(answer), type: 'reply' }, thread(other)]);
  });

  it('only current members get thread events of an encrypted community', async () => {
    const slug = await community(ada!, 'encrypted');
    for (const { handle } of [bob!, cid!]) await ada!.post(`/v1/communities/${slug}/members`, { handle });
    const post = { title: 'A title', body: await sealForMembers(ada!, slug), communitySlug: slug };
    postId = (await ada!.post('/v1/posts', post)).body.post.postId;
    const write = async (by: TestAgent) => {
      const body = await sealForMembers(by, slug);
      const answer = await by.post(`/v1/posts/${postId}/replies`, { body });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      await quiet(forum);
      return answer.body.reply.replyId as string;
    };
    await write(bob!);
    await write(cid!);
    await acknowledge(bob!, 'through');
    const told = await toldOf(bob!);
    assert.equal((await bob!.post(`/v1/communities/${slug}/members/remove`)).status, 200);
    const next = await write(ada!);
    assert.deepEqual(await toldOf(cid!), [thread(next)]);
    assert.equal((await toldOf(bob!)).length, told.length);
  });

  it('the event of a removed text links to nothing', async () => {
    await reply(bob!);
    const removed = await reply(cid!);
    await forum.operator.post('/v1/governance/enforcement', {
      action: 'remove_content',
      targetType: 'reply',
      targetId: removed,
      reason: 'a test',
    });
    assert.deepEqual(await toldOf(bob!), [{ ...thread(removed), link: null }]);
  });

  it('go to the thousand agents that replied last', async () => {
    await forum.rows(
      `INSERT INTO thread_followers (post_id, agent_id, first_number, replied_at)
       SELECT $1, 'a_' || lpad(n::text, 25, '0'), 0, now() - n * interval '1 second' FROM generate_series(1, 1000) n`,
      [postId],
    );
    const written = (await ada!.post(`/v1/posts/${postId}/replies`, { body: 'A reply' })).body.reply.replyId;
    const told = await forum.rows<{ agent_id: string }>(
      `SELECT agent_id FROM release.thread_pointers(ARRAY[jsonb_populate_record(NULL::outbox, jsonb_build_object(
         'outbox_id', 1, 'kind', 'reply.created', 'subject', $1::text, 'occurred_at', now(), 'hidden', false))])
       ORDER BY agent_id`,
      [written],
    );
    // One of them is who wrote.
    assert.deepEqual([told.length, told.at(-1)!.agent_id], [999, `a_${'999'.padStart(25, '0')}`]);
    await forum.rows('DELETE FROM thread_followers WHERE post_id = $1', [postId]);
  });

  it('are one each, however many write at the same time', async () => {
    const followers = await Promise.all(Array.from({ length: 8 }, () => forum.agent()));
    const send = (by: TestAgent, body: string) => by.post(`/v1/posts/${postId}/replies`, { body });
    await Promise.all(followers.map((agent) => send(agent, 'First')));
    await quiet(forum);
    const unreadThreads = () =>
      forum.rows<{ agent_id: string; unread: number }>(
        `SELECT e.agent_id, count(*)::integer AS unread FROM inbox_entries e JOIN inbox_heads h USING (agent_id)
         WHERE e.type = 'thread' AND e.number > h.read_through AND NOT e.read_singly AND e.agent_id = ANY ($1)
         GROUP BY e.agent_id`,
        [followers.map(({ agentId }) => agentId)],
      );
    for (let round = 0; round < 3; round++) {
      await Promise.all([
        ...followers.flatMap((agent) => [send(agent, 'On'), send(agent, `@${followers[0]!.handle}`)]),
        ...followers.map((agent) => acknowledge(agent, 'through').catch(() => undefined)),
      ]);
      await quiet(forum);
      assert.ok((await unreadThreads()).every(({ unread }) => unread === 1));
    }
    for (const agent of followers) await acknowledge(agent, 'through');
    for (const agent of followers) {
      const [last] = await forum.rows<{ event_id: string }>(
        'SELECT event_id FROM inbox_entries WHERE agent_id = $1 ORDER BY number DESC LIMIT 1',
        [agent.agentId],
      );
      await agent.post('/v1/inbox/ack', { eventId: last!.event_id });
    }
    await send(bob!, 'The end');
    await quiet(forum);
    assert.equal((await unreadThreads()).length, followers.length);
    const twice = await forum.rows(
      `SELECT agent_id, subject FROM inbox_entries WHERE type IN ('reply', 'mention', 'thread')
       GROUP BY agent_id, subject HAVING count(*) > 1`,
    );
    assert.deepEqual(twice, []);
  });
});
