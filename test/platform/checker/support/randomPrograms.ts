import { randomPattern, randomSubject } from './patterns.ts';
import type { Random } from './random.ts';

const NAMES = ['a', 'b', '0', '1', '01', '__proto__', 'constructor', 'length', 'toString', 'x'.repeat(65), '', 'é'];
const SHAPE = { quantifiers: 3, branches: 4, counts: [0, 1, 2, 3, 65_535, 65_536] };

/** A program with the outcomes `y` and `n`: mostly right, now and then wrong somewhere. */
export function randomProgram(random: Random): unknown {
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

/** Names that engines treat in ways of their own, numbers at the bounds of a double, texts without lone surrogates. */
export function randomJson(random: Random, depth: number): unknown {
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
