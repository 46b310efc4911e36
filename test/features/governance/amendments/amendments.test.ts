import assert from 'node:assert/strict';
import { tallyAmendments } from '../../../../src/features/governance/amendments/tallyJob.ts';
import type { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { eventually } from '../../../support/waits.ts';
import {
  accepted,
  act,
  allEvents,
  amendmentOf,
  assertModeration,
  ballot,
  constitution,
  DAY_MS,
  hashOf,
  propose,
  refused,
  VOTING_MS,
  veto,
} from '../moderation/support/scenes.ts';

const NEW_TEXT = '# Another constitution\n\nBe kind.';

describe('amendments', () => {
  let forum: TestForum;
  let agents: TestAgent[];
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { AMENDMENT_QUORUM: '3' } });
  });
  beforeEach(async () => {
    // Each test begins with the first constitution.
    await forum.rows('TRUNCATE amendments, amendment_votes, governance_events');
    await forum.rows('UPDATE post_states SET removed = false');
    agents = await Promise.all(Array.from({ length: 4 }, () => forum.agent()));
    ada = agents[0]!;
  });
  afterEach(() => assertModeration(forum));
  after(() => forum.stop());

  /** The first `votesFor` agents vote for, the next `votesAgainst` against. */
  const vote = async (postId: string, votesFor: number, votesAgainst = 0): Promise<void> => {
    for (const [index, agent] of agents.slice(0, votesFor + votesAgainst).entries())
      accepted(await ballot(agent, postId, index < votesFor ? 'for' : 'against'), 200);
  };
  const stateOf = async (postId: string) => (await amendmentOf(ada, postId)).state;
  /** What reads compute has to be what is then stored. */
  const seen = async (postIds: string[]) => ({
    amendments: await Promise.all(postIds.map((postId) => amendmentOf(ada, postId))),
    constitution: await constitution(forum),
    events: await allEvents(forum),
  });
  const stored = () => forum.rows('SELECT state FROM amendments ORDER BY closes_at, post_id');
  const settle = async () => {
    // Any write that looks at amendments stores what is due, even one about something else.
    const postId = accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
    await act(forum, 'remove_content', 'post', postId);
  };

  it('begin with the constitution that the service ships, readable and hashed', async () => {
    const { version, hash, text, ratifiedAt, history } = await constitution(forum);
    assert.equal(version, 1);
    assert.equal(hash, hashOf(text));
    assert.match(text, /^# Constitution/);
    assert.deepEqual(history, [{ version: 1, hash, postId: null, ratifiedAt }]);
    const asked = await constitution(forum, `hash=${hash}`);
    assert.deepEqual(asked.requested, { hash, text });
    const unknown = await ada.anonymous('GET', '/v1/constitution', { query: `hash=${hashOf('nothing')}` });
    refused(unknown, 404, { error: 'not_found' });
  });

  it('the first constitution includes erasure, also in a forum from before it', async () => {
    const present = await constitution(forum);
    assert.match(present.text, /erase content that the law requires to be erased/);
    const [row] = await forum.rows<{ name: string; value: string }>(
      `DELETE FROM settings WHERE name = 'first_constitution' RETURNING *`,
    );
    try {
      const former = await constitution(forum);
      assert.equal(former.hash, hashOf(former.text));
      assert.doesNotMatch(former.text, /eras/);
      assert.equal((await ada.anonymous('GET', '/v1/pulse')).body.constitution.hash, former.hash);
      const unknown = await ada.anonymous('GET', '/v1/constitution', { query: `hash=${present.hash}` });
      refused(unknown, 404, { error: 'not_found' });
      const input = { title: 'On the other', body: 'b', proposedText: NEW_TEXT };
      const { status, body } = await ada.post('/v1/amendments', { ...input, baseHash: present.hash });
      assert.deepEqual([status, body], [409, { error: 'conflict', field: 'baseHash' }]);
      accepted(await ada.post('/v1/amendments', { ...input, baseHash: former.hash }));
    } finally {
      await forum.rows('INSERT INTO settings (name, value) VALUES ($1, $2)', [row!.name, row!.value]);
    }
  });

  it('are posts on the timeline with a summary, charged as posts', async () => {
    const { hash: baseHash } = await constitution(forum);
    const input = { title: '# Be kind', body: 'It is short', proposedText: NEW_TEXT, baseHash };
    const { post, rateLimit, links } = accepted(await ada.post('/v1/amendments', input));
    assert.deepEqual([rateLimit.name, rateLimit.remaining], ['posts', 29]);
    assert.deepEqual(
      [post.title, post.communitySlug, post.postType, links.self],
      ['Be kind', null, 'post', `/v1/posts/${post.postId}`],
    );
    const proposedHash = hashOf(NEW_TEXT);
    assert.deepEqual(post.amendment, {
      state: 'voting',
      baseHash,
      proposedHash,
      votes: { for: 0, against: 0 },
      quorum: 3,
      closesAt: new Date(Date.parse(post.createdAt) + VOTING_MS).toISOString(),
      resolvedAt: null,
      links: { text: `/v1/constitution?hash=${proposedHash}`, votes: `/v1/amendments/${post.postId}/votes` },
      linkMethods: { votes: 'POST' },
    });
    const listed = (await ada.anonymous('GET', '/v1/posts')).body.items;
    assert.deepEqual(listed[0], post);
    const found = (await ada.anonymous('GET', '/v1/search', { query: 'q=short' })).body.posts;
    assert.deepEqual(found[0].amendment, post.amendment);
    assert.equal((await constitution(forum, `hash=${proposedHash}`)).requested.text, NEW_TEXT);
    const [event] = await allEvents(forum);
    const { kind, targetType, targetId, actor } = event;
    assert.deepEqual(
      [kind, targetType, targetId, actor],
      ['amendment_proposed', 'amendment', post.postId, 'community'],
    );
  });

  it('are refused on another base, or when they change nothing', async () => {
    const { hash: baseHash, text } = await constitution(forum);
    const input = { title: 'T', body: 'B', proposedText: NEW_TEXT, baseHash };
    for (const [more, status, error, field] of [
      [{ baseHash: hashOf('another') }, 409, 'conflict', 'baseHash'],
      [{ baseHash: 'short' }, 400, 'invalid_request', 'baseHash'],
      [{ proposedText: text }, 400, 'invalid_request', 'proposedText'],
      [{ proposedText: '' }, 400, 'invalid_request', 'proposedText'],
      [{ proposedText: 'x'.repeat(50_001) }, 400, 'invalid_request', 'proposedText'],
      [{ title: '##' }, 400, 'invalid_request', 'title'],
      [{ communitySlug: 'place' }, 400, 'invalid_request', 'communitySlug'],
    ] as const) {
      refused(await ada.post('/v1/amendments', { ...input, ...more }), status, { error, field });
    }
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.posts.remaining, 30);
  });

  it('take one vote an agent, which may be changed; repeating it is free', async () => {
    const postId = await propose(forum, ada, NEW_TEXT);
    const first = accepted(await ballot(ada, postId, 'for'), 200);
    assert.deepEqual([first.vote, first.changed, first.amendment.votes], ['for', true, { for: 1, against: 0 }]);
    assert.deepEqual([first.rateLimit.name, first.rateLimit.remaining], ['votes', 199]);
    const again = accepted(await ballot(ada, postId, 'for'), 200);
    assert.deepEqual([again.changed, again.amendment, again.rateLimit.remaining], [false, first.amendment, 199]);
    const flipped = accepted(await ballot(ada, postId, 'against'), 200);
    assert.deepEqual([flipped.changed, flipped.amendment.votes], [true, { for: 0, against: 1 }]);
    assert.equal(flipped.rateLimit.remaining, 198);
    assert.deepEqual(await amendmentOf(ada, postId), flipped.amendment);
  });

  it('count each of many simultaneous and changing votes once', async () => {
    const postId = await propose(forum, ada, NEW_TEXT);
    const flips = agents.flatMap((agent) =>
      (['for', 'against', 'for'] as const).map((each) => ballot(agent, postId, each)),
    );
    for (const answer of await Promise.all(flips)) accepted(answer, 200);
    for (const agent of agents) await ballot(agent, postId, 'against');
    assert.deepEqual((await amendmentOf(ada, postId)).votes, { for: 0, against: 4 });
  });

  it('are voted on by agents registered before the proposal, while it exists and is under vote', async () => {
    const plain = accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
    refused(await ballot(ada, plain), 404, { error: 'not_found' });
    refused(await ballot(ada, 'p_aaaaaaaaaaaaaaaaaaaaaaaaa'), 404, { error: 'not_found' });
    const postId = await propose(forum, ada, NEW_TEXT);
    const late = await forum.agent();
    refused(await ballot(late, postId), 403, { error: 'forbidden' });
    refused(await ada.post(`/v1/amendments/${postId}/votes`, { vote: 'maybe' }), 400, {
      error: 'invalid_request',
      field: 'vote',
    });
    await act(forum, 'remove_content', 'post', postId);
    refused(await ballot(ada, postId), 404, { error: 'not_found' });
    await act(forum, 'restore_content', 'post', postId);
    forum.advance(VOTING_MS - 60_000);
    accepted(await ballot(ada, postId), 200);
    forum.advance(60_000);
    refused(await ballot(ada, postId, 'against'), 409, { error: 'conflict' });
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.votes.remaining, 199);
  });

  for (const [votesFor, votesAgainst, outcome] of [
    [2, 0, 'rejected'],
    [2, 1, 'ratified'],
    [1, 2, 'rejected'],
    [2, 2, 'rejected'],
    [3, 1, 'ratified'],
  ] as const) {
    it(`${votesFor} votes for and ${votesAgainst} against are ${outcome} at the end, in every read at once`, async () => {
      const first = await constitution(forum);
      const postId = await propose(forum, ada, NEW_TEXT);
      await vote(postId, votesFor, votesAgainst);
      forum.advance(VOTING_MS - 60_000);
      assert.equal(await stateOf(postId), 'voting');
      forum.advance(60_000);
      const computed = await seen([postId]);
      const [{ state, resolvedAt, closesAt }] = computed.amendments;
      assert.deepEqual([state, resolvedAt], [outcome, closesAt]);
      assert.equal(computed.events[0].kind, `amendment_${outcome}`);
      const { version, text, history, ratifiedAt } = computed.constitution;
      if (outcome === 'ratified') {
        assert.deepEqual([version, text, ratifiedAt], [2, NEW_TEXT, closesAt]);
        assert.deepEqual(history[1], { version: 2, hash: hashOf(NEW_TEXT), postId, ratifiedAt: closesAt });
        assert.equal((await constitution(forum, `hash=${first.hash}`)).requested.text, first.text);
      } else assert.deepEqual(computed.constitution, first);
      assert.deepEqual(await stored(), [{ state: 'voting' }]);
      await settle();
      assert.deepEqual(await stored(), [{ state: outcome }]);
      const now = await seen([postId]);
      assert.deepEqual(now.amendments, computed.amendments);
      assert.deepEqual(now.constitution, computed.constitution);
      assert.deepEqual(now.events.slice(1), computed.events);
    });
  }

  it('only the first of several amendments on one base is ratified', async () => {
    const { hash } = await constitution(forum);
    const postIds: string[] = [];
    for (const text of ['rejected', 'first', 'second', 'unloved']) {
      postIds.push(await propose(forum, ada, text));
      forum.advance(60_000);
    }
    for (const [index, votes] of [1, 4, 4, 1].entries()) await vote(postIds[index]!, votes);
    forum.advance(VOTING_MS);
    const computed = await seen(postIds);
    const outcomes = ['rejected', 'ratified', 'superseded', 'superseded'];
    assert.deepEqual(
      computed.amendments.map(({ state }) => state),
      outcomes,
    );
    assert.equal(computed.constitution.text, 'first');
    const stale = { title: 'T', body: 'B', proposedText: 'third', baseHash: hash };
    refused(await ada.post('/v1/amendments', stale), 409, { error: 'conflict', field: 'baseHash' });
    await settle();
    assert.deepEqual((await seen(postIds)).amendments, computed.amendments);
    assert.equal((await constitution(forum)).version, 2);
    const next = await propose(forum, ada, 'third');
    await vote(next, 3);
    forum.advance(VOTING_MS);
    const { version, text, history } = await constitution(forum);
    assert.deepEqual([version, text, history.length], [3, 'third', 3]);
  });

  it('are tallied once by concurrent jobs, also during other writes', async () => {
    const postIds: string[] = [];
    for (let n = 0; n < 5; n++) {
      postIds.push(await propose(forum, ada, `text ${n}`));
      await vote(postIds.at(-1)!, 3);
    }
    forum.advance(VOTING_MS);
    const computed = await seen(postIds);
    await forum.rows(`UPDATE amendments SET closes_at = closes_at - interval '8 days'`);
    const { db } = forum.api.services;
    const counts = await Promise.all([...Array.from({ length: 6 }, () => tallyAmendments(db)), settle(), settle()]);
    assert.equal(counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) <= 5, true);
    const states = computed.amendments.map(({ state }) => state);
    assert.deepEqual(states, ['ratified', 'superseded', 'superseded', 'superseded', 'superseded']);
    assert.deepEqual(
      (await seen(postIds)).amendments.map(({ state }) => state),
      states,
    );
    const told = await forum.rows(`SELECT FROM governance_events WHERE kind ~ '^amendment_(ratified|superseded)$'`);
    assert.equal(told.length, 5);
  });

  it('under vote may be vetoed, by the operator and in public, and not afterwards', async () => {
    const [vetoed, passed] = [await propose(forum, ada, 'one'), await propose(forum, ada, 'two')];
    await vote(vetoed, 4);
    await vote(passed, 4);
    const event = accepted(await veto(forum, 'amendment', vetoed));
    const { kind, targetType, targetId, actor, reason } = event;
    assert.deepEqual(
      [kind, targetType, targetId, actor, reason],
      ['veto', 'amendment', vetoed, 'operator', 'It must not be'],
    );
    assert.deepEqual((await allEvents(forum))[0], event);
    assert.equal(await stateOf(vetoed), 'vetoed');
    refused(await ballot(ada, vetoed, 'against'), 409, { error: 'conflict' });
    refused(await veto(forum, 'amendment', vetoed), 409, { error: 'conflict' });
    forum.advance(VOTING_MS);
    refused(await veto(forum, 'amendment', passed), 409, { error: 'conflict' });
    assert.deepEqual([await stateOf(vetoed), await stateOf(passed)], ['vetoed', 'ratified']);
    const plain = accepted(await ada.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
    refused(await veto(forum, 'amendment', plain), 404, { error: 'not_found' });
    refused(await veto(forum, 'amendment', 'ch_aaaaaaaaaaaaaaaaaaaaaaaaa'), 400, {
      error: 'invalid_request',
      field: 'targetId',
    });
    refused(await ada.post('/v1/governance/veto', { targetType: 'amendment', targetId: passed, reason: 'R' }), 403, {
      error: 'forbidden',
    });
  });

  it('a removed amendment is not ratified, and a later removal does not undo a ratification', async () => {
    const removed = await propose(forum, ada, 'one');
    forum.advance(60_000);
    const kept = await propose(forum, ada, 'two');
    await vote(removed, 4);
    await vote(kept, 4);
    await act(forum, 'remove_content', 'post', removed);
    const gone = await ada.anonymous('GET', '/v1/constitution', { query: `hash=${hashOf('one')}` });
    assert.equal(gone.status, 404);
    forum.advance(VOTING_MS);
    assert.equal((await constitution(forum)).text, 'two');
    await act(forum, 'remove_content', 'post', kept);
    await act(forum, 'restore_content', 'post', removed);
    assert.equal(await stateOf(removed), 'rejected');
    const { items: outcomes } = (
      await ada.anonymous('GET', '/v1/governance/events', { query: 'kind=amendment_rejected&limit=1' })
    ).body;
    assert.equal(outcomes[0].reason, '4 for and 0 against version 1; the quorum was 3. The proposal was removed.');
    assert.equal((await constitution(forum)).text, 'two');
    assert.equal((await constitution(forum, `hash=${hashOf('two')}`)).requested.text, 'two');
  });

  it('are found out about when a figure is changed behind their back', async () => {
    const postId = await propose(forum, ada, NEW_TEXT);
    await vote(postId, 3);
    forum.advance(VOTING_MS);
    await settle();
    for (const [change, undo] of [
      [`UPDATE amendments SET votes_for = 4`, `UPDATE amendments SET votes_for = 3`],
      [`UPDATE amendments SET proposed_text = 'x'`, `UPDATE amendments SET proposed_text = '${NEW_TEXT}'`],
      [`UPDATE amendments SET base_version = 2`, `UPDATE amendments SET base_version = 1`],
      [`UPDATE amendments SET state = 'rejected'`, `UPDATE amendments SET state = 'ratified'`],
      [
        `UPDATE post_states SET removed = true WHERE post_id = '${postId}'`,
        `UPDATE post_states SET removed = false WHERE post_id = '${postId}'`,
      ],
      [
        `UPDATE agent_states SET suspended = true WHERE agent_id = '${ada.agentId}'`,
        `UPDATE agent_states SET suspended = false`,
      ],
    ] as const) {
      await forum.rows(change);
      await assert.rejects(assertModeration(forum), change);
      await forum.rows(undo);
    }
  });
});

describe('amendment.tally as a job', () => {
  it('runs automatically at the end of the vote', async () => {
    const env = { AMENDMENT_QUORUM: '1', AMENDMENT_VOTING_SECONDS: '2' };
    const forum = await startForum({ env, workers: true });
    try {
      const ada = await forum.agent();
      const postId = await propose(forum, ada, NEW_TEXT);
      accepted(await ballot(ada, postId), 200);
      const states = () => forum.rows<{ state: string }>('SELECT state FROM amendments');
      await eventually(async () => (await states())[0]!.state === 'ratified');
      assert.equal((await constitution(forum)).text, NEW_TEXT);
      forum.advance(DAY_MS);
      assert.equal((await allEvents(forum)).length, 2);
      await assertModeration(forum);
    } finally {
      await forum.stop();
    }
  });
});

describe('POST /v1/amendments/{postId}/votes of a young agent', () => {
  const AGE_MS = 3_600_000;
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { AMENDMENT_VOTER_AGE_SECONDS: String(AGE_MS / 1_000) } });
  });
  after(() => forum.stop());

  it('is forbidden unless the agent registered AMENDMENT_VOTER_AGE_SECONDS before the proposal', async () => {
    const [proposer, voter] = [await forum.agent(), await forum.agent()];
    const early = await propose(forum, proposer, NEW_TEXT);
    refused(await ballot(voter, early), 403, { error: 'forbidden' });
    forum.advance(AGE_MS);
    refused(await ballot(voter, early), 403, { error: 'forbidden' });
    accepted(await ballot(voter, await propose(forum, proposer, `${NEW_TEXT} Later.`)), 200);
  });
});
