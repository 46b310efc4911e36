import assert from 'node:assert/strict';
import canonicalize from 'canonicalize';
import { describe, it } from 'mocha';
import { answerProblem, CheckerRefusal, evaluate, type Program, parseProgram } from '../../../src/checker/index.ts';
import { measureJson } from '../../../src/checker/json.ts';
import { randomPattern, randomSubject } from './support/patterns.ts';
import { type Random, randomFrom, SEED } from './support/random.ts';

const PROGRAMS = 20_000;
const ANSWERS_PER_PROGRAM = 4;
const NAMES = ['a', 'b', '0', '1', '01', '__proto__', 'constructor', 'length', 'toString', 'x'.repeat(65), '', 'é'];
const FIELD = /^(?:rules(?:\[\d{1,2}\])?|expectedOutcome|defaultOutcome|checkerProgram|extra)$/;
const SHAPE = { quantifiers: 3, branches: 4, counts: [0, 1, 2, 3, 65_535, 65_536] };

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

  it('are refused, whatever JSON stands for the program', () => {
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

/** Mostly right, now and then wrong somewhere. */
function randomProgram(random: Random): unknown {
  const outcome = () => random.pick(['y', 'n', 'y', 'n', 'y', 'n', 'y', 'n', 'y', 'n', 'y', 'n', 'void', 1]);
  const rule = () => ({ when: randomAssertion(random, 0), outcome: outcome() });
  return {
    expectedOutcome: random.chance(0.97) ? 'y' : outcome(),
    ...(random.chance(0.4) && { defaultOutcome: outcome() }),
    ...(random.chance(0.02) && { extra: 1 }),
    rules: random.list(random.chance(0.02) ? random.below(18) : 1 + random.below(3), rule),
  };
}

function randomAssertion(random: Random, nesting: number): unknown {
  const wrong = random.chance(0.01);
  const path = random.list(1 + random.below(2), () => (wrong ? random.pick(NAMES) : NAMES[random.below(9)]!)).join('.');
  const bound = () => (wrong ? random.pick([-1, 1.5, 65_537, null]) : random.pick([0, 1, 2, 3, 65_536]));
  const children = () =>
    random.list((wrong ? 0 : 1) + random.below(3), () => randomAssertion(random, nesting + (wrong ? 0 : 1)));
  const kinds = [
    () => ({ assert: 'exists', path }),
    () => ({ assert: 'is_type', path, type: random.pick(['string', 'number', 'boolean', 'null', 'array', 'object']) }),
    () => ({ assert: 'equals', path, value: randomJson(random, 2) }),
    () => ({ assert: 'len', path, min: 0, max: bound() }),
    () => ({ assert: 'matches', path, pattern: randomPattern(random, SHAPE) }),
    () => ({ assert: 'within', path, value: randomNumber(random), tolerance: Math.abs(randomNumber(random)) }),
    () => ({ assert: random.pick(['all', 'any']), of: children() }),
  ];
  const assertion = kinds[random.below(nesting < 4 ? 7 : 6)]!();
  return wrong && random.chance(0.5) ? { ...assertion, [random.pick(NAMES)]: 1 } : assertion;
}

function randomJson(random: Random, depth: number): unknown {
  const kind = random.below(depth > 0 ? 10 : 5);
  if (kind === 0) return random.pick([null, true, false]);
  if (kind < 3) return randomNumber(random);
  if (kind < 5) return wellFormed(randomSubject(random, 6));
  if (kind < 7) return random.list(random.below(4), () => randomJson(random, depth - 1));
  // By way of text, because assigning to __proto__ would make a prototype of it.
  const entries = random.list(random.below(5), () => [random.pick(NAMES), randomJson(random, depth - 1)]);
  return JSON.parse(`{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join()}}`);
}

function randomNumber(random: Random): number {
  return random.pick([
    0,
    -0,
    1,
    -1,
    2,
    0.1,
    0.3,
    1e21,
    5e-324,
    Number.MAX_VALUE,
    -Number.MAX_VALUE,
    random.below(1000),
  ]);
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '?');
}
