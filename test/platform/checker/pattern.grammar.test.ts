import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { PatternRefusal, parsePattern } from '../../../src/checker/pattern/parse.ts';
import { isAdmitted } from './support/grammar.ts';
import { randomFrom, SEED } from './support/random.ts';

const ADMITTED = {
  'nothing, and empty branches': ['', '|', '()', '(?:)', '(|a)', 'a||b'],
  'literal characters': ['a', 'é', '-', '/', ',', '=', '!<:', '\n', '\u2028', '😀', '😀a*', 'a*😀', '-{2}'],
  assertions: ['^', '$', '\\b', '\\B', '^^$$', '\\b\\B', 'a^b$c'],
  'sets and classes': [
    '.',
    '\\d\\D\\w\\W\\s\\S',
    '[a]',
    '[^a]',
    '[a-z]',
    '[a-a]',
    '[\\d]',
    '[^\\w\\s]',
    '[.*+?(){}|$/]',
  ],
  'hyphens in classes': ['[-]', '[^-]', '[-a]', '[a-]', '[a-c-e]', '[--a]', '[+--]', '[\\d-]', '[-\\d]', '[a\\-z]'],
  'carets in classes': ['[a^]', '[\\^]', '[^^]', '[+-^]'],
  escapes: ['\\t\\n\\v\\f\\r\\0', '\\x41', '\\xfF', '\\u0041', '\\uD83D', '\\ud83d\\ude00', '\\0a', '[\\0-\\x1f]'],
  'escaped punctuation': [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'].flatMap((sign) => [`\\${sign}`, `[\\${sign}]`]),
  'surrogate escapes in classes': ['[\\ud800-\\udfff]', '[^\\ud83d]'],
  quantifiers: ['a*', 'a+', 'a?', 'a{2}', 'a{2,}', 'a{2,3}', 'a*?', 'a+?', 'a??', 'a{2}?', 'a{2,}?', 'a{2,3}?'],
  'quantified atoms of every kind': ['.*', '\\d+', '[a]?', '\\x41*', '\\u0041+', '\\.{2}', '\\ud83d*', '\\]*'],
  'counts at the bound': ['a{0}', 'a{0,0}', 'a{65535}', 'a{65535,}', 'a{0,65535}', 'a{00065535}', 'a{3,3}'],
  'quantified atoms apart': [
    'a*bc*',
    'a*|b*',
    '(a*|b*)',
    '(a*)b(c*)',
    'a*(b|c)d*',
    '(b|c*d)a*',
    '(ab*|c)d',
    'a*(b|cd*)',
  ],
  'groups to the bound': ['('.repeat(16) + ')'.repeat(16), `${'(?:'.repeat(16)}a${')'.repeat(16)}`, '()'.repeat(100)],
  'length to the bound': ['a'.repeat(256), '😀'.repeat(256)],
};

const REFUSED = {
  'syntax characters on their own': [
    '*',
    '+',
    '?',
    '{',
    '}',
    ']',
    ')',
    '(',
    '[',
    '\\',
    'a{',
    'a}',
    'a]',
    '{2}',
    'a{,2}',
    'a{2',
    'a{a}',
  ],
  'look-around, names, flags': [
    '(?=a)',
    '(?!a)',
    '(?<=a)',
    '(?<!a)',
    '(?<n>a)',
    '(?i:a)',
    '(?-i:a)',
    '(?)',
    '(?a)',
    '(?#a)',
  ],
  'references and other escapes': [
    '(a)\\1',
    '\\1',
    '\\8',
    '\\k',
    '(?<n>a)\\k<n>',
    '\\cA',
    '\\p{L}',
    '\\u{41}',
    '\\a',
    '\\z',
    '\\e',
    '\\é',
    '\\ ',
  ],
  'broken escapes': [
    '\\x',
    '\\x4',
    '\\xg0',
    '\\u',
    '\\u004',
    '\\u00g0',
    '\\00',
    '\\01',
    '\\09',
    '[\\01]',
    '[\\1]',
    '[\\x4]',
    '[\\u1]',
  ],
  'classes that are empty or unclosed': ['[]', '[^]', '[a', '[a-', '[^', '[\\]', '[]a]', '[^]a]'],
  'class members': ['[[]', '[a[]', '[😀]', '[a-😀]', '[\\b]', '[\\B]', '[\\c]', '[\\k]', '[\\a]'],
  ranges: ['[b-a]', '[a--]', '[\\d-z]', '[a-\\d]', '[\\w-\\w]', '[\\s-a]', '[\\ude00-\\ud83d]'],
  'quantified assertions': ['^*', '$+', '\\b?', '\\B{2}', '^{0}', '\\b*?'],
  'quantified groups': ['(a)*', '(a)+', '(a)?', '(a){2}', '(?:a)*', '()*', '(?:a|b){1,2}', '(a)??'],
  'quantified quantifiers': ['a**', 'a*+', 'a+*', 'a???', 'a{2}{3}', 'a{2}*', 'a*?*'],
  'quantified astral characters': ['😀*', '😀+', '😀?', '😀{2}', 'a😀*'],
  'counts past the bound': ['a{65536}', 'a{65536,}', 'a{0,65536}', 'a{99999999999999999999}', 'a{3,2}', 'a{1,0}'],
  'adjacent quantified atoms': ['a*b*', 'a?b{2}', 'a{1}b{1}', 'a*?b+?', 'ab*c*d', '.*.*', '\\d+[a]?'],
  'adjacent through groups': ['(a*)b*', 'a*(b*)', '(a*)(b*)', '((a*))b*', 'a*((?:b*))', '(xa*)b*', 'a*(b*x)'],
  'adjacent through branches': ['(x|a*)b*', 'a*(x|b*)', '(a*|x)(y|b*)', '(x|ya*|z)b*', 'a*(b|c|d*)'],
  'adjacent through what is empty': ['a*()b*', 'a*(|x)b*', 'a*(x|)b*', 'a*(^|x)b*', 'a*(()|x)(|y)b*', '(a*|)(|x)b*'],
  'adjacent through assertions': ['a*^b*', 'a*$b*', 'a*\\bb*', 'a*\\B\\bb*', '(a*$)^b*', 'a*(\\b)b*'],
  'groups past the bound': ['('.repeat(17) + ')'.repeat(17), `${'(?:'.repeat(17)}a${')'.repeat(17)}`],
  'groups that do not nest': ['(a', 'a)', '(a))', '((a)', '(?:a', '(a|b', 'a|b)'],
  'length past the bound': ['a'.repeat(257), '😀'.repeat(257), `${'😀'.repeat(256)}a`],
};

/** Pieces of patterns, good and bad, that are put together at random. */
const PIECES = [
  ...['a', 'b', '.', '\\d', '\\w', '\\S', '[a-z]', '[^\\s]', '-', '/', ',', '5', '😀', '\n', '=', ':', '<'],
  ...['(', '(', '(?:', ')', ')', ')', '|', '|', '^', '$', '\\b', '\\B', '[', ']', '{', '}', '\\'],
  ...['*', '+', '?', '{2}', '{2,}', '{2,3}', '*?', '{2}?', '{3,2}', '{,3}', '{65535}', '{65536}', '{0}'],
  ...['\\0', '\\1', '\\x41', '\\x4', '\\u0041', '\\u12', '\\uD83D', '\\uDE00', '\\u{41}', '\\cA', '\\k<a>', '\\p{L}'],
  ...['(?=', '(?!', '(?<=', '(?<n>', '(?i:', '[]', '[^]', '[\\b]', '[z-a]', '[\\d-x]', '[a-\\d]', '[😀]', '[a-', '[^'],
  ...['\\_', '\\-', '\\/', '\\[', '\\]', '\\\\', '\\a', '\\é', '[-', '-]', '[\\]-a]', '[+--]', '[[]', '\\t', '\\ '],
];

describe('the grammar of patterns', () => {
  for (const [name, patterns] of Object.entries(ADMITTED)) {
    it(`admits ${name}`, () => {
      for (const pattern of patterns) {
        assert.doesNotThrow(() => parsePattern(pattern), JSON.stringify(pattern));
        assert.doesNotThrow(() => new RegExp(pattern), JSON.stringify(pattern));
      }
    });
  }

  for (const [name, patterns] of Object.entries(REFUSED)) {
    it(`refuses ${name}`, () => {
      for (const pattern of patterns) {
        assert.throws(() => parsePattern(pattern), PatternRefusal, JSON.stringify(pattern));
      }
    });
  }

  it('refuses lone surrogates, which canonical JSON cannot hold', () => {
    for (const pattern of ['\ud83d', '\ude00', '\ude00\ud83d', '[\ud83d]', '\\\ud83d']) {
      assert.throws(() => parsePattern(pattern), PatternRefusal);
    }
  });

  it('is what another description of it says, on random pieces', function () {
    this.timeout(60_000);
    const random = randomFrom(SEED);
    const seen = { admitted: 0, refused: 0 };
    for (let i = 0; i < 40_000; i += 1) {
      const pattern = random.list(1 + random.below(7), () => random.pick(PIECES)).join('');
      const admitted = parses(pattern);
      assert.equal(admitted, isAdmitted(pattern), `${JSON.stringify(pattern)}, seed ${SEED}`);
      seen[admitted ? 'admitted' : 'refused'] += 1;
    }
    assert.ok(seen.admitted > 2_500 && seen.refused > 2_500, JSON.stringify(seen));
  });
});

function parses(pattern: string): boolean {
  try {
    parsePattern(pattern);
    return true;
  } catch (error) {
    if (error instanceof PatternRefusal) return false;
    throw error;
  }
}
