import assert from 'node:assert/strict';
import {
  decideOutcomes,
  mayVote,
  type Outcome,
  type Tally,
  tallyReason,
} from '../../../../src/features/governance/amendments/rules.ts';

/** Minutes from some time on. */
const minute = (n: number): Date => new Date(1_700_000_000_000 + n * 60_000);

const TALLY: Tally = {
  postId: 'p_a',
  baseVersion: 1,
  votesFor: 3,
  votesAgainst: 0,
  quorum: 3,
  closesAt: minute(0),
  isRemoved: false,
  isBaseReplaced: false,
};

const outcomes = (...due: Partial<Tally>[]): string[] =>
  decideOutcomes(due.map((each, index) => ({ ...TALLY, postId: `p_${index}`, ...each }))).map(
    ({ postId, outcome }) => `${postId} ${outcome}`,
  );

describe('the outcome of an amendment by the rules', () => {
  const alone: [Partial<Tally>, Outcome, string][] = [
    [{ votesFor: 3, quorum: 3 }, 'ratified', 'the quorum, all for it'],
    [{ votesFor: 2, quorum: 3 }, 'rejected', 'one vote short of the quorum'],
    [{ votesFor: 2, votesAgainst: 1, quorum: 3 }, 'ratified', 'exactly two thirds'],
    [{ votesFor: 4, votesAgainst: 2, quorum: 3 }, 'ratified', 'two thirds again'],
    [{ votesFor: 3, votesAgainst: 2, quorum: 3 }, 'rejected', 'most, but not two thirds'],
    [{ votesFor: 665, votesAgainst: 333, quorum: 3 }, 'rejected', 'a vote short of two thirds of 998'],
    [{ votesFor: 666, votesAgainst: 333, quorum: 3 }, 'ratified', 'two thirds of 999'],
    [{ votesFor: 1, votesAgainst: 2, quorum: 3 }, 'rejected', 'votes against make the quorum too'],
    [{ votesFor: 0, quorum: 1 }, 'rejected', 'nobody voted'],
    [{ isRemoved: true }, 'rejected', 'its post stands removed'],
    [{ isBaseReplaced: true }, 'superseded', 'another was ratified and is stored'],
    [{ isBaseReplaced: true, votesFor: 0 }, 'superseded', 'the same, whatever its own votes'],
  ];
  for (const [tally, outcome, reason] of alone) {
    it(`is ${outcome}: ${reason}`, () => assert.deepEqual(outcomes(tally), [`p_0 ${outcome}`]));
  }

  it('is that of the first to end which passes, and nothing of those after it', () => {
    assert.deepEqual(
      outcomes(
        { closesAt: minute(3) },
        { closesAt: minute(2) },
        { closesAt: minute(1), votesFor: 1 },
        { closesAt: minute(4), votesFor: 1 },
        { closesAt: minute(0), isRemoved: true },
      ),
      ['p_4 rejected', 'p_2 rejected', 'p_1 ratified', 'p_0 superseded', 'p_3 superseded'],
    );
  });

  it('follows the ids where ends are equal', () => {
    assert.deepEqual(outcomes({ postId: 'p_b' }, { postId: 'p_a' }), ['p_a ratified', 'p_b superseded']);
  });

  it('is each version for itself', () => {
    assert.deepEqual(outcomes({ baseVersion: 1 }, { baseVersion: 2 }), ['p_0 ratified', 'p_1 ratified']);
  });

  it('is the same whether the earlier ones are stored or not', () => {
    const all = [0, 1, 2, 3].map((n) => ({ ...TALLY, postId: `p_${n}`, closesAt: minute(n), votesFor: n }));
    const together = decideOutcomes([...all, { ...TALLY, postId: 'p_4', closesAt: minute(4) }]);
    for (let stored = 0; stored < together.length; stored++) {
      const isBaseReplaced = together.slice(0, stored).some(({ outcome }) => outcome === 'ratified');
      const rest = decideOutcomes(together.slice(stored).map((tally) => ({ ...tally, isBaseReplaced })));
      assert.deepEqual(
        rest.map(({ outcome }) => outcome),
        together.slice(stored).map(({ outcome }) => outcome),
      );
    }
  });

  it('is shown with its figures', () => {
    const reason = tallyReason({ ...TALLY, votesFor: 4, votesAgainst: 2, baseVersion: 7, quorum: 5 });
    assert.equal(reason, '4 for and 2 against version 7; the quorum was 5.');
  });

  it('is shown with the removal that rejected it, for any votes', () => {
    const [removed] = decideOutcomes([{ ...TALLY, isRemoved: true }]);
    assert.equal(removed!.outcome, 'rejected');
    assert.equal(tallyReason(removed!), '3 for and 0 against version 1; the quorum was 3. The proposal was removed.');
  });
});

describe('a vote on an amendment', () => {
  it('is for agents that registered before the proposal', () => {
    const proposedAt = minute(1);
    assert.ok(mayVote({ registeredAt: minute(0), proposedAt }, 0));
    assert.ok(!mayVote({ registeredAt: minute(1), proposedAt }, 0));
    assert.ok(!mayVote({ registeredAt: minute(2), proposedAt }, 0));
  });

  it('needs the voter’s registration to be as old as the setting at the proposal', () => {
    const proposedAt = minute(10);
    assert.ok(mayVote({ registeredAt: minute(0), proposedAt }, 600));
    assert.ok(!mayVote({ registeredAt: minute(1), proposedAt }, 600));
  });
});
