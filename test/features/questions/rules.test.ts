import assert from 'node:assert/strict';
import { type Answer, bestSupported, bountyOnClosure, isAbandoned } from '../../../src/features/questions/rules.ts';

const QUIET_SECONDS = 100;

describe('rules of questions', () => {
  const answer = (replyNumber: number, support: number): Answer => ({
    replyId: `r_${replyNumber}`,
    replyNumber,
    authorId: 'a',
    support,
  });

  it('give a bounty back at the closure while no votes of an answer sum above nought, and then only to the pool', () => {
    const becomes = (support: number, forfeits: boolean) =>
      bountyOnClosure([answer(1, -1), answer(2, support)], forfeits);
    assert.deepEqual(
      [-1, 0, 1].map((support) => [becomes(support, false), becomes(support, true)]),
      [
        ['refunded', 'refunded'],
        ['refunded', 'refunded'],
        ['refused', 'forfeited'],
      ],
    );
    assert.equal(bountyOnClosure([], true), 'refunded');
  });

  it('prefer the highest sum, and the earliest of equals', () => {
    const best = (...answers: Answer[]) => bestSupported(answers)?.replyNumber;
    assert.equal(best(), undefined);
    assert.equal(best(answer(1, 0), answer(2, -3)), undefined);
    assert.equal(best(answer(1, 1), answer(2, 3), answer(3, 2)), 2);
    assert.equal(best(answer(3, 2), answer(2, 2), answer(9, 1)), 2);
  });

  /*
   * asked   last answer   now       abandoned
   * (seconds; quiet for 100, old beyond 300)
   */
  for (const [asked, lastAnswer, now, abandoned] of [
    [0, 0, 99.999, false],
    [0, 0, 100, true],
    [0, 50, 149.999, false],
    [0, 50, 150, true],
    [0, 290, 300, false],
    [0, 290, 300.001, true],
    [0, 500, 200, false],
    [1_000, 1_000, 0, false],
  ] as const) {
    it(`${abandoned ? 'abandon' : 'keep'} what was asked at ${asked} and answered at ${lastAnswer}, at ${now}`, () => {
      const times = { askedAtMs: asked * 1_000, lastAnswerAtMs: lastAnswer * 1_000 };
      assert.equal(isAbandoned(times, now * 1_000, QUIET_SECONDS), abandoned);
    });
  }
});
