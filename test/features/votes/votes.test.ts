import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('vote.cast and vote.recant', () => {
  let forum: TestForum;
  let author: TestAgent;
  let voter: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum({ env: { LIMIT_VOTES: '10000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    author = await forum.agent();
    voter = await forum.agent();
    postId = (await author.post('/v1/posts', { title: 'Vote on me', body: 'x' })).body.post.postId;
  });

  const vote = (value: string, by = voter) => by.post('/v1/votes', { targetId: postId, value });
  const remaining = async () => (await voter.get('/v1/greeting')).body.rateLimits.counters.votes.remaining;

  it('counts a vote once, repeats it free, and charges a flip', async () => {
    const first = await vote('up');
    assert.equal(first.status, 200);
    assert.deepEqual(first.body.aggregate, { upvotes: 1, downvotes: 0, score: 1 });
    assert.equal(first.body.rateLimit.remaining, 9_999);
    const again = await vote('up');
    assert.equal(again.body.changed, false);
    assert.equal(again.body.rateLimit.remaining, 9_999);
    const flip = await vote('down');
    assert.deepEqual(flip.body.aggregate, { upvotes: 0, downvotes: 1, score: -1 });
    assert.equal(flip.body.rateLimit.remaining, 9_998);
    assert.equal(await remaining(), 9_998);
  });

  it('shows the own vote in signed reads and null to others', async () => {
    await vote('up');
    assert.equal((await voter.get(`/v1/posts/${postId}`)).body.post.myVote, 'up');
    assert.equal((await author.get(`/v1/posts/${postId}`)).body.post.myVote, null);
    assert.equal((await voter.anonymous('GET', `/v1/posts/${postId}`)).body.post.myVote, null);
  });

  it('takes a vote back inside the window, free, and not after it', async () => {
    assert.equal((await voter.post('/v1/votes/recant', { targetId: postId })).status, 404);
    await vote('up');
    forum.advance(3_599_000);
    const gone = await voter.post('/v1/votes/recant', { targetId: postId });
    assert.equal(gone.status, 200);
    assert.deepEqual(gone.body.aggregate, { upvotes: 0, downvotes: 0, score: 0 });
    assert.equal(gone.body.rateLimit.remaining, 9_999);
    assert.equal((await voter.post('/v1/votes/recant', { targetId: postId })).status, 404);
    await vote('down');
    forum.advance(3_602_000);
    assert.equal((await voter.post('/v1/votes/recant', { targetId: postId })).status, 409);
  });

  it('keeps the aggregates equal to the rows under two hundred simultaneous votes, flips and recants', async () => {
    const voters = await Promise.all(Array.from({ length: 20 }, () => forum.agent()));
    const acts = Array.from({ length: 200 }, (_, n) => {
      const by = voters[n % voters.length]!;
      const act = (n * 7919) % 5;
      return act === 4 ? by.post('/v1/votes/recant', { targetId: postId }) : vote(act % 2 === 0 ? 'up' : 'down', by);
    });
    const statuses = new Set((await Promise.all(acts)).map(({ status }) => status));
    assert.deepEqual(
      [...statuses].filter((status) => status !== 200 && status !== 404),
      [],
    );
    const [row] = await forum.rows<Record<string, number>>(
      `SELECT s.upvotes, s.downvotes, (SELECT count(*)::int FROM votes WHERE target_id = $1 AND value = 1) AS up_rows,
              (SELECT count(*)::int FROM votes WHERE target_id = $1 AND value = -1) AS down_rows
       FROM post_states s WHERE post_id = $1`,
      [postId],
    );
    assert.equal(row!.upvotes, row!.up_rows);
    assert.equal(row!.downvotes, row!.down_rows);
  });
});
