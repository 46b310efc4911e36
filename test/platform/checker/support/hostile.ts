import { measureJson } from '../../../../src/checker/json.ts';

/** An admissible program, as sent, and an admissible answer, chosen to cost as much as they can. */
export interface HostileCase {
  readonly name: string;
  readonly program: { expectedOutcome: string; defaultOutcome: string; rules: unknown[] };
  readonly answer: unknown;
}

const MAX_NODES = 64;
const MAX_RULES_UNITS = 8192;

/** The cases, each with as many assertions as the limits let in, none of which holds, so that all are evaluated. */
export function hostileCases(): HostileCase[] {
  const run = { a: 'a'.repeat(4096) };
  const astral = { a: '😀'.repeat(4096) };
  const mixed = { a: Array.from({ length: 4096 }, (_, i) => String.fromCodePoint(0x1f300 + (i % 700))).join('') };
  const distinct = { a: Array.from({ length: 4096 }, (_, i) => String.fromCharCode(0x3400 + i)).join('') };
  const many = { a: Array.from({ length: 8 }, (_, i) => '😀'.repeat(4080) + i) };
  const wide = { a: Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`k${i}`, 0])) };
  return [
    patternCase('a star before every letter', run, 256, () => cut('^', '.*a', '\u0001')),
    patternCase('a star before every letter, many short patterns', run, 80, () => cut('^', '.*a', '\u0001', 80)),
    patternCase('lazy stars over astral characters', astral, 256, () => cut('', '[^a]*?.', '\u0001')),
    patternCase('copies of one choice', run, 256, () => cut('', '(?:a|a)', '\u0001')),
    patternCase('nested choices', run, 256, () => `${'(a|'.repeat(16)}${'a'.repeat(150)}${')'.repeat(16)}\u0001`),
    patternCase('empty branches', astral, 256, () => cut('(', '|', ')\u0001')),
    patternCase('large counts', astral, 256, () => cut('', '.{4095}.', '\u0001')),
    patternCase('counts that open wide', astral, 256, () => cut('', '.{0,4095}.', '\u0001')),
    patternCase('odd counts that open wide', run, 256, () => cut('', 'a{1,2048}a', '\u0001')),
    patternCase('counts with no upper end', run, 256, () => cut('', 'a{99,}.', '\u0001')),
    patternCase('small counts', run, 256, () => cut('', 'a{3,5}a', '\u0001')),
    patternCase('every class another one', astral, 256, (seed) => classes(seed, (letter) => `[^${letter}]`)),
    patternCase('every class another one, quantified', mixed, 256, (seed) => classes(seed, (c) => `[^${c}]*.`)),
    patternCase('every class another one, on distinct units', distinct, 256, (seed) =>
      classes(seed, (c) => `[${c}-𐀀]`.replace('𐀀', '\ud7ff')),
    ),
    patternCase('every letter another one', distinct, 256, (seed) => classes(seed, (c) => c)),
    patternCase('word boundaries', run, 256, () => cut('', '\\B', '\u0001')),
    patternCase('another subject for each assertion', many, 200, () => cut('', '.*\\B.', '\u0001', 200), 8),
    patternCase('another subject and other classes', many, 200, (seed) => classes(seed, (c) => `[^${c}]+.`, 200), 8),
    leafCase('an empty literal against a wide object', wide, () => ({ assert: 'equals', path: 'a', value: {} })),
    leafCase('a literal that is nearly there', wide, () => ({
      assert: 'equals',
      path: 'a',
      value: { k0: 0, k5999: 0 },
    })),
    leafCase('the length of a long string', { a: 'x'.repeat(65_000) }, () => ({
      assert: 'len',
      path: 'a',
      min: 1,
      max: 2,
    })),
    leafCase('a subject over the limit', { a: 'x'.repeat(65_000) }, () => ({
      assert: 'matches',
      path: 'a',
      pattern: 'x',
    })),
    leafCase('a subject just over the limit', { a: '😀'.repeat(4097) }, () => ({
      assert: 'matches',
      path: 'a',
      pattern: '.',
    })),
  ];
}

function patternCase(
  name: string,
  answer: unknown,
  length: number,
  pattern: (seed: number) => string,
  subjects = 0,
): HostileCase {
  const path = (seed: number) => (subjects === 0 ? 'a' : `a.${seed % subjects}`);
  const leaf = (seed: number) => ({
    assert: 'matches',
    path: path(seed),
    pattern: [...pattern(seed)].slice(0, length).join(''),
  });
  return leafCase(name, answer, leaf);
}

function leafCase(name: string, answer: unknown, leaf: (seed: number) => unknown): HostileCase {
  let rules: unknown[] = [];
  for (let leaves = 1; leaves + Math.ceil(leaves / 16) <= MAX_NODES; leaves += 1) {
    const next = inRules(Array.from({ length: leaves }, (_, seed) => leaf(seed)));
    if (measureJson(next, MAX_RULES_UNITS).units > MAX_RULES_UNITS) break;
    rules = next;
  }
  return { name, program: { expectedOutcome: 'y', defaultOutcome: 'n', rules }, answer };
}

function inRules(leaves: unknown[]): unknown[] {
  const rules: unknown[] = [];
  for (let i = 0; i < leaves.length; i += 16) {
    rules.push({ when: { assert: 'any', of: leaves.slice(i, i + 16) }, outcome: 'y' });
  }
  return rules;
}

/** As many copies of `piece` as fit. */
function cut(head: string, piece: string, tail: string, length = 256): string {
  return head + piece.repeat(Math.floor((length - head.length - tail.length) / piece.length)) + tail;
}

/** Pieces for letters that no other pattern of the program has. */
function classes(seed: number, piece: (letter: string) => string, length = 256): string {
  let pattern = '';
  for (let i = 0; pattern.length + 12 < length; i += 1) pattern += piece(String.fromCharCode(0x4e00 + seed * 256 + i));
  return `${pattern}\u0001`;
}
