import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { seal } from '../features/communities/support/envelopes.ts';
import { act } from '../features/governance/moderation/support/scenes.ts';
import { reply, vote } from '../features/questions/support/scenes.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const ROUNDS = 40;
const READERS = 12;

/** What a caller knows of the last answer: its tag, and what it showed. */
interface Known {
  tag: string;
  body: unknown;
}

describe('cached responses', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let eve: TestAgent;
  let postId: string;
  before(async () => {
    const limits = ['POSTS', 'REPLIES', 'VOTES'];
    forum = await startForum({ env: Object.fromEntries(limits.map((name) => [`LIMIT_${name}`, '5000'])) });
    [ada, bob, eve] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());
  beforeEach(async () => {
    postId = (await ada.post('/v1/posts', { title: 'Hot', body: 'b' })).body.post.postId;
  });

  const anonymous = (path: string, tag?: string): Promise<Answer> =>
    ada.anonymous('GET', path, tag === undefined ? {} : { headers: { 'if-none-match': tag } });

  it('never show one caller what another one voted, nor tell it that nothing changed', async () => {
    const replyId = await reply(ada, postId);
    await vote(bob, postId, 'down');
    await vote(eve, replyId);
    const path = `/v1/posts/${postId}`;
    const others: TestAgent[] = await Promise.all(Array.from({ length: 4 }, () => forum.agent()));
    /** Who reads, with what it voted on the post and on the reply. */
    const callers = [
      { who: null, votes: [null, null] },
      { who: bob, votes: ['down', null] },
      { who: eve, votes: [null, 'up'] },
      { who: ada, votes: [null, null] },
    ];
    const tags: string[] = [];
    const bodies = new Map<string, string>();
    const votesIn = ({ post, replies }: { post: { myVote: unknown }; replies: { myVote: unknown }[] }) => [
      post.myVote,
      replies[0]!.myVote,
    ];
    let unchanged = 0;
    const readAll = async ({ who, votes }: (typeof callers)[number]) => {
      const known: Known = { tag: '', body: null };
      for (let n = 0; n < ROUNDS; n++) {
        // Its own tag, or the last one that another reader got.
        const tag = n % 2 === 0 ? known.tag : tags.at(-1)!;
        const headers = tag ? { 'if-none-match': tag } : {};
        const answer = await (who ? who.signed('GET', path, { headers }) : anonymous(path, tag || undefined));
        if (answer.status === 304) {
          unchanged += 1;
          assert.equal(answer.headers.get('etag'), tag);
          if (tag === known.tag) continue;
          // The text of the tag is the very text that this caller would have got.
          const texts = bodies.get(tag)!;
          assert.deepEqual(votesIn(JSON.parse(texts)), votes);
          continue;
        }
        assert.equal(answer.status, 200);
        assert.deepEqual(votesIn(answer.body), votes, who?.handle);
        Object.assign(known, { tag: answer.headers.get('etag')!, body: answer.body });
        bodies.set(known.tag, JSON.stringify(answer.body));
        tags.push(known.tag);
      }
    };
    const readers = Array.from({ length: READERS }, (_, n) => readAll(callers[n % callers.length]!));
    const voters = others.map(async (other) => {
      for (const value of ['up', 'down', 'up'] as const) await vote(other, postId, value);
    });
    await Promise.all([...readers, ...voters]);
    assert.ok(unchanged > ROUNDS, `${unchanged} were unchanged`);
  });

  it('show every write that was answered before the read began', async () => {
    const path = `/v1/posts/${postId}`;
    let isOver = false;
    const load = Array.from({ length: READERS }, async () => {
      let tag: string | undefined;
      while (!isOver) tag = (await anonymous(path, tag)).headers.get('etag') ?? undefined;
    });
    const voters = await Promise.all(Array.from({ length: 8 }, () => forum.agent()));
    try {
      let written = 0;
      await Promise.all(
        voters.map(async (voter, n) => {
          for (let round = 0; round < 5; round++) {
            await (round === 0 ? vote(voter, postId) : reply(voter, postId));
            written += 1;
            const atLeast = written;
            const { body } = await (n % 2 === 0 ? anonymous(path) : ada.get(path));
            const [feed] = (await anonymous('/v1/posts')).body.items as { upvotes: number; replyCount: number }[];
            for (const { upvotes, replyCount } of [body.post, feed!])
              assert.ok(upvotes + replyCount >= atLeast, `${upvotes} + ${replyCount} of ${atLeast}`);
          }
        }),
      );
    } finally {
      isOver = true;
      await Promise.all(load);
    }
  });

  it('are refused to agents that may not see the post, whatever tag they send', async () => {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await ada.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'encrypted' });
    await ada.post(`/v1/communities/${slug}/members`, { handle: bob.handle });
    const body = seal(ada, [ada.encryptionPublicKey, bob.encryptionPublicKey]);
    const hidden = (await ada.post('/v1/posts', { title: 'H', body, communitySlug: slug })).body.post.postId as string;
    const [path, feed] = [`/v1/posts/${hidden}`, { path: '/v1/posts', query: `community=${slug}` }];
    for (let n = 0; n < 4; n++) {
      const member = await bob.get(path);
      assert.equal(member.status, 200);
      for (const tag of [member.headers.get('etag')!, '*']) {
        const headers = { 'if-none-match': tag };
        const strangers = [
          await eve.signed('GET', path, { headers }),
          await anonymous(path, tag),
          await eve.signed('GET', feed.path, { query: feed.query, headers }),
          await eve.anonymous('GET', feed.path, { query: feed.query, headers }),
        ];
        for (const { status, body: refusal } of strangers)
          assert.deepEqual([status, refusal], [404, { error: 'not_found' }]);
      }
      assert.equal((await bob.get(feed.path, feed.query)).body.items.length, 1);
    }
  });

  it('are gone with the post, and with its community', async () => {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await ada.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    const placed = (await ada.post('/v1/posts', { title: 'P', body: 'b', communitySlug: slug })).body.post.postId;
    const path = `/v1/posts/${placed}`;
    for (const [type, id] of [
      ['post', placed],
      ['community', slug],
    ] as const) {
      let tag = '';
      for (let n = 0; n < 3; n++) tag = (await anonymous(path)).headers.get('etag')!;
      assert.equal((await anonymous(path, tag)).status, 304);
      await act(forum, 'remove_content', type, id);
      for (const each of [tag, '*']) {
        assert.equal((await anonymous(path, each)).status, 404);
        assert.equal((await eve.signed('GET', path, { headers: { 'if-none-match': each } })).status, 404);
      }
      await act(forum, 'restore_content', type, id);
      assert.equal((await anonymous(path, tag)).status, 304);
    }
  });

  it('are gone with a community that nobody has written in', async () => {
    const slug = `c-${randomBytes(6).toString('hex')}`;
    await ada.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
    const listed = () => ada.anonymous('GET', '/v1/posts', { query: `community=${slug}` });
    for (let n = 0; n < 3; n++) assert.deepEqual((await listed()).body, { items: [] });
    await act(forum, 'remove_content', 'community', slug);
    assert.equal((await listed()).status, 404);
  });
});
