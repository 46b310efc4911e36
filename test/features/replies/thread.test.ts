import assert from 'node:assert/strict';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

interface ReplyLike {
  replyId: string;
  body: string;
}

describe('replies and threads', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum({ env: { LIMIT_REPLIES: '5000', LIMIT_VOTES: '5000', LIMIT_POSTS: '1000' } });
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());
  beforeEach(async () => {
    postId = await newPost();
  });

  const newPost = async (): Promise<string> =>
    (await ada.post('/v1/posts', { title: 'A thread', body: 'x' })).body.post.postId;
  const reply = (body: object, by = bob): Promise<Answer> => by.post(`/v1/posts/${postId}/replies`, body);
  const replied = async (body: object): Promise<string> => {
    const answer = await reply(body);
    assert.equal(answer.status, 201);
    return answer.body.reply.replyId;
  };
  const read = (query = '', by = ada): Promise<Answer> => by.get(`/v1/posts/${postId}`, query);
  const left = async (): Promise<number> => (await bob.get('/v1/greeting')).body.rateLimits.counters.replies.remaining;
  const fill = (count: number): Promise<unknown> =>
    forum.rows(
      `WITH made AS (
         INSERT INTO replies (reply_id, post_id, reply_number, author_id, body, created_at)
         SELECT 'r_' || right($1, 15) || lpad(n::text, 10, '0'), $1, n, $2, 'reply ' || n, now()
         FROM generate_series(1, $3::integer) n RETURNING reply_id
       ), states AS (INSERT INTO reply_states (reply_id) SELECT reply_id FROM made)
       UPDATE post_states SET reply_count = $3::integer, last_reply_number = $3::integer WHERE post_id = $1`,
      [postId, bob.agentId, count],
    );

  it('answer a receipt that the thread reads back, and charge one', async () => {
    const before = await left();
    const answer = await reply({ body: 'First' });
    assert.equal(answer.status, 201);
    const { reply: written, rateLimit, links } = answer.body;
    assert.deepEqual([rateLimit.name, rateLimit.remaining], ['replies', before - 1]);
    assert.deepEqual(written, {
      replyId: written.replyId,
      postId,
      parentReplyId: null,
      body: 'First',
      author: { agentId: bob.agentId, handle: bob.handle },
      createdAt: written.createdAt,
      upvotes: 0,
      downvotes: 0,
      score: 0,
      myVote: null,
      links: { post: `/v1/posts/${postId}`, author: `/v1/agents/${bob.handle}` },
    });
    assert.equal(links.self, `/v1/posts/${postId}`);
    const thread = await read();
    assert.deepEqual(thread.body.replies, [written]);
    assert.equal(thread.body.post.replyCount, 1);
    assert.equal(thread.body.nextReplyCursor, undefined);
  });

  it('preview the same and store nothing', async () => {
    const before = await left();
    const answer = await bob.post('/v1/replies/preview', { postId, body: 'Maybe' });
    assert.equal(answer.status, 200);
    assert.deepEqual([answer.body.rateLimit.remaining, answer.body.allowance.remaining], [before - 1, before]);
    assert.deepEqual([answer.body.reply.body, answer.body.reply.postId], ['Maybe', postId]);
    const thread = await read();
    assert.deepEqual([thread.body.replies, thread.body.post.replyCount, await left()], [[], 0, before]);
  });

  it('are in the order of writing, each under its parent', async () => {
    const first = await replied({ body: '1' });
    const second = await replied({ body: '2', parentReplyId: null });
    const third = await replied({ body: '3', parentReplyId: first });
    const fourth = await replied({ body: '4', parentReplyId: third });
    const { replies } = (await read()).body as { replies: (ReplyLike & { parentReplyId: string | null })[] };
    assert.deepEqual(
      replies.map(({ replyId, parentReplyId }) => [replyId, parentReplyId]),
      [
        [first, null],
        [second, null],
        [third, first],
        [fourth, third],
      ],
    );
  });

  it('refuse parents of other posts and unknown parents alike, and charge nothing', async () => {
    const foreign = await replied({ body: 'elsewhere' });
    postId = await newPost();
    const before = await left();
    const gone = await replied({ body: 'to be removed' });
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [gone]);
    for (const parentReplyId of [foreign, `r_${'0'.repeat(25)}`, gone, postId, 'r_1', 5]) {
      for (const answer of [
        await reply({ body: 'x', parentReplyId }),
        await bob.post('/v1/replies/preview', { postId, body: 'x', parentReplyId }),
      ]) {
        assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field: 'parentReplyId' }]);
      }
    }
    assert.equal(await left(), before - 1);
  });

  it('refuse bodies that are empty or over ten thousand code points, and unknown posts', async () => {
    for (const body of ['', 'x'.repeat(10_001), '😀'.repeat(10_001), undefined, null, 5]) {
      const answer = await reply({ body });
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field: 'body' }]);
    }
    assert.equal((await reply({ body: '😀'.repeat(10_000) })).status, 201);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    for (const target of [postId, `p_${'0'.repeat(25)}`]) {
      const answers = [
        await bob.post(`/v1/posts/${target}/replies`, { body: 'x' }),
        await bob.post('/v1/replies/preview', { postId: target, body: 'x' }),
        await bob.get(`/v1/posts/${target}`),
        await bob.anonymous('GET', `/v1/posts/${target}`),
      ];
      for (const answer of answers) assert.deepEqual([answer.status, answer.body], [404, { error: 'not_found' }]);
    }
  });

  it('page by a hundred at most, without gap or double', async () => {
    await fill(250);
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let query = 'limit=100'; ; ) {
      const { body } = await read(query);
      seen.push(...(body.replies as ReplyLike[]).map((each) => each.body));
      sizes.push(body.replies.length);
      assert.equal(body.post.replyCount, 250);
      if (!body.nextReplyCursor) break;
      query = `limit=100&cursor=${body.nextReplyCursor}`;
    }
    assert.deepEqual(sizes, [100, 100, 50]);
    assert.deepEqual(
      seen,
      Array.from({ length: 250 }, (_, n) => `reply ${n + 1}`),
    );
    assert.equal((await read()).body.replies.length, 20);
    for (const limit of ['0', '101', '-1', '1.5', 'x', ''])
      assert.deepEqual((await read(`limit=${limit}`)).body, { error: 'invalid_request', field: 'limit' });
  });

  it('end exactly at a full page', async () => {
    await fill(100);
    const { body } = await read('limit=100');
    assert.deepEqual([body.replies.length, body.nextReplyCursor], [100, undefined]);
  });

  it('take a cursor on its own thread alone, unchanged', async () => {
    await fill(3);
    const cursor = (await read('limit=1')).body.nextReplyCursor as string;
    const changed = `${cursor.slice(0, -2)}${cursor.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const wrong of [changed, 'x', `${cursor}=`])
      assert.deepEqual((await read(`cursor=${wrong}`)).body, { error: 'invalid_request', field: 'cursor' });
    postId = await newPost();
    assert.deepEqual((await read(`cursor=${cursor}`)).body, { error: 'invalid_request', field: 'cursor' });
  });

  it('keep a removed one as a tombstone, and its children', async () => {
    const parent = await replied({ body: 'unwanted words' });
    const child = await replied({ body: 'child', parentReplyId: parent });
    await bob.post('/v1/votes', { targetId: parent, value: 'up' });
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [parent]);
    for (const by of [ada, bob]) {
      const [tombstone, kept] = (await read('', by)).body.replies as (ReplyLike & { createdAt: string })[];
      assert.deepEqual(tombstone, {
        replyId: parent,
        postId,
        parentReplyId: null,
        removed: true,
        createdAt: tombstone!.createdAt,
      });
      assert.equal(kept!.replyId, child);
    }
    assert.equal((await ada.post('/v1/votes', { targetId: parent, value: 'up' })).status, 404);
    assert.equal((await bob.post('/v1/votes/recant', { targetId: parent })).status, 404);
  });

  it('show a removed one’s author no text in the receipt either', async () => {
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    const written = await bob.signed('POST', `/v1/posts/${postId}/replies`, { body: { body: 'unwanted' }, nonce });
    assert.deepEqual((await bob.get(`/v1/writes/${nonce}`)).body.receipt, written.body);
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [written.body.reply.replyId]);
    const after = await bob.get(`/v1/writes/${nonce}`);
    assert.equal(after.body.receipt.reply.removed, true);
    assert.ok(!JSON.stringify(after.body).includes('unwanted'));
    await forum.rows('UPDATE reply_states SET removed = false WHERE reply_id = $1', [written.body.reply.replyId]);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    assert.deepEqual((await bob.get(`/v1/writes/${nonce}`)).body, after.body);
  });

  it("show only the reader's own votes", async () => {
    const [up, down, none] = [await replied({ body: '1' }), await replied({ body: '2' }), await replied({ body: '3' })];
    await ada.post('/v1/votes', { targetId: up, value: 'up' });
    await ada.post('/v1/votes', { targetId: down, value: 'down' });
    await ada.post('/v1/votes', { targetId: none, value: 'up' });
    await ada.post('/v1/votes/recant', { targetId: none });
    const votes = async (answer: Promise<Answer>) =>
      ((await answer).body.replies as { myVote: unknown; score: number }[]).map(({ myVote, score }) => [myVote, score]);
    assert.deepEqual(await votes(read()), [
      ['up', 1],
      ['down', -1],
      [null, 0],
    ]);
    const others = [
      [null, 1],
      [null, -1],
      [null, 0],
    ];
    assert.deepEqual(await votes(read('', bob)), others);
    assert.deepEqual(await votes(ada.anonymous('GET', `/v1/posts/${postId}`)), others);
  });
});
