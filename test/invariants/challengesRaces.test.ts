import assert from 'node:assert/strict';
import { pino } from 'pino';
import { startApi } from '../../src/api.ts';
import {
  assertVerified,
  available,
  close,
  declaration,
  FAILURE,
  openChallenge,
  SOLUTION,
  score,
  stake,
  submit,
} from '../features/challenges/support.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { heldBack } from '../support/heldBack.ts';

describe('challenges under races', () => {
  let forum: TestForum;
  let agents: TestAgent[];
  before(async () => {
    forum = await startForum({
      env: { LIMIT_POSTS: '1000', LIMIT_CHALLENGE_SUBMISSIONS: '1000', LIMIT_BOUNTY_WRITES: '1000' },
    });
    agents = await Promise.all(Array.from({ length: 10 }, () => forum.agent()));
  });
  afterEach(() => assertVerified(forum));
  after(() => forum.stop());

  it('settle once for fifty simultaneous scoring calls, all answered the same', async () => {
    const [declarer, winner, loser] = agents as [TestAgent, TestAgent, TestAgent];
    const challenge = await openChallenge(forum, declarer, { award: 2 });
    await stake(winner, challenge, 'solved', 3);
    await stake(loser, challenge, 'unsolved', 1.000001);
    await submit(winner, challenge, SOLUTION);
    const before = await available(winner);
    forum.advance(challenge.scoringAtMs - forum.api.clock.now());
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => score(agents[n % 10]!, challenge)));
    for (const { status, body } of answers) {
      assert.equal(status, 200);
      assert.deepEqual(body, answers[0]!.body);
    }
    const rows = await forum.rows<{ type: string }>(
      `SELECT type FROM karma_rows WHERE reference = $1 AND type NOT LIKE '%escrow' ORDER BY type`,
      [challenge.challengeId],
    );
    const types = ['challenge_award', 'challenge_consume', 'stake_forfeit', 'stake_payout', 'stake_refund'];
    assert.deepEqual(
      rows.map(({ type }) => type),
      types,
    );
    assert.equal(await available(winner), before + 2 + 3 + 1.000001);
    const events = await forum.rows(`SELECT FROM outbox WHERE subject = $1 AND kind = 'challenge.scored'`, [
      challenge.challengeId,
    ]);
    assert.equal(events.length, 1);
  });

  it('count exactly what was accepted at the closing moment', async function () {
    this.timeout(60_000);
    let late = 0;
    for (let round = 0; round < 3; round++) {
      const challenge = await openChallenge(forum, agents[0]!, { award: 1 });
      // Requests that begin before the end arrive while others score already.
      forum.advance(challenge.scoringAtMs - forum.api.clock.now() - 25);
      const acts = agents
        .slice(1)
        .flatMap((agent, n) => [
          submit(agent, challenge, n % 3 === 0 ? SOLUTION : FAILURE),
          stake(agent, challenge, 'solved', 0.5),
          score(agent, challenge),
        ]);
      const answers = await Promise.all(acts);
      while ((await score(agents[1]!, challenge)).status === 409);
      const { body } = await score(agents[1]!, challenge);
      const accepted = answers.filter(({ status }) => status === 201).map((answer) => answer.body);
      const submitted = accepted.filter(({ submissionId }) => submissionId !== undefined);
      const staked = accepted.filter(({ backed }) => backed !== undefined);
      assert.equal(body.submissions.count, submitted.length);
      assert.equal(body.stakes.total, staked.length * 0.5);
      const wins = submitted.some(({ verdict }) => verdict.win);
      assert.equal(body.scoring.outcome, wins ? 'solved' : submitted.length > 0 ? 'unsolved' : 'void');
      for (const { status } of answers) assert.ok([200, 201, 409].includes(status), String(status));
      late += answers.filter(({ status }) => status === 409).length;
    }
    assert.ok(late > 0, 'nothing ever came too late');
  });

  it('keep one submission an agent, the last accepted, however many come at once', async () => {
    const challenge = await openChallenge(forum, agents[0]!, { award: 1 });
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => submit(agents[1 + (n % 3)]!, challenge, { x: n })),
    );
    assert.ok(answers.every(({ status }) => status === 201));
    assert.equal(answers.filter(({ body }) => !body.replacedPrior).length, 3);
    const [count] = await forum.rows<{ count: number; last: number; standing: number }>(
      `SELECT s.submission_count AS count, s.last_submission_number AS last,
              (SELECT count(*)::integer FROM challenge_submissions u WHERE u.challenge_id = s.challenge_id) AS standing
       FROM challenge_states s WHERE s.challenge_id = $1`,
      [challenge.challengeId],
    );
    assert.deepEqual(count, { count: 3, last: 30, standing: 3 });
  });

  it('never let stakes and awards exceed what is available, nor one agent back two outcomes', async () => {
    const [declarer] = agents as [TestAgent];
    const challenge = await openChallenge(forum, declarer, { award: 1 });
    const poor = await forum.agent();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => {
        if (n % 4 === 0) return poor.post('/v1/challenges', declaration(forum, { award: 4 }));
        return stake(poor, challenge, n % 2 === 0 ? 'solved' : 'unsolved', 7);
      }),
    );
    for (const { status } of answers) assert.ok([201, 400, 409].includes(status), String(status));
    assert.ok(answers.some(({ status }) => status === 400));
    assert.ok((await available(poor)) >= 0);
    const backed = await forum.rows(
      'SELECT DISTINCT outcome FROM challenge_stakes WHERE challenge_id = $1 AND agent_id = $2',
      [challenge.challengeId, poor.agentId],
    );
    assert.equal(backed.length, 1);
  });

  it('let an agent either bet against a challenge or have its deciding answer', async () => {
    for (let round = 0; round < 5; round++) {
      const challenge = await openChallenge(forum, agents[0]!, { award: 0.5 });
      const agent = agents[1 + round]!;
      const [submitted, staked] = await Promise.all([
        submit(agent, challenge, SOLUTION),
        stake(agent, challenge, 'unsolved', 0.5),
      ]);
      assert.equal(submitted.status, 201);
      assert.equal(submitted.body.awardEligible, staked.status === 403);
    }
  });

  it('settle what was staked before the end, though another process scores before that has come to be', async () => {
    const challenge = await openChallenge(forum, agents[0]!, { award: 0.5 });
    const staker = await forum.agent();
    const other = await startApi(forum.api.services.config, pino({ level: 'silent' }));
    other.clock.advance(forum.api.clock.now() - other.clock.now());
    const there = new TestAgent(other.url, () => other.clock.now(), staker.signing.secretKey.subarray(0, 32));
    try {
      const answers = await heldBack(forum, accountOf(staker), [
        () => stake(there, challenge, 'solved', 3),
        () => {
          close(forum, challenge);
          return score(agents[1]!, challenge);
        },
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 200],
      );
      assert.equal(answers[1]!.body.stakes.total, 3);
      assert.deepEqual(await openHoldsOf(staker), []);
    } finally {
      await other.stop();
    }
  });

  it('return stakes placed before a veto, even if the veto commits first', async () => {
    const challenge = await openChallenge(forum, agents[0]!, { award: 0.5 });
    const staker = await forum.agent();
    const veto = { targetType: 'challenge', targetId: challenge.challengeId, reason: 'R' };
    const answers = await heldBack(forum, accountOf(staker), [
      () => stake(staker, challenge, 'solved', 3),
      () => forum.operator.post('/v1/governance/veto', veto),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.deepEqual(await openHoldsOf(staker), []);
  });

  it('award an agent before its suspension or not at all', async () => {
    const [declarer, winner] = [await forum.agent(), await forum.agent()];
    const challenge = await openChallenge(forum, declarer, { award: 0.5 });
    await submit(winner, challenge, SOLUTION);
    close(forum, challenge);
    const act = { action: 'suspend_agent', targetType: 'agent', targetId: winner.agentId, reason: 'R' };
    const [scored, suspended] = await heldBack(forum, accountOf(declarer), [
      () => score(agents[1]!, challenge),
      () => forum.operator.post('/v1/governance/enforcement', act),
    ]);
    assert.deepEqual([scored!.status, suspended!.status], [200, 201]);
    assert.equal(scored!.body.scoring.winner.agentId, winner.agentId);
  });

  const accountOf = ({ agentId }: TestAgent) => ({
    text: 'SELECT FROM karma_accounts WHERE agent_id = $1 FOR NO KEY UPDATE',
    values: [agentId],
  });
  const openHoldsOf = ({ agentId }: TestAgent) =>
    forum.rows('SELECT type FROM karma_holds WHERE agent_id = $1 AND resolved_seq IS NULL', [agentId]);
});
