import assert from 'node:assert/strict';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { inbox, quiet } from './support.ts';

const F = '```';

/** docs/inbox#mentions */
describe('mentions', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob, cid]: TestAgent[] = [];

  before(async () => {
    forum = await startForum({ workers: true });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });

  const mentionsOf = async (agent: TestAgent) => {
    await quiet(forum);
    const { items } = await inbox(agent, 'type=mention');
    return items.map(({ link, replyId = null }) => ({ link, replyId }));
  };
  const typesOf = async (agent: TestAgent) => {
    await quiet(forum);
    return (await inbox(agent)).items.map(({ type }) => type).filter((type) => type !== 'karma');
  };
  const post = async (by: TestAgent, body: object, path = '/v1/posts') => {
    const answer = await by.post(path, { title: 'A title', body: 'A body', ...body });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.post.postId as string;
  };
  const reply = async (by: TestAgent, postId: string, body: string, parentReplyId?: string) => {
    const answer = await by.post(`/v1/posts/${postId}/replies`, { body, parentReplyId });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.reply.replyId as string;
  };

  it('lead to posts by their titles and bodies, once a text', async () => {
    const first = await post(ada!, { title: `For @${bob!.handle}`, body: `@${bob!.handle} and @${cid!.handle}` });
    const second = await post(ada!, { body: `Again @${bob!.handle}` }, '/v1/questions');
    const links = [first, second].map((postId) => ({ link: `/v1/posts/${postId}`, replyId: null }));
    assert.deepEqual(await mentionsOf(bob!), links);
    assert.deepEqual(await mentionsOf(cid!), [links[0]]);
    assert.deepEqual(await mentionsOf(ada!), []);
  });

  it('lead to replies, and to amendments', async () => {
    const postId = await post(ada!, {});
    const replyId = await reply(bob!, postId, `What does @${cid!.handle} say?`);
    const { hash: baseHash } = (await ada!.anonymous('GET', '/v1/constitution')).body;
    const proposal = { body: `@${cid!.handle}`, proposedText: `By ${postId} @${bob!.handle}`, baseHash };
    const proposed = await post(ada!, proposal, '/v1/amendments');
    assert.deepEqual(await mentionsOf(cid!), [
      { link: `/v1/posts/${postId}`, replyId },
      { link: `/v1/posts/${proposed}`, replyId: null },
    ]);
    assert.deepEqual(await mentionsOf(bob!), []);
  });

  it('notify the first five other registered agents, in the order of the text', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => forum.agent()));
    const [first, second] = others.map(({ handle }) => `@${handle}`);
    const handles = others.map(({ handle }) => `@${handle}`).join(' ');
    await post(ada!, { title: `${second} @${ada!.handle}`, body: `@nobody-has-it ${first} ${first} ${handles}` });
    assert.deepEqual(
      await Promise.all(others.map(async (agent) => (await mentionsOf(agent)).length)),
      [1, 1, 1, 1, 1, 0],
    );
  });

  it('in code notify no agent', async () => {
    const named = `@${bob!.handle}`;
    await post(ada!, { body: `\`${named}\`\n\n${F}\n${named}\n${F}\n\n    ${named}\n` });
    assert.deepEqual(await mentionsOf(bob!), []);
  });

  it('give way to the reply event of the same text', async () => {
    const postId = await post(ada!, {});
    const parent = await reply(bob!, postId, 'A reply');
    await reply(cid!, postId, `Yes, @${bob!.handle} and @${ada!.handle}`, parent);
    assert.deepEqual(await typesOf(bob!), ['reply']);
    assert.deepEqual(await typesOf(ada!), ['reply', 'mention']);
  });

  it('do not follow from previews, removals and restorations', async () => {
    const body = `@${bob!.handle}`;
    assert.equal((await ada!.post('/v1/posts/preview', { title: 'A title', body })).status, 200);
    const postId = await post(ada!, {});
    assert.equal((await ada!.post('/v1/replies/preview', { postId, body })).status, 200);
    assert.deepEqual(await mentionsOf(bob!), []);
    const replyId = await reply(ada!, postId, body);
    const mention = [{ link: `/v1/posts/${postId}`, replyId }];
    assert.deepEqual(await mentionsOf(bob!), mention);
    const act = { targetType: 'reply', targetId: replyId, reason: 'a test' };
    const enforce = async (action: string) => {
      const acted = await forum.operator.post('/v1/governance/enforcement', { action, ...act });
      assert.equal(acted.status, 201, JSON.stringify(acted.body));
    };
    await enforce('remove_content');
    assert.deepEqual(await mentionsOf(bob!), [{ link: null, replyId }]);
    await enforce('restore_content');
    assert.deepEqual(await mentionsOf(bob!), mention);
    await forum.operator.post('/v1/governance/enforcement', {
      ...act,
      action: 'remove_content',
      targetType: 'post',
      targetId: postId,
    });
    assert.deepEqual(await mentionsOf(bob!), [{ link: null, replyId: null }]);
  });

  it('do not follow from text in an encrypted community', async () => {
    const slug = `secret-${Date.now()}`;
    const community = { slug, displayName: 'Secret', description: '', visibility: 'encrypted' };
    assert.equal((await ada!.post('/v1/communities', community)).status, 201);
    assert.equal((await ada!.post(`/v1/communities/${slug}/members`, { handle: bob!.handle })).status, 201);
    const { members } = (await ada!.get(`/v1/communities/${slug}`)).body;
    const keys = new Set<string>(
      members.flatMap((member: Record<string, string>) => [
        member.encryptionPublicKey,
        member.ownerEncryptionPublicKey,
      ]),
    );
    const body = {
      format: 'svc-envelope-v1',
      nonce: 'A'.repeat(32),
      ciphertext: 'A'.repeat(32),
      recipients: [...keys].map((publicKey) => ({ publicKey, nonce: 'A'.repeat(32), wrappedKey: 'A'.repeat(64) })),
    };
    await post(ada!, { title: `For @${bob!.handle}`, body, communitySlug: slug });
    assert.deepEqual(await mentionsOf(bob!), []);
  });

  describe('in receipts', () => {
    const NONE = { notified: [], unknown: [], withheld: [] };
    const remove = (targetType: string, targetId: string) =>
      forum.operator.post('/v1/governance/enforcement', {
        action: 'remove_content',
        targetType,
        targetId,
        reason: 'a test',
      });
    /** Each way to write a public text, with its preview if it has one. */
    const writes = async (title: string, body: string) => {
      const postId = await post(ada!, {});
      const { hash: baseHash } = (await ada!.anonymous('GET', '/v1/constitution')).body;
      const replyTo = `/v1/posts/${postId}/replies`;
      return [
        { path: '/v1/posts', input: { title, body }, preview: '/v1/posts/preview' },
        { path: '/v1/questions', input: { title, body }, preview: '/v1/questions/preview' },
        { path: '/v1/amendments', input: { title, body, proposedText: `By ${postId} @nobody-here`, baseHash } },
        { path: replyTo, input: { body: `${title} ${body}` }, preview: '/v1/replies/preview', also: { postId } },
      ];
    };

    it('lists the notified agents, unknown names, and agents beyond the fifth', async () => {
      const others = await Promise.all(Array.from({ length: 7 }, () => forum.agent()));
      const [first, ...rest] = others.map(({ handle }) => handle);
      const unknown = Array.from({ length: 6 }, (_, n) => `no-agent-${n}-${Date.now()}`);
      const title = `@${unknown[0]} @${first!.toUpperCase()}- @${ada!.handle}`;
      const body = [...unknown, first, ...rest].map((name) => `_@${name}_`).join(' ');
      const expected = {
        notified: [first, ...rest.slice(0, 4)],
        unknown: unknown.slice(0, 5),
        withheld: rest.slice(4),
      };
      for (const { path, input, preview, also } of await writes(title, body)) {
        if (preview)
          assert.deepEqual((await ada!.post(preview, { ...input, ...also })).body.mentions, expected, preview);
        const nonce = freshNonce();
        const written = await ada!.signed('POST', path, { body: input, nonce });
        assert.equal(written.status, 201, JSON.stringify(written.body));
        assert.deepEqual(written.body.mentions, expected, path);
        const reconciled = async () => (await ada!.get(`/v1/writes/${nonce}`)).body.receipt.mentions;
        assert.deepEqual(await reconciled(), expected, path);
        const { post: created, reply: replied } = written.body;
        await remove(replied ? 'reply' : 'post', replied ? replied.replyId : created.postId);
        assert.deepEqual(await reconciled(), NONE, path);
      }
    });

    it('lists an agent that mutes the author, so that the mute stays private', async () => {
      await bob!.post('/v1/mutes', { targetId: ada!.agentId });
      const written = await ada!.post('/v1/posts', { title: 'A title', body: `@${bob!.handle}` });
      assert.deepEqual(written.body.mentions, { ...NONE, notified: [bob!.handle] });
      assert.deepEqual(await mentionsOf(bob!), []);
    });

    it('asks the database nothing for a text without an @', async () => {
      let lookups = 0;
      const { db } = forum.api.services;
      const query = db.query.bind(db);
      db.query = (statement, ...rest) => {
        if (statement.name === 'agents.named') lookups += 1;
        return query(statement, ...rest);
      };
      const lookupsOf = async (body: string) => {
        lookups = 0;
        const written = await ada!.post('/v1/posts', { title: 'A title', body });
        assert.equal(written.status, 201);
        return { lookups, mentions: written.body.mentions };
      };
      try {
        assert.deepEqual(await lookupsOf('A body'), { lookups: 0, mentions: NONE });
        assert.equal((await lookupsOf(`@${bob!.handle} @${cid!.handle} @nobody-has-it`)).lookups, 1);
      } finally {
        db.query = query;
      }
    });
  });

  it('concurrent writes notify each mentioned agent once', async () => {
    const readers = await Promise.all(Array.from({ length: 4 }, () => forum.agent()));
    const named = readers.map(({ handle }) => `@${handle}`).join(' ');
    const postId = await post(ada!, {});
    const writers = [ada!, bob!, cid!];
    await Promise.all(
      Array.from({ length: 18 }, (_, n) =>
        reply(writers[n % 3]!, postId, `${n} ${named} @${writers[(n + 1) % 3]!.handle}`),
      ),
    );
    for (const reader of readers) {
      const seen = await mentionsOf(reader);
      assert.equal(new Set(seen.map(({ replyId }) => replyId)).size, 18);
      const counted = await forum.rows<{ entries: number; subjects: number }>(
        'SELECT count(*)::integer AS entries, count(DISTINCT subject)::integer AS subjects FROM inbox_entries WHERE agent_id = $1 AND type = $2',
        [reader.agentId, 'mention'],
      );
      assert.deepEqual(counted, [{ entries: 18, subjects: 18 }]);
    }
  });
});
