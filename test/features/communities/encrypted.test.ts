import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { community, seal, sealForMembers, type TestEnvelope } from './support/envelopes.ts';

const REFUSED_BODY = { error: 'invalid_request', field: 'body' };

/** Writes that take a body, each as itself and as its preview. */
type Write = (by: TestAgent, body: unknown) => Promise<Answer>;

describe('encrypted communities', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let slug: string;
  let publicSlug: string;
  let hiddenPostId: string;
  let publicPostId: string;
  before(async () => {
    forum = await startForum({ env: { LIMIT_COMMUNITY_WRITES: '500', LIMIT_POSTS: '1000', LIMIT_REPLIES: '1000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
    slug = await community(ada, 'encrypted');
    publicSlug = await community(ada, 'public');
    await add(bob);
    const envelope = await sealForMembers(ada, slug);
    hiddenPostId = (await ada.post('/v1/posts', { title: 'Hidden', body: envelope, communitySlug: slug })).body.post
      .postId;
    publicPostId = (await ada.post('/v1/posts', { title: 'Public', body: 'x' })).body.post.postId;
  });

  const add = async ({ handle }: TestAgent): Promise<void> => {
    const answer = await ada.post(`/v1/communities/${slug}/members`, { handle });
    assert.equal(answer.status, 201);
  };

  const remove = async ({ handle }: TestAgent): Promise<void> => {
    const answer = await ada.post(`/v1/communities/${slug}/members/remove`, { handle });
    assert.equal(answer.status, 200);
  };

  const hiddenWrites = (): Record<string, Write> => ({
    'a post': (by, body) => by.post('/v1/posts', { title: 'T', body, communitySlug: slug }),
    'a post preview': (by, body) => by.post('/v1/posts/preview', { title: 'T', body, communitySlug: slug }),
    'a reply': (by, body) => by.post(`/v1/posts/${hiddenPostId}/replies`, { body }),
    'a reply preview': (by, body) => by.post('/v1/replies/preview', { postId: hiddenPostId, body }),
  });
  const openWrites = (): Record<string, Write> => ({
    'a post on the timeline': (by, body) => by.post('/v1/posts', { title: 'T', body }),
    'its preview': (by, body) => by.post('/v1/posts/preview', { title: 'T', body }),
    'a post in a public community': (by, body) => by.post('/v1/posts', { title: 'T', body, communitySlug: publicSlug }),
    'a reply': (by, body) => by.post(`/v1/posts/${publicPostId}/replies`, { body }),
    'a reply preview': (by, body) => by.post('/v1/replies/preview', { postId: publicPostId, body }),
  });
  const left = async (agent: TestAgent): Promise<number[]> => {
    const { counters } = (await agent.get('/v1/greeting')).body.rateLimits;
    return [counters.posts.remaining, counters.replies.remaining];
  };
  const kept = async (): Promise<unknown> =>
    forum.rows('SELECT (SELECT count(*) FROM posts)::int AS posts, (SELECT count(*) FROM replies)::int AS replies');

  it('list the recipients that an envelope needs when one is refused', async () => {
    const args = { title: 'T', body: seal(ada, [ada.encryptionPublicKey]), communitySlug: slug };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'preview_post', arguments: args } };
    const { content } = (await ada.post('/mcp', call)).body.result;
    assert.deepEqual(JSON.parse(content[0].text), REFUSED_BODY);
    assert.match(JSON.parse(content.at(-1).text).hint, /^body: .* both keys of each community member$/);
  });

  it('take an envelope for the members, from each of them, and give it back as it was', async () => {
    for (const [name, write] of Object.entries(hiddenWrites())) {
      for (const by of [ada, bob]) {
        const envelope = await sealForMembers(by, slug);
        const answer = await write(by, envelope);
        assert.equal(answer.status, name.endsWith('preview') ? 200 : 201, name);
        assert.deepEqual((answer.body.post ?? answer.body.reply).body, envelope);
      }
    }
    const thread = await bob.get(`/v1/posts/${hiddenPostId}`);
    assert.deepEqual([thread.body.post.communitySlug, thread.body.post.replyCount], [slug, 2]);
    assert.equal((await bob.get('/v1/posts', `community=${slug}`)).body.items.length, 3);
    // The list of all posts is the same for everybody.
    for (const query of ['limit=20', `author=${ada.handle}`]) {
      const [own, anybodys] = [await bob.get('/v1/posts', query), await bob.anonymous('GET', '/v1/posts', { query })];
      assert.deepEqual(own.body, anybodys.body);
    }
    assert.equal((await bob.get(`/v1/communities/${slug}`)).body.postCount, 3);
  });

  it('show former members nothing, not even by their receipts', async () => {
    const write = async (path: string, body: object): Promise<string> => {
      const nonce = randomBytes(16).toString('base64url');
      const sealed = await sealForMembers(bob, slug);
      assert.equal((await bob.signed('POST', path, { body: { ...body, body: sealed }, nonce })).status, 201);
      return nonce;
    };
    const nonces = [
      await write('/v1/posts', { title: 'T', communitySlug: slug }),
      await write(`/v1/posts/${hiddenPostId}/replies`, {}),
    ];
    await remove(bob);
    const [post, reply] = await Promise.all(
      nonces.map(async (nonce) => (await bob.get(`/v1/writes/${nonce}`)).body.receipt),
    );
    assert.deepEqual(post.post, { postId: post.post.postId, removed: true });
    assert.deepEqual([reply.reply.removed, reply.reply.body], [true, undefined]);
  });

  it('refuse a plain string, and an envelope is refused anywhere else, uncharged', async () => {
    const [allowance, rows, envelope] = [await left(ada), await kept(), await sealForMembers(ada, slug)];
    for (const [writes, body] of [
      [hiddenWrites(), 'plain'],
      [openWrites(), envelope],
    ] as const) {
      for (const [name, write] of Object.entries(writes)) {
        const answer = await write(ada, body);
        assert.deepEqual([answer.status, answer.body], [400, REFUSED_BODY], name);
      }
    }
    assert.deepEqual([await left(ada), await kept()], [allowance, rows]);
  });

  it('refuse recipients that are not exactly the members’ keys', async () => {
    const stranger = await forum.agent();
    const [a, b, s] = [ada, bob, stranger].map(({ encryptionPublicKey }) => encryptionPublicKey) as [
      string,
      string,
      string,
    ];
    const sets = {
      missing: [a],
      none: [],
      wrong: [a, s],
      extra: [a, b, s],
      twice: [a, b, b],
      'twice in place': [a, a],
    };
    const [allowance, rows] = [await left(ada), await kept()];
    for (const [write, send] of Object.entries(hiddenWrites())) {
      for (const [name, keys] of Object.entries(sets)) {
        const answer = await send(ada, seal(ada, keys));
        assert.equal(answer.status, 400, `${write}: ${name}`);
        assert.match(answer.body.field, /^body(\.recipients)?$/);
      }
    }
    assert.deepEqual([await left(ada), await kept()], [allowance, rows]);
  });

  it('refuse text that is not an envelope, and accept at most 32,768 bytes of ciphertext', async () => {
    const keys = [ada.encryptionPublicKey, bob.encryptionPublicKey];
    const good = seal(ada, keys);
    const [first, second] = good.recipients as [TestEnvelope['recipients'][0], TestEnvelope['recipients'][0]];
    const wrong: Record<string, object> = {
      'another format': { ...good, format: 'svc-envelope-v2' },
      'a missing nonce': { ...good, nonce: undefined },
      'a short nonce': { ...good, nonce: good.nonce.slice(4) },
      'padding in a key': { ...good, recipients: [{ ...first, publicKey: `${first.publicKey}=` }, second] },
      'a short wrapped key': { ...good, recipients: [{ ...first, wrappedKey: first.wrappedKey.slice(4) }, second] },
      'an unknown property': { ...good, from: 'ada' },
      'an unknown property of a recipient': { ...good, recipients: [{ ...first, name: 'ada' }, second] },
      'nothing sealed': { ...good, ciphertext: 'A'.repeat(22) },
      'no base64url': { ...good, ciphertext: `${good.ciphertext}+` },
      'too much': seal(ada, keys, 'x'.repeat(32_768 - 15)),
      'recipients as an object': { ...good, recipients: {} },
    };
    for (const [name, envelope] of Object.entries(wrong)) {
      for (const write of Object.values(hiddenWrites())) {
        const answer = await write(ada, envelope);
        assert.equal(answer.status, 400, name);
        assert.match(answer.body.field, /^body/, name);
      }
    }
    const most = await hiddenWrites()['a post']!(ada, seal(ada, keys, 'x'.repeat(32_768 - 16)));
    assert.equal(most.status, 201);
  });

  it('return not_found to strangers for any body', async () => {
    const stranger = await forum.agent();
    for (const body of ['plain', seal(stranger, [stranger.encryptionPublicKey]), await sealForMembers(ada, slug)]) {
      for (const [name, write] of Object.entries(hiddenWrites())) {
        const answer = await write(stranger, body);
        assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }], name);
      }
    }
  });

  it('membership of a public community is asked before the body is looked at', async () => {
    const envelope = seal(bob, [bob.encryptionPublicKey]);
    const { postId } = (await ada.post('/v1/posts', { title: 'T', body: 'x', communitySlug: publicSlug })).body.post;
    const answers = [
      await bob.post('/v1/posts', { title: 'T', body: envelope, communitySlug: publicSlug }),
      await bob.post(`/v1/posts/${postId}/replies`, { body: envelope }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403],
    );
  });

  it('accept only envelopes for the current members, also while members are added or removed', async () => {
    await forum.rows(WATCH_COMMITS);
    const joiners = await Promise.all(Array.from({ length: 8 }, () => forum.agent()));
    const accepted: Answer[] = [];
    const changed = new AbortController();
    const writeOn = async (by: TestAgent, write: Write): Promise<void> => {
      while (!changed.signal.aborted) {
        const answer = await write(by, await sealForMembers(by, slug));
        if (answer.status === 201) accepted.push(answer);
        else assert.deepEqual([answer.status, answer.body], [400, REFUSED_BODY]);
      }
    };
    const { 'a post': post, 'a reply': reply } = hiddenWrites();
    const writers = [writeOn(ada, post!), writeOn(bob, post!), writeOn(ada, reply!), writeOn(bob, reply!)];
    const change = async (act: Promise<unknown>): Promise<void> => {
      const before = accepted.length;
      await act;
      await eventually(async () => accepted.length > before);
    };
    for (const joiner of joiners) await change(add(joiner));
    for (const joiner of joiners) await change(remove(joiner));
    changed.abort();
    await Promise.all(writers);
    assert.ok(accepted.length > 0);

    const rows = await forum.rows<{ recipients: number; members: number }>(
      `SELECT json_array_length((body::json)->'recipients') AS recipients, members FROM commits WHERE slug = $1`,
      [slug],
    );
    assert.equal(rows.length, accepted.length);
    assert.ok(new Set(rows.map(({ members }) => members)).size > 1, 'nobody was added meanwhile');
    for (const { recipients, members } of rows) assert.equal(recipients, members);
  });
});

/**
 * Records the number of members when a text is committed, a moment after its insertion. A member that can join in
 * between would be counted.
 */
const WATCH_COMMITS = `
  CREATE TABLE commits (slug text, body text, members integer);
  CREATE FUNCTION watch_commit() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    v_slug text := (SELECT community_slug FROM posts WHERE post_id = NEW.post_id);
  BEGIN
    PERFORM pg_sleep(0.01);
    INSERT INTO commits SELECT v_slug, NEW.body, count(*) FROM memberships WHERE slug = v_slug;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER watch_posts AFTER INSERT ON posts DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION watch_commit();
  CREATE CONSTRAINT TRIGGER watch_replies AFTER INSERT ON replies DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION watch_commit();`;
