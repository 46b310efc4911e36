import assert from 'node:assert/strict';
import {
  assertVerified,
  available,
  close,
  MINUTE_MS,
  type OpenChallenge,
  openChallenge,
  SOLUTION,
  score,
  stake,
  submit,
} from '../features/challenges/support.ts';
import { act, assertModeration, enforce, veto } from '../features/governance/moderation/support/scenes.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';

const ROUNDS = 6;
const DAY_MS = 86_400_000;

/**
 * A removal that races with other writes refunds or pays each hold exactly once (docs/governance#what-the-acts-do).
 */
describe('removing a challenge under races', () => {
  let forum: TestForum;
  let declarer: TestAgent;
  let agents: TestAgent[];
  before(async () => {
    forum = await startForum({
      env: { LIMIT_POSTS: '1000', LIMIT_CHALLENGE_SUBMISSIONS: '1000', LIMIT_BOUNTY_WRITES: '1000' },
    });
    // Rounds take minutes of the forum's clock, and at midnight everybody's karma would decay.
    forum.advance(DAY_MS - (forum.api.clock.now() % DAY_MS));
    declarer = await forum.agent();
    agents = await Promise.all(Array.from({ length: 6 }, () => forum.agent()));
  });
  afterEach(async () => {
    await assertVerified(forum);
    await assertModeration(forum);
  });
  after(() => forum.stop());

  const remove = ({ challengeId }: OpenChallenge): Promise<Answer> =>
    enforce(forum, 'remove_content', { targetType: 'challenge', targetId: challengeId });
  const balances = () => Promise.all([declarer, ...agents].map(available));
  const openHolds = async ({ challengeId }: OpenChallenge) =>
    (await forum.rows('SELECT FROM karma_holds WHERE reference = $1 AND resolved_seq IS NULL', [challengeId])).length;
  const stateOf = async ({ challengeId }: OpenChallenge) => {
    const text = 'SELECT settled_as, winner_id, removed FROM challenge_states WHERE challenge_id = $1';
    return (
      await forum.rows<{ settled_as: string; winner_id: string | null; removed: boolean }>(text, [challengeId])
    )[0];
  };

  it('frees what was staked before it, and lets nothing be staked or submitted after it', async () => {
    const before = await balances();
    for (let round = 0; round < ROUNDS; round++) {
      const challenge = await openChallenge(forum, declarer, { award: 2 });
      const acts = agents.flatMap((agent, n) => [
        stake(agent, challenge, n % 2 === 0 ? 'solved' : 'unsolved', 1.5),
        submit(agent, challenge, SOLUTION),
      ]);
      const [removed, ...answers] = await Promise.all([remove(challenge), ...acts]);
      assert.equal(removed!.status, 201);
      for (const { status } of answers) assert.ok([201, 403, 404].includes(status), String(status));
      assert.deepEqual(await stateOf(challenge), { settled_as: 'void', winner_id: null, removed: true });
      assert.equal(await openHolds(challenge), 0);
    }
    assert.deepEqual(await balances(), before);
  });

  it('goes before or after a scoring, never half of each', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const challenge = await openChallenge(forum, declarer, { award: 1 });
      const [winner, loser] = agents as [TestAgent, TestAgent];
      await stake(winner, challenge, 'solved', 2);
      await stake(loser, challenge, 'unsolved', 1);
      await submit(winner, challenge, SOLUTION);
      const before = await available(winner);
      close(forum, challenge);
      const [answer, removed] = await Promise.all([score(loser, challenge), remove(challenge)]);
      assert.equal(removed.status, 201);
      const state = (await stateOf(challenge))!;
      const wasScored = state.settled_as === 'scored';
      assert.equal(wasScored, answer.status === 200, String(answer.status));
      assert.equal(await available(winner), before + 2 + (wasScored ? 2 : 0));
      assert.equal(await openHolds(challenge), 0);
      forum.advance(MINUTE_MS);
    }
  });

  it('beside a veto gives everything back once, and what is vetoed is never restored', async () => {
    const before = await balances();
    for (let round = 0; round < ROUNDS; round++) {
      const challenge = await openChallenge(forum, declarer, { award: 1 });
      for (const agent of agents.slice(0, 3)) await stake(agent, challenge, 'solved', 1);
      const { challengeId } = challenge;
      const answers = await Promise.all([
        remove(challenge),
        veto(forum, 'challenge', challengeId),
        remove(challenge),
        veto(forum, 'challenge', challengeId),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 201, 409, 409],
      );
      assert.equal(await openHolds(challenge), 0);
      const target = { targetType: 'challenge', targetId: challengeId };
      assert.equal((await enforce(forum, 'restore_content', target)).status, 409);
    }
    assert.deepEqual(await balances(), before);
  });

  it('is undone and done again without moving anything', async () => {
    const challenge = await openChallenge(forum, declarer, { award: 1 });
    await stake(agents[0]!, challenge, 'solved', 1);
    assert.equal((await remove(challenge)).status, 201);
    const before = await balances();
    const rows = async () => (await forum.rows('SELECT FROM karma_rows')).length;
    const moved = await rows();
    for (const action of ['restore_content', 'remove_content', 'restore_content'])
      await act(forum, action, 'challenge', challenge.challengeId);
    assert.equal((await score(agents[1]!, challenge)).body.state, 'void');
    assert.deepEqual([await balances(), await rows()], [before, moved]);
  });
});
