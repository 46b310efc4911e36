import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { matchesAnywhere } from '../../../src/checker/pattern/match.ts';
import { type Pattern, PatternRefusal, parsePattern } from '../../../src/checker/pattern/parse.ts';
import { Subject } from '../../../src/checker/pattern/subject.ts';
import { isAdmitted } from './support/grammar.ts';
import { type PatternShape, randomPattern, randomSubject } from './support/patterns.ts';
import { randomFrom, SEED } from './support/random.ts';

/** How many (pattern, subject) pairs each test compares; set it to millions for a long run. */
const CASES = Number(process.env.CHECKER_DIFFERENTIAL_CASES ?? 30_000);
const SUBJECTS_PER_PATTERN = 12;

const SMALL: PatternShape = { quantifiers: 4, branches: 8, counts: [0, 1, 2, 3, 5] };
const COUNTED: PatternShape = { quantifiers: 2, branches: 4, counts: [0, 1, 2, 31, 32, 33, 63, 64, 65, 96, 65_535] };

describe('matches, compared with the RegExp of the runtime', () => {
  it('agrees on short subjects', function () {
    this.timeout(0);
    compare(SMALL, 14);
  });

  it('agrees on runs that cross machine words', function () {
    this.timeout(0);
    compare(COUNTED, 140);
  });

  it('agrees on subjects of full length', function () {
    this.timeout(60_000);
    const texts = [
      'a'.repeat(4096),
      '😀'.repeat(4096),
      `${'ab'.repeat(2047)}c`,
      `${'a '.repeat(2000)}${'b'.repeat(96)}`,
    ];
    const counts = [1, 31, 96, 97, 2047, 2048, 4064, 4094, 4095, 4096, 4097, 8191, 8192, 8193];
    for (const text of texts) {
      for (const count of counts) {
        for (const pattern of [
          `^.{${count}}$`,
          `^[ab]{${count},}`,
          `^.{1,${count}}b`,
          `^(?:ab|.{${count}})\\B.$`,
          `^\\w*..{${count}}`,
        ]) {
          agree(pattern, parsePattern(pattern), text);
        }
      }
    }
  });
});

function compare(shape: PatternShape, longestSubject: number): void {
  const random = randomFrom(SEED);
  for (let cases = 0; cases < CASES; ) {
    const pattern = randomPattern(random, shape);
    const parsed = parseOrNull(pattern);
    if (parsed === null) {
      assert.equal(isAdmitted(pattern), false, `refused, but admissible: ${JSON.stringify(pattern)}, seed ${SEED}`);
      continue;
    }
    for (let i = 0; i < SUBJECTS_PER_PATTERN; i += 1) agree(pattern, parsed, randomSubject(random, longestSubject));
    cases += SUBJECTS_PER_PATTERN;
  }
}

function parseOrNull(pattern: string): Pattern | null {
  try {
    return parsePattern(pattern);
  } catch (error) {
    if (error instanceof PatternRefusal) return null;
    throw error;
  }
}

function agree(pattern: string, parsed: Pattern, text: string): void {
  const expected = new RegExp(pattern).test(text);
  if (matchesAnywhere(parsed, new Subject(text)) === expected) return;
  assert.fail(`${JSON.stringify(pattern)} on ${JSON.stringify(text)}: the runtime says ${expected}, seed ${SEED}`);
}
