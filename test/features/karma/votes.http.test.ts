import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertVerified } from '../../support/verify.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { DAY_MS, figures, newestEvents, vote } from '../questions/support/scenes.ts';

describe('votes and karma', () => {
  let forum: TestForum;
  let author: TestAgent;
  let voter: TestAgent;
  before(async () => {
    forum = await startForum({ env: { KARMA_VOTES_PER_PAIR: '3', KARMA_VOTES_PER_AUTHOR: '4' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [author, voter] = [await forum.agent(), await forum.agent()];
  });
  afterEach(() => assertVerified(forum));

  const post = async (more: object = {}): Promise<string> =>
    (await author.post('/v1/posts', { title: 'Vote', body: 'x', ...more })).body.post.postId;
  const recant = (targetId: string) => voter.post('/v1/votes/recant', { targetId });
  const eventOf = async (targetId: string, value: 'up' | 'down' = 'up', by = voter) =>
    (await vote(by, targetId, value)).body.karmaEvent;

  it('mints 1 for a vote up; the receipt names the event that the author sees', async () => {
    const event = await eventOf(await post());
    assert.deepEqual([event.type, event.amount], ['vote_up', 1]);
    assert.deepEqual(await figures(author), [41, 41, 0]);
    assert.equal((await author.get('/v1/karma/events')).body.items[0].eventId, event.eventId);
  });

  it('never takes a vote down from the starter grant, and one that moved nothing has no event', async () => {
    assert.equal(await eventOf(await post(), 'down'), null);
    assert.deepEqual(await figures(author), [40, 40, 0]);
  });

  it('reverses before it flips, and shows the new vote, or the reversal when that moved nothing', async () => {
    const [first, second] = [await post(), await post()];
    await vote(voter, first);
    const bare = await eventOf(first, 'down');
    assert.deepEqual([bare.type, bare.amount], ['vote_reversal', -1]);
    await vote(voter, second);
    await vote(await forum.agent(), second);
    const flipped = await eventOf(second, 'down');
    assert.deepEqual([flipped.type, flipped.amount], ['vote_down', -1]);
    assert.deepEqual(await newestEvents(author, 4), [
      ['vote_up', 1, 0],
      ['vote_up', 1, 0],
      ['vote_reversal', -1, 0],
      ['vote_down', -1, 0],
    ]);
    assert.deepEqual(await figures(author), [40, 40, 0]);
  });

  it('takes back the remainder of a recanted vote', async () => {
    const target = await post();
    // One minute before midnight, so that a day passes inside the window.
    forum.advance(DAY_MS - 60_000 - (forum.api.clock.now() % DAY_MS));
    await vote(voter, target);
    forum.advance(120_000);
    const { karmaEvent } = (await recant(target)).body;
    assert.deepEqual([karmaEvent.type, karmaEvent.amount], ['vote_reversal', -0.992327]);
    assert.deepEqual(await figures(author), [40, 40, 0]);
  });

  it('mints nothing for a vote on oneself, nor in an encrypted community', async () => {
    assert.equal(await eventOf(await post(), 'up', author), null);
    const slug = await community(author, 'encrypted');
    await author.post(`/v1/communities/${slug}/members`, { handle: voter.handle });
    const hidden = await post({ communitySlug: slug, body: await sealForMembers(author, slug) });
    const receipt = await vote(voter, hidden);
    assert.deepEqual(receipt.body.aggregate, { upvotes: 1, downvotes: 0, score: 1 });
    assert.equal(receipt.body.karmaEvent, null);
    assert.equal((await recant(hidden)).body.karmaEvent, null);
    assert.deepEqual(await newestEvents(author, 5), [['registration_grant', 40, 0]]);
  });

  it('limits how often one voter moves one author per day; the score counts all, and reversals always move', async () => {
    const targets: string[] = [];
    for (let n = 0; n < 4; n++) targets.push(await post());
    for (const target of targets.slice(0, 3)) assert.equal((await eventOf(target)).amount, 1);
    const beyond = await vote(voter, targets[3]!);
    assert.deepEqual([beyond.body.karmaEvent, beyond.body.aggregate.upvotes], [null, 1]);
    assert.equal((await recant(targets[3]!)).body.karmaEvent, null);
    assert.equal((await recant(targets[0]!)).body.karmaEvent.type, 'vote_reversal');
    assert.equal(await eventOf(targets[0]!), null);
    forum.advance(DAY_MS - 60_000);
    assert.equal(await eventOf(targets[3]!), null);
    forum.advance(61_000);
    await eventOf(targets[3]!, 'down');
    assert.equal((await eventOf(targets[3]!)).type, 'vote_up');
  });

  it('limits how often an author is moved per day in each direction, by all voters', async () => {
    const target = await post();
    const voters = await Promise.all(Array.from({ length: 6 }, () => forum.agent()));
    const events = await Promise.all(voters.slice(0, 5).map((by) => eventOf(target, 'up', by)));
    assert.equal(events.filter((event) => event !== null).length, 4);
    const down = await eventOf(target, 'down', voters[5]!);
    assert.deepEqual([down.type, down.amount], ['vote_down', -1]);
    assert.deepEqual(await figures(author), [43, 43, 0]);
    forum.advance(DAY_MS + 1_000);
    const next = await eventOf(target, 'up', voter);
    assert.deepEqual([next.type, next.amount], ['vote_up', 1]);
  });
});

describe('POST /v1/votes of a young agent', () => {
  const AGE_MS = 3_600_000;
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { KARMA_VOTER_AGE_SECONDS: String(AGE_MS / 1_000) } });
  });
  after(() => forum.stop());

  it('counts in the score and moves no karma until KARMA_VOTER_AGE_SECONDS after the registration', async () => {
    const [author, voter] = [await forum.agent(), await forum.agent()];
    const targets = await Promise.all(
      ['one', 'two'].map(async (title) => (await author.post('/v1/posts', { title, body: 'x' })).body.post.postId),
    );
    const early = (await vote(voter, targets[0], 'up')).body;
    assert.deepEqual([early.aggregate.score, early.karmaEvent], [1, null]);
    forum.advance(AGE_MS);
    const late = (await vote(voter, targets[1], 'up')).body;
    assert.deepEqual([late.aggregate.score, late.karmaEvent.type], [1, 'vote_up']);
    assert.deepEqual(await figures(author), [41, 41, 0]);
    await assertVerified(forum);
  });

  it('takes nothing back when it is recanted later', async () => {
    const [author, voter] = [await forum.agent(), await forum.agent()];
    const { postId } = (await author.post('/v1/posts', { title: 'three', body: 'x' })).body.post;
    await vote(voter, postId, 'up');
    assert.equal((await voter.post('/v1/votes/recant', { targetId: postId })).body.karmaEvent, null);
    assert.deepEqual(await figures(author), [40, 40, 0]);
  });
});
