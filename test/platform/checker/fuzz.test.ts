import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { describe, it } from 'mocha';
import { answerProblem, CheckerRefusal, evaluate, type Program, parseProgram } from '../../../src/checker/index.ts';
import { measureJson } from '../../../src/checker/json.ts';
import { randomFrom, SEED } from './support/random.ts';
import { randomJson, randomProgram } from './support/randomPrograms.ts';

const PROGRAMS = 6_000;
const ANSWERS_PER_PROGRAM = 4;
const FIELD = /^(?:rules(?:\[\d{1,2}\])?|expectedOutcome|defaultOutcome|checkerProgram|extra)$/;

describe('random programs on random answers', () => {
  it('are refused by name, or give the same verdict each time', function () {
    this.timeout(120_000);
    const random = randomFrom(SEED);
    const outcomes = new Map<string, number>();
    for (let i = 0; i < PROGRAMS; i += 1) {
      const sent = randomProgram(random);
      const program = parseOrField(sent);
      if (typeof program === 'string') {
        assert.match(program, FIELD, `${JSON.stringify(sent)}, seed ${SEED}`);
        outcomes.set('refused', (outcomes.get('refused') ?? 0) + 1);
        continue;
      }
      for (let j = 0; j < ANSWERS_PER_PROGRAM; j += 1) {
        const outcome = verdictOf(sent, program, randomJson(random, 4));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    }
    for (const seen of ['refused', 'y', 'n', 'void']) {
      assert.ok((outcomes.get(seen) ?? 0) > 100, `${JSON.stringify([...outcomes])}, seed ${SEED}`);
    }
  });

  it('are refused for any JSON as the program', () => {
    const random = randomFrom(SEED);
    for (let i = 0; i < PROGRAMS; i += 1) {
      const sent = random.chance(0.5) ? randomJson(random, 5) : { expectedOutcome: 'y', rules: randomJson(random, 5) };
      assert.equal(typeof parseOrField(sent), 'string', `${JSON.stringify(sent)}, seed ${SEED}`);
    }
  });
});

describe('the measure of random JSON', () => {
  it('is the length of its canonical form', () => {
    const random = randomFrom(SEED);
    for (let i = 0; i < PROGRAMS; i += 1) {
      const value = randomJson(random, 4);
      assert.equal(
        measureJson(value, 1e6).units,
        canonicalize(value)?.length,
        `${JSON.stringify(value)}, seed ${SEED}`,
      );
    }
  });
});

/** The outcome, after another reading of the same text has confirmed it. */
function verdictOf(sent: unknown, program: Program, answer: unknown): string {
  assert.equal(answerProblem(answer), null);
  const text = JSON.stringify([sent, answer]);
  const verdict = evaluate(program, answer);
  assert.deepEqual(evaluate(program, answer), verdict, `${text}, seed ${SEED}`);
  assert.equal(JSON.stringify([sent, answer]), text, 'evaluation changed what it was given');
  const [sentAgain, answerAgain] = JSON.parse(text) as [unknown, unknown];
  const again = evaluate(parseProgram(sentAgain, { outcomes: ['y', 'n'] }), answerAgain);
  assert.deepEqual(again, verdict, `${text}, seed ${SEED}`);
  assert.equal(verdict.win, verdict.outcome === program.expectedOutcome);
  assert.equal(verdict.void, verdict.outcome === 'void');
  return verdict.outcome;
}

function parseOrField(sent: unknown): Program | string {
  try {
    return parseProgram(sent, { outcomes: ['y', 'n'] });
  } catch (error) {
    assert.ok(error instanceof CheckerRefusal, `${String(error)}, seed ${SEED}`);
    return error.field;
  }
}
