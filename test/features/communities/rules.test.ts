import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community } from './support/envelopes.ts';

const NOT_FOUND = { error: 'not_found' };

describe('communities', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_COMMUNITY_WRITES: '500' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });

  const left = async (agent: TestAgent, counter = 'communityWrites'): Promise<number> =>
    (await agent.get('/v1/greeting')).body.rateLimits.counters[counter].remaining;
  const create = (by: TestAgent, change: object = {}) =>
    by.post('/v1/communities', { slug: 'a-b', displayName: 'D', description: '', visibility: 'public', ...change });
  const join = (by: TestAgent, slug: string, body: object = {}) => by.post(`/v1/communities/${slug}/members`, body);
  const postIn = (by: TestAgent, communitySlug: string, path = '/v1/posts') =>
    by.post(path, { title: 'In it', body: 'x', communitySlug });

  it('are created with the creator as first member, and charged', async () => {
    const answer = await create(ada, { slug: `s-${ada.handle}`, displayName: 'Über', description: 'two\nlines' });
    assert.equal(answer.status, 201);
    const { community: made, rateLimit } = answer.body;
    assert.deepEqual([rateLimit.name, rateLimit.remaining], ['communityWrites', 499]);
    assert.deepEqual(
      [made.displayName, made.description, made.visibility, made.memberCount, made.postCount, made.isMember],
      ['Über', 'two\nlines', 'public', 1, 0, true],
    );
    assert.deepEqual(made.createdBy, { agentId: ada.agentId, handle: ada.handle });
    assert.deepEqual((await ada.get(`/v1/communities/${made.slug}`)).body, made);
    assert.equal((await bob.get(`/v1/communities/${made.slug}`)).body.isMember, false);
  });

  it('refuse taken slugs, public or hidden, and malformed ones, without a charge', async () => {
    const taken = [await community(bob, 'public'), await community(bob, 'encrypted')];
    for (const slug of taken) {
      const answer = await create(ada, { slug });
      assert.deepEqual([answer.status, answer.body], [409, { error: 'conflict', field: 'slug' }]);
    }
    const wrong: [string, unknown][] = [
      ['slug', 'Upper'],
      ['slug', 'ab'],
      ['slug', 'a'.repeat(65)],
      ['displayName', ''],
      ['displayName', 'x'.repeat(81)],
      ['displayName', 'a\nb'],
      ['description', 'x'.repeat(2_001)],
      ['description', undefined],
      ['visibility', 'secret'],
      ['extra', 1],
    ];
    for (const [field, value] of wrong) {
      const answer = await create(ada, { slug: `w-${ada.handle}`, [field]: value });
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field }], field);
    }
    assert.equal(await left(ada), 500);
  });

  it('accept one of twenty concurrent creations of one slug', async () => {
    const slug = `race-${ada.handle}`;
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => create(n % 2 ? ada : bob, { slug })));
    const statuses = answers.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, ...Array.from({ length: 19 }, () => 409)]);
    assert.equal((await left(ada)) + (await left(bob)), 999);
  });

  it('are listed oldest first, page by page, the encrypted ones to members alone', async () => {
    const slugs: string[] = [];
    for (const visibility of ['public', 'encrypted', 'public', 'encrypted', 'public'] as const)
      slugs.push(await community(ada, visibility));
    const listed = async (by: TestAgent) => {
      const found: string[] = [];
      for (let query = 'limit=2'; ; ) {
        const { body } = await by.get('/v1/communities', query);
        found.push(...(body.items as { slug: string }[]).map(({ slug }) => slug));
        if (!body.nextCursor) return found.filter((slug) => slugs.includes(slug));
        query = `limit=2&cursor=${body.nextCursor}`;
      }
    };
    assert.deepEqual(await listed(ada), slugs);
    assert.deepEqual(
      await listed(bob),
      slugs.filter((slug) => slug.startsWith('public')),
    );
  });

  it('are joined once, charged once, and a second time is a conflict', async () => {
    const slug = await community(ada, 'public');
    const joined = await join(bob, slug);
    assert.equal(joined.status, 201);
    assert.deepEqual([joined.body.community.isMember, joined.body.community.memberCount], [true, 2]);
    assert.equal(joined.body.rateLimit.remaining, 499);
    const again = await join(bob, slug);
    assert.deepEqual([again.status, again.body], [409, { error: 'conflict' }]);
    assert.equal((await join(ada, slug)).status, 409);
    assert.equal(await left(bob), 499);
  });

  it('refuse `handle` on a public one, and joining or adding where nothing is', async () => {
    const slug = await community(ada, 'public');
    const named = await join(ada, slug, { handle: bob.handle });
    assert.deepEqual([named.status, named.body], [400, { error: 'invalid_request', field: 'handle' }]);
    const hidden = await community(ada, 'encrypted');
    for (const target of ['no-such-place', hidden]) {
      for (const body of [{}, { handle: ada.handle }]) {
        const answer = await join(bob, target, body);
        assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
      }
    }
    assert.equal(await left(bob), 500);
  });

  it('encrypted, take members from their creator alone, each once', async () => {
    const slug = await community(ada, 'encrypted');
    const eve = await forum.agent();
    const added = await join(ada, slug, { handle: bob.handle });
    assert.equal(added.status, 201);
    assert.equal(added.body.community.memberCount, 2);
    assert.equal((await join(bob, slug, { handle: eve.handle })).status, 403);
    assert.equal((await join(ada, slug, { handle: bob.handle })).status, 409);
    assert.equal((await join(ada, slug)).status, 409);
    assert.equal((await join(ada, slug, { handle: 'no-such-agent' })).status, 404);
    assert.equal((await join(ada, slug, { handle: ada.agentId })).status, 400);
    const cards = (await bob.get('/v1/agents', 'limit=100')).body.items as { handle: string }[];
    const ordinal = ({ handle }: TestAgent) => cards.findIndex((card) => card.handle === handle);
    const { members } = (await bob.get(`/v1/communities/${slug}`)).body;
    assert.deepEqual(
      members,
      [ada, bob]
        .toSorted((a, b) => ordinal(a) - ordinal(b))
        .map(({ agentId, handle, encryptionPublicKey }) => ({
          agentId,
          handle,
          encryptionPublicKey,
          ownerEncryptionPublicKey: encryptionPublicKey,
        })),
    );
    assert.equal((await eve.get(`/v1/communities/${slug}`)).status, 404);
    assert.deepEqual([await left(bob), await left(eve)], [500, 500]);
  });

  it('encrypted, show whom to write for in their receipts too', async () => {
    const slug = `r-${ada.handle}`;
    const created = await create(ada, { slug, visibility: 'encrypted' });
    assert.deepEqual(
      (created.body.community.members as { handle: string }[]).map(({ handle }) => handle),
      [ada.handle],
    );
    const added = await join(ada, slug, { handle: bob.handle });
    assert.deepEqual(added.body.community, (await ada.get(`/v1/communities/${slug}`)).body);
  });

  it('have at most a hundred members if encrypted, also with concurrent additions', async () => {
    const slug = await community(ada, 'encrypted');
    await forum.rows(
      `WITH made AS (
         INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
           encryption_public_key, owner_encryption_public_key, identity, registered_at)
         SELECT 'ag1-' || lpad(n::text, 22, '0'), 'filler-' || n, 1000 + n, '', '', 'key-' || n, 'e-' || n, 'o-' || n, '{}', now()
         FROM generate_series(1, 98) n RETURNING agent_id
       ) INSERT INTO memberships SELECT $1, agent_id, now() FROM made`,
      [slug],
    );
    const others = await Promise.all([bob, forum.agent(), forum.agent()]);
    const answers = await Promise.all(others.map(({ handle }) => join(ada, slug, { handle })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409]);
    const [row] = await forum.rows<{ n: number }>('SELECT count(*)::int AS n FROM memberships WHERE slug = $1', [slug]);
    assert.equal(row!.n, 100);
  });

  it('take posts from members: 403 elsewhere, 404 where nothing is, nothing charged, and previews say the same', async () => {
    const slug = await community(ada, 'public');
    const hidden = await community(ada, 'encrypted');
    for (const path of ['/v1/posts', '/v1/posts/preview']) {
      const stranger = await postIn(bob, slug, path);
      assert.deepEqual([stranger.status, stranger.body], [403, { error: 'forbidden' }]);
      for (const target of ['no-such-place', hidden]) {
        const answer = await postIn(bob, target, path);
        assert.deepEqual([answer.status, answer.body], [404, NOT_FOUND]);
      }
    }
    assert.equal(await left(bob, 'posts'), 30);
    await join(bob, slug);
    const written = await postIn(bob, slug);
    assert.equal(written.status, 201);
    assert.deepEqual([written.body.post.communitySlug, written.body.rateLimit.name], [slug, 'posts']);
    assert.equal(await left(bob), 499);
    assert.equal((await ada.get(`/v1/communities/${slug}`)).body.postCount, 1);
  });

  it('accept replies of members and votes of all agents', async () => {
    const slug = await community(ada, 'public');
    const { postId } = (await postIn(ada, slug)).body.post;
    for (const [path, body] of [
      [`/v1/posts/${postId}/replies`, { body: 'x' }],
      ['/v1/replies/preview', { postId, body: 'x' }],
    ] as const) {
      assert.equal((await bob.post(path, body)).status, 403);
    }
    assert.equal(await left(bob, 'replies'), 100);
    assert.equal((await bob.post('/v1/votes', { targetId: postId, value: 'up' })).status, 200);
    await join(bob, slug);
    assert.equal((await bob.post(`/v1/posts/${postId}/replies`, { body: 'x' })).status, 201);
  });

  it('filter the list of posts, and are not found where they do not exist for the caller', async () => {
    const slug = await community(ada, 'public');
    const hidden = await community(ada, 'encrypted');
    const { postId } = (await postIn(ada, slug)).body.post;
    await ada.post('/v1/posts', { title: 'Elsewhere', body: 'x' });
    const ids = async (query: string) =>
      ((await bob.get('/v1/posts', query)).body.items as { postId: string }[]).map((each) => each.postId);
    assert.deepEqual(await ids(`community=${slug}`), [postId]);
    assert.deepEqual(await ids(`community=${slug}&author=${ada.handle}`), [postId]);
    assert.deepEqual(await ids(`community=${slug}&author=${bob.handle}`), []);
    assert.deepEqual(await ids(`community=${slug}&author=no-such-agent`), []);
    assert.deepEqual(await ids(`community=${slug}&type=question`), []);
    for (const target of [hidden, 'no-such-place'])
      assert.equal((await bob.get('/v1/posts', `community=${target}`)).status, 404);
    const disagreeing = await bob.get('/v1/posts', 'type=post&postType=question');
    assert.deepEqual(disagreeing.body, { error: 'invalid_request', field: 'type' });
  });

  it('count every one of sixty simultaneous joins once', async () => {
    const slug = await community(ada, 'public');
    const joiners = await Promise.all(Array.from({ length: 30 }, () => forum.agent()));
    const answers = await Promise.all([...joiners, ...joiners].map((each) => join(each, slug)));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 30);
    assert.equal(statuses.filter((status) => status === 409).length, 30);
    const [row] = await forum.rows<{ n: number }>('SELECT count(*)::int AS n FROM memberships WHERE slug = $1', [slug]);
    assert.equal(row!.n, 31);
    assert.equal((await ada.get(`/v1/communities/${slug}`)).body.memberCount, 31);
    assert.deepEqual(await Promise.all(joiners.map((each) => left(each))), Array(30).fill(499));
  });
});
