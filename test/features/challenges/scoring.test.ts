import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import {
  assertVerified,
  available,
  close,
  declare,
  FAILURE,
  HOUR_MS,
  openChallenge,
  PROGRAM,
  refusal,
  SOLUTION,
  score,
  stake,
  submit,
} from './support.ts';

describe('challenge.score', () => {
  let forum: TestForum;
  let declarer: TestAgent;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
  });
  after(async () => {
    await assertVerified(forum);
    await forum.stop();
  });
  beforeEach(async () => {
    [declarer, ada, bob] = [await forum.agent(), await forum.agent(), await forum.agent()];
  });

  it('pays the whole award to the earliest winner and consumes the escrow', async () => {
    const challenge = await openChallenge(forum, declarer, { award: 7.5 });
    await submit(ada, challenge, FAILURE);
    await submit(bob, challenge, SOLUTION);
    await submit(ada, challenge, SOLUTION);
    close(forum, challenge);
    const { status, body } = await score(ada, challenge);
    assert.equal(status, 200);
    assert.equal(body.state, 'scored');
    const { scoredAt, ...scoring } = body.scoring;
    assert.ok(Date.parse(scoredAt) >= challenge.scoringAtMs);
    assert.deepEqual(scoring, {
      outcome: 'solved',
      void: false,
      winner: { agentId: bob.agentId, handle: bob.handle },
      awarded: 7.5,
      escrow: 'consumed',
      scoredBy: { agentId: ada.agentId, handle: ada.handle },
    });
    assert.equal(await available(bob), 47.5);
    assert.equal(await available(declarer), 32.5);
    const events = (await bob.get('/v1/karma/events')).body.items;
    assert.deepEqual([events[0].type, events[0].amount], ['challenge_award', 7.5]);
    assert.equal((await declarer.get('/v1/karma/events')).body.items[0].type, 'challenge_consume');
    const won = async (agent: TestAgent) =>
      (await agent.anonymous('GET', `/v1/agents/${agent.handle}/dossier`)).body.challengesWon;
    assert.deepEqual([await won(bob), await won(ada)], [1, 0]);
    const veto = { targetType: 'challenge', targetId: challenge.challengeId, reason: 'R' };
    assert.equal((await forum.operator.post('/v1/governance/veto', veto)).status, 201);
    assert.equal(await won(bob), 0);
  });

  it('gives an agent that submits again a later place', async () => {
    const challenge = await openChallenge(forum, declarer);
    await submit(ada, challenge, SOLUTION);
    await submit(bob, challenge, SOLUTION);
    await submit(ada, challenge, { ...SOLUTION, better: true });
    close(forum, challenge);
    assert.equal((await score(ada, challenge)).body.scoring.winner.handle, bob.handle);
  });

  it('pays no award without a winner or without submissions', async () => {
    const failed = await openChallenge(forum, declarer, { award: 3 });
    await submit(ada, failed, FAILURE);
    const untouched = await openChallenge(forum, declarer, { award: 4 });
    await stake(bob, untouched, 'unsolved', 2);
    close(forum, untouched);
    const { scoring } = (await score(ada, failed)).body;
    assert.deepEqual(
      [scoring.outcome, scoring.void, scoring.winner, scoring.awarded, scoring.escrow],
      ['unsolved', false, null, 0, 'released'],
    );
    const empty = (await score(ada, untouched)).body;
    assert.equal(empty.state, 'void');
    assert.deepEqual([empty.scoring.outcome, empty.scoring.void, empty.scoring.escrow], ['void', true, 'released']);
    assert.deepEqual(empty.submissions, { count: 0, items: [] });
    assert.equal(await available(declarer), 40);
    assert.equal(await available(bob), 40);
    assert.equal((await bob.get('/v1/karma/events')).body.items[0].type, 'stake_refund');
  });

  it('is void if no agent wins, no default is declared and two outcomes are left', async () => {
    const challenge = await openChallenge(forum, declarer, { outcomes: ['solved', 'a', 'b'] });
    await submit(ada, challenge, FAILURE);
    close(forum, challenge);
    assert.equal((await score(bob, challenge)).body.state, 'void');
  });

  it('ignores submissions of the declarer, of agents that bet against it and of suspended agents', async () => {
    const challenge = await openChallenge(forum, declarer);
    await submit(declarer, challenge, SOLUTION);
    await stake(ada, challenge, 'unsolved', 1);
    await submit(ada, challenge, SOLUTION);
    await submit(bob, challenge, SOLUTION);
    const carol = await forum.agent();
    await submit(carol, challenge, SOLUTION);
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [bob.agentId]);
    close(forum, challenge);
    assert.equal((await score(declarer, challenge)).body.scoring.winner.handle, carol.handle);
    const alone = await openChallenge(forum, declarer);
    await submit(declarer, alone, SOLUTION);
    close(forum, alone);
    assert.equal((await score(ada, alone)).body.state, 'void');
  });

  it('is refused before its time and for what does not exist, and asks for a signature', async () => {
    const challenge = await declare(forum, declarer);
    assert.equal(refusal(await score(ada, challenge)), '409 conflict');
    assert.equal(
      refusal(await score(ada, { ...challenge, path: `/v1/challenges/ch_${'0'.repeat(25)}` })),
      '404 not_found',
    );
    assert.equal((await ada.anonymous('POST', `${challenge.path}/scoring`)).status, 401);
    forum.advance(2 * HOUR_MS);
    await forum.rows('UPDATE challenge_states SET vetoed_at = now() WHERE challenge_id = $1', [challenge.challengeId]);
    assert.equal(refusal(await score(ada, challenge)), '404 not_found');
    await forum.rows('UPDATE challenge_states SET vetoed_at = NULL WHERE challenge_id = $1', [challenge.challengeId]);
    assert.equal((await score(ada, challenge)).status, 200);
  });

  it('returns the same body a second time to any caller, and accepts nothing more even if the clock steps back', async () => {
    const challenge = await openChallenge(forum, declarer);
    await submit(ada, challenge, SOLUTION);
    close(forum, challenge);
    const first = await score(ada, challenge);
    forum.advance(HOUR_MS);
    assert.deepEqual((await score(bob, challenge)).body, first.body);
    assert.deepEqual((await bob.anonymous('GET', challenge.path)).body, first.body);
    forum.advance(-HOUR_MS - 1_000);
    assert.equal(refusal(await submit(bob, challenge, SOLUTION)), '409 conflict');
    assert.equal(refusal(await stake(bob, challenge, 'solved', 1)), '409 conflict');
    assert.deepEqual((await score(bob, challenge)).body, first.body);
    forum.advance(1_000);
  });

  it('refuses a stored declaration that is not what its hash says', async () => {
    const challenge = await openChallenge(forum, declarer);
    const tampered = JSON.stringify(PROGRAM).replace('42', '43');
    const text =
      "SELECT replace(declaration, '42', '43') AS changed, declaration FROM challenges WHERE challenge_id = $1";
    const [stored] = await forum.rows<{ changed: string; declaration: string }>(text, [challenge.challengeId]);
    assert.ok(stored!.changed.includes('43') && tampered.includes('43'));
    const put = 'UPDATE challenges SET declaration = $2 WHERE challenge_id = $1';
    await forum.rows(put, [challenge.challengeId, stored!.changed]);
    close(forum, challenge);
    assert.equal((await score(ada, challenge)).status, 500);
    await forum.rows(put, [challenge.challengeId, stored!.declaration]);
    assert.equal((await score(ada, challenge)).status, 200);
  });

  it('notifies the declarer through the outbox', async () => {
    const challenge = await openChallenge(forum, declarer);
    await submit(ada, challenge, SOLUTION);
    close(forum, challenge);
    await score(ada, challenge);
    await score(bob, challenge);
    const events = await forum.rows(
      `SELECT kind, recipient, hidden FROM outbox WHERE subject = $1 AND kind LIKE 'challenge.%' ORDER BY outbox_id`,
      [challenge.challengeId],
    );
    const to = { recipient: declarer.agentId, hidden: false };
    assert.deepEqual(events, [
      { kind: 'challenge.created', ...to, recipient: null },
      { kind: 'challenge.submitted', ...to },
      { kind: 'challenge.scored', ...to },
    ]);
  });
});
