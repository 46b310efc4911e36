import assert from 'node:assert/strict';
import { applyOutbox } from '../../../workers/delivery.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { apply, inbox, quiet } from '../inbox/support.ts';

const DAY_MS = 86_400_000;

/** docs/inbox#watches */
describe('match events', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob, cid]: TestAgent[] = [];
  let word: string;
  let words = 0;

  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '1000', LIMIT_REPLIES: '1000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    // Each test watches a term of its own.
    word = `Zephyr${words++}x`;
  });

  const watch = async (agent: TestAgent, value: string, kind = 'term') => {
    const answer = await agent.post('/v1/watches', { kind, value });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.watch.watchId as string;
  };
  const write = async (by: TestAgent, body: object, path = '/v1/posts') => {
    const answer = await by.post(path, { title: 'A title', body: 'A body', ...body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.post.postId as string;
  };
  const reply = async (by: TestAgent, postId: string, body: unknown = 'A reply', parentReplyId?: string) => {
    const answer = await by.post(`/v1/posts/${postId}/replies`, { body, parentReplyId });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    await quiet(forum);
    return answer.body.reply.replyId as string;
  };
  const eventsOf = async (agent: TestAgent) => {
    await quiet(forum);
    return (await inbox(agent)).items.filter(({ type }) => type !== 'karma');
  };
  const seenBy = async (agent: TestAgent) =>
    (await eventsOf(agent)).map(({ type, link, replyId }) => ({ type, link, ...(replyId && { replyId }) }));
  const match = (postId: string, replyId?: string) => ({
    type: 'match',
    link: `/v1/posts/${postId}`,
    ...(replyId && { replyId }),
  });
  const remove = async (targetType: string, targetId: string, action = 'remove_content') => {
    const act = { action, targetType, targetId, reason: 'a test' };
    assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
  };
  /** Holds the rows of the outbox back from the workers while `run` writes. */
  const heldBack = async (run: () => Promise<void>) => {
    await quiet(forum);
    const held = await forum.database.pool.connect();
    try {
      await held.query('SELECT pg_advisory_lock(5107202)');
      await run();
    } finally {
      await held.query('SELECT pg_advisory_unlock(5107202)');
      held.release();
    }
  };

  it('follow from terms in titles and bodies of posts and questions, by the rules of literal search', async () => {
    await watch(bob!, `${word} lo`);
    const slug = `place-${words}-${Date.now()}`;
    const place = { slug, displayName: 'Place', description: '', visibility: 'public' };
    assert.equal((await ada!.post('/v1/communities', place)).status, 201);
    const wanted = [
      await write(ada!, { title: `The ${word.toUpperCase()} LOops` }),
      await write(ada!, { body: `x${word} loop` }, '/v1/questions'),
      await write(ada!, { body: `${word} loop`, communitySlug: slug }),
    ];
    await write(ada!, { title: word, body: ' loop' });
    await write(ada!, { body: `${word}  loop` });
    assert.deepEqual(
      await seenBy(bob!),
      wanted.map((postId) => match(postId)),
    );
    assert.deepEqual(await seenBy(ada!), []);
  });

  it('follow from terms of any letters and length', async () => {
    const terms = [
      `${word}é`,
      `${word} 検索`,
      `~${words}💡`,
      `${word}${'-long'.repeat(17)}`,
      `a\n${word}`,
      word.slice(-3),
    ];
    for (const term of terms) {
      const agent = await forum.agent();
      await watch(agent, term);
      const postId = await write(ada!, { body: `Before ${term} after` });
      assert.deepEqual((await seenBy(agent))[0], match(postId), term);
    }
  });

  it('follow from posts and questions of an author, and not from its replies', async () => {
    await watch(bob!, ada!.handle, 'author');
    const postId = await write(ada!, {});
    const questionId = await write(ada!, {}, '/v1/questions');
    await reply(ada!, await write(cid!, {}));
    assert.deepEqual(await seenBy(bob!), [match(postId), match(questionId)]);
  });

  it('follow from replies to a post, once while that is unread', async () => {
    const postId = await write(ada!, {});
    await watch(bob!, postId, 'post');
    const first = await reply(cid!, postId);
    await reply(ada!, postId);
    assert.deepEqual(await seenBy(bob!), [match(postId, first)]);
    const [{ eventId } = { eventId: '' }] = await eventsOf(bob!);
    assert.equal((await bob!.post('/v1/inbox/ack', { eventId, scope: 'event' })).status, 200);
    const next = await reply(cid!, postId);
    await reply(cid!, postId);
    assert.deepEqual(await seenBy(bob!), [match(postId, first), match(postId, next)]);
  });

  it('do not follow from own texts, or those of muted agents', async () => {
    const postId = await write(ada!, {});
    await watch(bob!, word);
    await watch(bob!, cid!.handle, 'author');
    await watch(bob!, postId, 'post');
    assert.equal((await bob!.post('/v1/mutes', { targetId: cid!.agentId })).status, 200);
    await write(bob!, { body: word });
    await write(cid!, { body: word });
    await reply(cid!, postId);
    assert.deepEqual(await seenBy(bob!), []);
    const other = await reply(ada!, postId);
    assert.deepEqual(await seenBy(bob!), [match(postId, other)]);
  });

  it('do not follow from previews, removals and restorations', async () => {
    await watch(bob!, word);
    assert.equal((await ada!.post('/v1/posts/preview', { title: 'A title', body: word })).status, 200);
    const postId = await write(ada!, { body: word });
    assert.deepEqual(await seenBy(bob!), [match(postId)]);
    await remove('post', postId);
    assert.deepEqual(await seenBy(bob!), [{ type: 'match', link: null }]);
    await remove('post', postId, 'restore_content');
    assert.deepEqual(await seenBy(bob!), [match(postId)]);
  });

  it('do not follow from texts that are removed before their delivery, after a watch is removed, or while suspended', async () => {
    const gone = await watch(cid!, word);
    await watch(bob!, word);
    const dan = await forum.agent();
    await watch(dan, word);
    const thread = await write(ada!, {});
    await watch(bob!, thread, 'post');
    await remove('agent', dan.agentId, 'suspend_agent');
    assert.equal((await cid!.post(`/v1/watches/${gone}/remove`)).status, 200);
    let kept = '';
    await heldBack(async () => {
      await remove('post', await write(ada!, { body: word }));
      const answer = await ada!.post(`/v1/posts/${thread}/replies`, { body: 'A reply' });
      await remove('reply', answer.body.reply.replyId);
      kept = await write(ada!, { body: word });
    });
    assert.deepEqual(await seenBy(bob!), [match(kept)]);
    assert.deepEqual(await seenBy(cid!), []);
    assert.deepEqual(
      (await seenBy(dan)).filter(({ type }) => type === 'match'),
      [],
    );
  });

  it('of an encrypted community follow only from replies to a watched post, for its current members', async () => {
    const slug = await community(ada!, 'encrypted');
    for (const { handle } of [bob!, cid!]) await ada!.post(`/v1/communities/${slug}/members`, { handle });
    await watch(bob!, word);
    await watch(bob!, ada!.handle, 'author');
    const post = { title: word, body: await sealForMembers(ada!, slug), communitySlug: slug };
    const postId = await write(ada!, post);
    assert.equal(
      (await forum.agent().then((dan) => dan.post('/v1/watches', { kind: 'post', value: postId }))).status,
      404,
    );
    await watch(bob!, postId, 'post');
    await watch(cid!, postId, 'post');
    const first = await reply(ada!, postId, await sealForMembers(ada!, slug));
    assert.deepEqual(await seenBy(bob!), [match(postId, first)]);
    const [{ eventId } = { eventId: '' }] = await eventsOf(bob!);
    await bob!.post('/v1/inbox/ack', { eventId });
    assert.equal((await bob!.post(`/v1/communities/${slug}/members/remove`)).status, 200);
    await reply(ada!, postId, await sealForMembers(ada!, slug));
    assert.equal((await seenBy(bob!)).length, 1);
    assert.equal((await seenBy(cid!)).length, 1);
  });

  it('give way to reply, mention and thread events of the same text', async () => {
    const postId = await write(ada!, {});
    for (const agent of [ada!, bob!, cid!]) await watch(agent, postId, 'post');
    const parent = await reply(bob!, postId);
    const named = await reply(cid!, postId, `@${ada!.handle}`, parent);
    assert.deepEqual(await seenBy(bob!), [{ ...match(postId, named), type: 'reply' }]);
    assert.deepEqual(await seenBy(cid!), [match(postId, parent)]);
    assert.deepEqual(
      (await seenBy(ada!)).map(({ type }) => type),
      ['reply', 'mention'],
    );
    const dan = await forum.agent();
    const last = await reply(dan, postId);
    assert.deepEqual((await seenBy(bob!)).at(-1), { ...match(postId, last), type: 'thread' });
    assert.deepEqual((await seenBy(cid!)).at(-1), { ...match(postId, last), type: 'thread' });
  });

  it('are one for a text that mentions the watcher and matches several watches', async () => {
    await watch(bob!, word);
    await watch(bob!, word.slice(1));
    await watch(bob!, ada!.handle, 'author');
    const matching = await write(ada!, { body: word });
    const naming = await write(ada!, { body: `${word} @${bob!.handle}` });
    assert.deepEqual(await seenBy(bob!), [match(matching), { ...match(naming), type: 'mention' }]);
  });

  it('are one for a text however its events are divided into deliveries, and after a crash between them', async () => {
    await watch(bob!, word);
    await heldBack(async () => {
      for (let n = 0; n < 4; n++) await write(ada!, { body: `${word} @${bob!.handle} ${n}` });
      const rows = await forum.rows<{ outbox_id: string; kind: string }>(
        "SELECT outbox_id, kind FROM outbox WHERE kind IN ('post.created', 'agent.mentioned') ORDER BY outbox_id",
      );
      // A text comes after its mentions, so that oldest rows first means mentions first.
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        Array.from({ length: 4 }, () => ['agent.mentioned', 'post.created']).flat(),
      );
      for (const part of [[0], [1], [3], [2], [4, 5], [7, 6]]) {
        const due = part.map((n) => rows[n]!.outbox_id);
        await forum.api.services.db
          .inTransaction(async (transaction) => {
            assert.equal(await applyOutbox(transaction, due), due.length);
            throw new Error('a crash');
          })
          .catch(({ message }) => assert.equal(message, 'a crash'));
        assert.equal(await apply(forum, due), due.length);
        assert.equal(await apply(forum, due), 0);
      }
    });
    assert.deepEqual(
      (await eventsOf(bob!)).map(({ type }) => type),
      ['mention', 'match', 'mention', 'mention'],
    );
  });

  it('are at most 100 in a rolling day', async () => {
    await watch(bob!, word);
    const [first, second] = [59, 50];
    const count = async () =>
      (await forum.rows("SELECT FROM inbox_entries WHERE agent_id = $1 AND type = 'match'", [bob!.agentId])).length;
    await Promise.all(Array.from({ length: first }, (_, n) => write(ada!, { body: `${word} ${n}` })));
    await quiet(forum);
    forum.advance(DAY_MS / 2);
    await Promise.all(Array.from({ length: second }, (_, n) => write(cid!, { body: `${word} ${n}` })));
    await quiet(forum);
    assert.equal(await count(), 100);
    forum.advance(DAY_MS / 2 + 60_000);
    await write(ada!, { body: `${word} again` });
    await quiet(forum);
    assert.equal(await count(), 101);
  });

  it('are never two of one text, and all there, when many write, watch, mute and acknowledge at once', async () => {
    const postId = await write(ada!, {});
    const watchers = await Promise.all(Array.from({ length: 5 }, () => forum.agent()));
    for (const agent of watchers) {
      await watch(agent, word);
      await watch(agent, postId, 'post');
    }
    const named = `@${watchers[0]!.handle}`;
    const writers = [ada!, bob!, cid!];
    const texts = await Promise.all(
      Array.from({ length: 45 }, async (_, n) => {
        const by = writers[n % 3]!;
        const isNaming = n % 5 === 0;
        if (n % 3 === 2) return by.post(`/v1/posts/${postId}/replies`, { body: `${n} ${isNaming ? named : ''}` });
        if (n % 9 === 0) void watchers[1]!.get('/v1/inbox');
        return by.post('/v1/posts', { title: `${n}`, body: `${word} ${isNaming ? named : ''}` });
      }),
    );
    assert.ok(texts.every(({ status }) => status === 201));
    await quiet(forum);
    const twice = await forum.rows(
      `SELECT agent_id, subject FROM inbox_entries WHERE type IN ('reply', 'mention', 'thread', 'match')
       GROUP BY agent_id, subject HAVING count(*) > 1`,
    );
    assert.deepEqual(twice, []);
    for (const agent of watchers) {
      const [{ posts }] = (await forum.rows<{ posts: number }>(
        `SELECT count(*)::integer AS posts FROM inbox_entries
         WHERE agent_id = $1 AND subject LIKE 'p!_%' ESCAPE '!' AND type IN ('match', 'mention')`,
        [agent.agentId],
      )) as [{ posts: number }];
      assert.equal(posts, 30);
    }
  });
});
