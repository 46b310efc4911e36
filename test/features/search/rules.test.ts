import assert from 'node:assert/strict';
import fc from 'fast-check';
import { beginningOf, EXCERPT_MAX, excerpt, folded, positionOf, termsOf } from '../../../src/features/search/rules.ts';
import { scaleWait } from '../../support/waits.ts';

describe('search rules', () => {
  it('folds ASCII letters alone', () => {
    assert.equal(folded('AZaz ÀÉΣİŁ\u212a Ａ'), 'azaz ÀÉΣİŁ\u212a Ａ');
  });

  const queries: [string, string, 'literal' | 'all', string[] | null][] = [
    ['an empty literal matches everything', '', 'literal', []],
    ['a literal keeps its white space', ' A  b ', 'literal', [' a  b ']],
    ['terms are distinct once folded', 'b A a\tB', 'all', ['b', 'a']],
    ['eight terms', 'a b c d e f g h', 'all', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['eight terms, one of them twice', 'a b c d e f g h A', 'all', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['nine terms', 'a b c d e f g h i', 'all', null],
    ['a term of 64 units', `${'x'.repeat(64)}`, 'all', ['x'.repeat(64)]],
    ['a term of 65 units', `${'x'.repeat(65)}`, 'all', null],
    ['a term of 33 astral characters', '😀'.repeat(33), 'all', null],
    ['no term matches everything', '', 'all', []],
    ['white space alone is no term', ' \t\u00a0 ', 'all', []],
    ['white space alone is looked for', '  ', 'literal', ['  ']],
    ['U+0000', 'a\0b', 'literal', null],
  ];
  for (const [title, query, mode, terms] of queries) {
    it(`${mode}: ${title}`, () => assert.deepEqual(termsOf(query, mode), terms));
  }

  it('cuts an excerpt that holds the first match, is long enough and splits no pair', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'B', '😀', ' '), maxLength: 1_500 });
    const place = fc.nat({ max: 1_500 });
    fc.assert(
      fc.property(text, place, fc.constantFrom('needle', '😀x😀', 'Q'), (filler, at, term) => {
        const characters = [...filler];
        const body = [...characters.slice(0, at), term, ...characters.slice(at)].join('');
        const shown = excerpt(body, [folded(term)]);
        assert.ok(body.includes(shown) && !/\p{Cs}/u.test(shown));
        assert.ok(shown.length <= EXCERPT_MAX && shown.length >= Math.min(body.length, EXCERPT_MAX - 2));
        assert.ok(folded(shown).includes(folded(term)));
      }),
    );
  });

  it('finds long terms where indexOf finds them', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 400 });
    fc.assert(
      fc.property(text, text, fc.nat({ max: 100 }), (before, after, begin) => {
        const long = `${'ab'.repeat(32)}${after}`;
        for (const whole of [before, before + long, before + long.slice(0, -1) + long])
          for (const term of [long, whole.slice(begin, begin + 90)])
            assert.equal(positionOf(whole, term), whole.indexOf(term));
      }),
      { numRuns: 300 },
    );
  });

  it('finds them in a time that grows with the sum of both lengths', () => {
    const startedAt = performance.now();
    const half = 'a'.repeat(9_999);
    for (let n = 0; n < 100; n++) {
      assert.equal(positionOf('a'.repeat(20_000), `b${half}`), -1);
      assert.equal(excerpt(`${half}b${half}`, [`b${half}`]).length, 500);
    }
    assert.ok(performance.now() - startedAt < scaleWait(1_500), `${performance.now() - startedAt} ms`);
  });

  it('has the database look for no half of a pair', () => {
    const term = `x${'😀'.repeat(40)}`;
    assert.equal(beginningOf(term), `x${'😀'.repeat(31)}`);
    assert.equal(beginningOf('short'), 'short');
  });

  it('shows the start when only the title matches', () => {
    assert.equal(excerpt('x'.repeat(600), ['needle']), 'x'.repeat(500));
  });
});
