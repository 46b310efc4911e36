import type { Random } from './random.ts';

/**
 * Characters that engines treat differently. They are ASCII around the edges of `\d` and `\w`, everything near `\s` and
 * the line terminators, letters that case folding would join, and halves of astral characters.
 */
const UNITS = [
  ...'aaabbbcAZz_09',
  ...' -],&~/@`{[^\\|.$',
  ...'\0\t\n\v\f\r\x1f\x7f\x85\xa0\xe9\u017f\u1680\u180e\u200a\u200b\u2028\u2029\u202f\u205f\u212a\u3000\ufeff\ufffe\uffff',
  ...['\ud83d', '\ude00', '\ud83d\ude00', '\ud83d\ude01', '\ud800', '\udfff'],
];

const SETS = ['.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S'];
const SYNTAX = /[\^$\\.*+?()[\]{}|]/;

/** What a random pattern may hold at most; V8 has to finish, so long subjects go with few quantifiers. */
export interface PatternShape {
  readonly quantifiers: number;
  readonly branches: number;
  readonly counts: readonly number[];
}

/** A random pattern of the admitted sub-grammar, but for quantified atoms that may turn out adjacent. */
export function randomPattern(random: Random, shape: PatternShape): string {
  const left = { quantifiers: shape.quantifiers, branches: shape.branches };
  const quantifier = () => {
    if (left.quantifiers === 0 || random.chance(0.6)) return '';
    left.quantifiers -= 1;
    const [low, high] = [random.pick(shape.counts), random.pick(shape.counts)].sort((a, b) => a - b);
    return random.pick(['*', '+', '?', `{${low}}`, `{${low},}`, `{${low},${high}}`]) + (random.chance(0.2) ? '?' : '');
  };
  const term = (nesting: number): string => {
    const kind = random.below(20);
    if (kind < 2) return random.pick(['^', '$', '\\b', '\\B']);
    if (kind < 5 && nesting < 3 && left.branches > 0) {
      return `${random.pick(['(', '(?:'])}${branches(nesting + 1)})`;
    }
    const literal = random.pick(UNITS);
    if (literal.length === 2 && kind < 7) return literal;
    return randomAtom(random, kind) + quantifier();
  };
  const branches = (nesting: number): string => {
    const count = Math.min(left.branches, random.pick([1, 1, 2, 3]));
    left.branches -= count;
    const branch = () => random.list(random.pick([0, 1, 1, 2, 2, 3, 4]), () => term(nesting)).join('');
    return random.list(Math.max(1, count), branch).join('|');
  };
  return branches(0);
}

/** A random subject out of the same characters, with runs where `longest` leaves room for them. */
export function randomSubject(random: Random, longest: number): string {
  const length = random.below(longest + 1);
  const favourites = random.list(2, () => random.pick(UNITS));
  let subject = '';
  while (subject.length < length) {
    const unit = random.chance(0.7) ? random.pick(favourites) : random.pick(UNITS);
    subject += unit.repeat(random.chance(0.3) ? 1 + random.below(length) : 1);
  }
  return subject.slice(0, length);
}

function randomAtom(random: Random, kind: number): string {
  if (kind < 9) return random.pick(SETS);
  if (kind < 13) return randomClass(random);
  return randomUnit(random, SYNTAX);
}

/** One code unit in one of its spellings; bare only if it is whole and not in `special`. */
function randomUnit(random: Random, special: RegExp): string {
  const unit = random.pick(UNITS)[0]!;
  const code = unit.charCodeAt(0);
  const hex = code.toString(16).padStart(4, '0');
  const spellings = [`\\u${hex}`];
  if (code < 256) spellings.push(`\\x${hex.slice(2).toUpperCase()}`);
  if (/[!-/:-@[-`{-~]/.test(unit)) spellings.push(`\\${unit}`);
  const control = ['\0', '\t', '\n', '\v', '\f', '\r'].indexOf(unit);
  if (control > 0) spellings.push(`\\${'0tnvfr'[control]}`);
  const isBare = !special.test(unit) && (code & 0xf800) !== 0xd800;
  return isBare && random.chance(0.8) ? unit : random.pick(spellings);
}

function randomClass(random: Random): string {
  const unit = () => randomUnit(random, /[[\]\\^-]/);
  const member = () => {
    const kind = random.below(10);
    if (kind < 2) return random.pick(SETS.slice(1));
    if (kind > 5) return unit();
    const ends = [unit(), unit()].sort((a, b) => codeOf(a) - codeOf(b));
    return ends.join('-');
  };
  const members = random.list(1 + random.below(3), member).join('');
  const [first, last] = [random.chance(0.1) ? '-' : '', random.chance(0.1) ? '-' : ''];
  return `[${random.chance(0.3) ? '^' : ''}${first}${members}${last}]`;
}

function codeOf(spelling: string): number {
  const hex = /^\\[xu](.+)$/.exec(spelling)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  const control = '0tnvfr'.indexOf(spelling[1] ?? '-');
  return control >= 0 ? [0, 9, 10, 11, 12, 13][control]! : spelling.charCodeAt(spelling.length - 1);
}
