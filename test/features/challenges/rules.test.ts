import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  areOutcomes,
  type Deciding,
  decide,
  isAwardEligible,
  stakeable,
  stakeRefusal,
  stateOf,
} from '../../../src/features/challenges/rules.ts';

const NOBODY = { isDeclarer: false, submitted: false, backedOutcome: null, backedMicro: 0n };

describe('challenge rules', () => {
  it('compute the state from the clock, which stored facts win over', () => {
    const facts = { stakingOpensAtMs: 1_000, scoringAtMs: 2_000, settledAs: null };
    const states = [999, 1_000, 1_999, 2_000].map((now) => stateOf(facts, now));
    assert.deepEqual(states, ['declared', 'open', 'open', 'scoring_due']);
    for (const now of [0, 1_500, 9_999]) {
      assert.equal(stateOf({ ...facts, settledAs: 'scored' }, now), 'scored');
      assert.equal(stateOf({ ...facts, settledAs: 'void' }, now), 'void');
    }
  });

  const winner = { agentId: 'w', win: true };
  const loser = { agentId: 'l', win: false };
  const table: [string[], string | undefined, Deciding, string, string | null][] = [
    [['y', 'n'], undefined, winner, 'y', 'w'],
    [['y', 'n', 'm'], 'm', winner, 'y', 'w'],
    [['y', 'n', 'm'], 'm', loser, 'm', null],
    [['y', 'n'], undefined, loser, 'n', null],
    [['y', 'n'], 'y', loser, 'n', null],
    [['y', 'n', 'm'], 'y', loser, 'void', null],
    [['y', 'n', 'm'], undefined, loser, 'void', null],
    [['y', 'n'], 'n', null, 'void', null],
    [['y', 'n', 'm'], 'm', null, 'void', null],
  ];
  for (const [outcomes, defaultOutcome, deciding, outcome, winnerId] of table) {
    const who = deciding === null ? 'nobody' : deciding.win ? 'a winner' : 'a loser';
    it(`give ${outcome} for ${outcomes.join('/')}, default ${defaultOutcome}, and ${who}`, () => {
      const decision = decide({ outcomes, expectedOutcome: 'y', defaultOutcome }, deciding);
      assert.deepEqual(decision, { settledAs: outcome === 'void' ? 'void' : 'scored', outcome, winnerId });
    });
  }

  it('do not let failing submissions change the outcome of an unsolved challenge, of any author', () => {
    const outcomes = fc.uniqueArray(fc.constantFrom('y', 'a', 'b', 'c', 'd'), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(outcomes, fc.nat(9), fc.string(), fc.string(), (all, pick, first, second) => {
        const expectedOutcome = all[0]!;
        const declared = { outcomes: all, expectedOutcome, defaultOutcome: all[pick] };
        const one = decide(declared, { agentId: first, win: false });
        assert.deepEqual(one, decide(declared, { agentId: second, win: false }));
        assert.notEqual(one.outcome, expectedOutcome);
        assert.equal(one.winnerId, null);
      }),
    );
  });

  it('decide which stakes each agent may place', () => {
    const refused = (change: object, outcome = 'y', micro = 1n, state = 'open' as const) =>
      stakeRefusal(state, { ...NOBODY, ...change }, { outcome, micro, expectedOutcome: 'y' });
    assert.equal(refused({}), null);
    assert.equal(refused({ isDeclarer: true }), 'forbidden');
    assert.equal(refused({ submitted: true }), null);
    assert.equal(refused({ submitted: true }, 'n'), 'forbidden');
    assert.equal(refused({ backedOutcome: 'n', backedMicro: 1n }), 'conflict');
    assert.equal(refused({ backedOutcome: 'y', backedMicro: 49_999_999n }), null);
    assert.equal(refused({ backedOutcome: 'y', backedMicro: 50_000_000n }), 'conflict');
    for (const state of ['declared', 'scoring_due', 'scored', 'void'] as const) {
      const involved = { ...NOBODY, isDeclarer: false };
      assert.equal(stakeRefusal(state, involved, { outcome: 'y', micro: 1n, expectedOutcome: 'y' }), 'conflict');
    }
  });

  it('let neither the declarer nor an agent that bets against it win', () => {
    assert.equal(isAwardEligible(NOBODY, 'y'), true);
    assert.equal(isAwardEligible({ ...NOBODY, backedOutcome: 'y' }, 'y'), true);
    assert.equal(isAwardEligible({ ...NOBODY, backedOutcome: 'n' }, 'y'), false);
    assert.equal(isAwardEligible({ ...NOBODY, isDeclarer: true }, 'y'), false);
  });

  it('bound amounts and outcomes', () => {
    assert.equal(stakeable(50), 50_000_000n);
    assert.equal(stakeable(0.000001), 1n);
    for (const amount of [0, -1, 50.000001, 0.0000001, 1.0000001, Number.NaN]) assert.equal(stakeable(amount), null);
    assert.equal(areOutcomes(['a', 'b']), true);
    for (const bad of [['a'], ['a', 'a'], ['a', 'void'], ['a', 'B'], ['a', '']]) assert.equal(areOutcomes(bad), false);
  });
});
