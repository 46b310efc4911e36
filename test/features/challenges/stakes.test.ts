import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import {
  assertVerified,
  available,
  close,
  declare,
  FAILURE,
  give,
  openChallenge,
  refusal,
  SOLUTION,
  score,
  stake,
  submit,
} from './support.ts';

interface Vector {
  stakes: { id: string; outcome: 'y' | 'n'; micro: string }[];
  outcome: 'y' | 'n' | 'void';
  refund: boolean;
  winnings: Record<string, string>;
  dust: string;
}
const VECTORS = JSON.parse(readFileSync(new URL('../../vectors/stakes.json', import.meta.url), 'utf8')) as Vector[];
const YES_OR_NO = {
  outcomes: ['y', 'n'],
  checkerProgram: {
    expectedOutcome: 'y',
    rules: [{ when: { assert: 'equals', path: 'x', value: 42 }, outcome: 'y' }],
  },
};

describe('challenge.stake', () => {
  let forum: TestForum;
  let declarer: TestAgent;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [declarer, ada] = [await forum.agent(), await forum.agent()];
  });

  it('escrows the amount and shows the sums', async () => {
    const challenge = await openChallenge(forum, declarer);
    const { status, body } = await stake(ada, challenge, 'solved', 1.5);
    assert.equal(status, 201);
    assert.equal(body.rateLimit.name, 'bountyWrites');
    assert.equal(body.backed, 1.5);
    const stakes = {
      total: 1.5,
      byOutcome: { solved: { amount: 1.5, stakers: 1 }, unsolved: { amount: 0, stakers: 0 } },
    };
    assert.deepEqual(body.stakes, stakes);
    assert.deepEqual((await ada.get(challenge.path)).body.stakes, stakes);
    const more = await stake(ada, challenge, 'solved', 0.000001);
    assert.equal(more.body.backed, 1.500001);
    assert.deepEqual(more.body.stakes.byOutcome.solved, { amount: 1.500001, stakers: 1 });
    const bob = await forum.agent();
    await stake(bob, challenge, 'unsolved', 2);
    assert.deepEqual((await ada.get(challenge.path)).body.stakes, {
      total: 3.500001,
      byOutcome: { solved: { amount: 1.500001, stakers: 1 }, unsolved: { amount: 2, stakers: 1 } },
    });
    assert.equal(await available(ada), 38.499999);
    const events = (await ada.get('/v1/karma/events')).body.items;
    assert.deepEqual(
      events.slice(0, 2).map((event: { type: string; reference: string }) => [event.type, event.reference]),
      Array(2).fill(['stake_escrow', challenge.challengeId]),
    );
    await assertVerified(forum);
  });

  it('is refused as the rules say, and then costs nothing', async () => {
    const early = await declare(forum, declarer);
    assert.equal(refusal(await stake(ada, early, 'solved', 1)), '409 conflict');
    const challenge = await openChallenge(forum, declarer);
    assert.equal(refusal(await stake(declarer, challenge, 'solved', 1)), '403 forbidden');
    assert.equal(refusal(await stake(ada, challenge, 'other', 1)), '400 invalid_request outcome');
    assert.equal(refusal(await stake(ada, challenge, 'void', 1)), '400 invalid_request outcome');
    for (const amount of [0, -1, 50.1, 0.0000001]) {
      assert.equal(refusal(await stake(ada, challenge, 'solved', amount)), '400 invalid_request amount');
    }
    assert.equal(refusal(await stake(ada, challenge, 'solved', 41)), '400 insufficient_karma');
    const unknown = { ...challenge, path: `/v1/challenges/ch_${'0'.repeat(25)}` };
    assert.equal(refusal(await stake(ada, unknown, 'solved', 1)), '404 not_found');
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.bountyWrites.remaining, 20);
    assert.equal(await available(ada), 40);
    await stake(ada, challenge, 'unsolved', 1);
    assert.equal(refusal(await stake(ada, challenge, 'solved', 1)), '409 conflict');
    close(forum, challenge);
    assert.equal(refusal(await stake(ada, challenge, 'unsolved', 1)), '409 conflict');
    await score(ada, challenge);
    assert.equal(refusal(await stake(ada, challenge, 'unsolved', 1)), '409 conflict');
    await assertVerified(forum);
  });

  it('is possible for the expected outcome only, once there is an answer', async () => {
    const challenge = await openChallenge(forum, declarer);
    await submit(ada, challenge, FAILURE);
    assert.equal(refusal(await stake(ada, challenge, 'unsolved', 1)), '403 forbidden');
    assert.equal((await stake(ada, challenge, 'solved', 1)).status, 201);
  });

  it('is at most 50 in all on one challenge', async () => {
    await give(forum, ada, 100);
    const challenge = await openChallenge(forum, declarer);
    assert.equal((await stake(ada, challenge, 'solved', 30)).status, 201);
    assert.equal(refusal(await stake(ada, challenge, 'solved', 20.000001)), '409 conflict');
    assert.equal((await stake(ada, challenge, 'solved', 20)).status, 201);
    assert.equal((await stake(ada, await openChallenge(forum, declarer), 'solved', 50)).status, 201);
  });

  for (const [index, vector] of VECTORS.entries()) {
    it(`settles vector ${index} to the micro-karma`, async () => {
      const challenge = await openChallenge(forum, declarer, YES_OR_NO);
      const agents = new Map<string, TestAgent>();
      for (const { id, outcome, micro } of vector.stakes) {
        const agent = agents.get(id) ?? (await forum.agent());
        agents.set(id, agent);
        assert.equal((await stake(agent, challenge, outcome, Number(micro) / 1e6)).status, 201);
      }
      // A submission that wins or fails brings the outcome about; none at all makes it void.
      if (vector.outcome !== 'void')
        await submit(await forum.agent(), challenge, vector.outcome === 'y' ? SOLUTION : FAILURE);
      const pool = async () =>
        BigInt((await forum.rows<{ p: string }>('SELECT release.karma_pool_balance() AS p'))[0]!.p);
      const poolBefore = await pool();
      close(forum, challenge);
      const { body } = await score(ada, challenge);
      assert.equal(body.scoring.outcome, vector.outcome);
      for (const [id, agent] of agents) {
        const own = vector.stakes.filter((each) => each.id === id).reduce((sum, { micro }) => sum + BigInt(micro), 0n);
        const lost = !vector.refund && vector.winnings[id] === undefined;
        const change = lost ? -own : BigInt(vector.winnings[id] ?? 0);
        assert.equal(await available(agent), Number(40_000_000n + change) / 1e6, id);
      }
      const consumed = body.scoring.escrow === 'consumed' ? 5_000_000n : 0n;
      assert.equal((await pool()) - poolBefore - consumed, BigInt(vector.dust));
      await assertVerified(forum);
    });
  }
});
