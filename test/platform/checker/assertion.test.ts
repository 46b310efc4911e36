import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { all, EXISTS, equals, nested, parse, refuses } from './support/programs.ts';

/** A table row: what is admitted up to the bound, and what is refused past it. */
interface Row {
  readonly admitted: readonly unknown[];
  readonly refused: readonly unknown[];
}

const ASSERTIONS: Readonly<Record<string, Row>> = {
  exists: {
    admitted: [EXISTS, { path: 'a', assert: 'exists' }],
    refused: [{ assert: 'exists' }, { ...EXISTS, value: 1 }, { ...EXISTS, of: [] }, { path: 'a' }],
  },
  'kinds of assertion': {
    admitted: [EXISTS],
    refused: [
      ...[null, [], [EXISTS], 'exists', 1, {}, { assert: 'Exists', path: 'a' }, { assert: null, path: 'a' }],
      ...['none', 'not', 'toString', 'constructor', '__proto__', 'hasOwnProperty'].map((kind) => ({
        ...EXISTS,
        assert: kind,
      })),
      JSON.parse('{"__proto__":{"assert":"exists","path":"a"}}'),
      JSON.parse('{"assert":"exists","path":"a","__proto__":1}'),
      JSON.parse('{"assert":"exists","__proto__":{"path":"a"}}'),
      Object.create({ assert: 'exists', path: 'a' }),
    ],
  },
  path: {
    admitted: paths('a', '0', '01', '-', '_', '-1', 'A.b.0', 'x'.repeat(64), '1.2.3.4.5.6.7.8', 'constructor.length'),
    refused: [
      ...paths(
        '',
        '.',
        'a.',
        '.a',
        'a..b',
        'a b',
        'a/b',
        'a[0]',
        'é',
        'a\n',
        '$',
        '*',
        '1.2.3.4.5.6.7.8.9',
        'x'.repeat(65),
      ),
      ...[null, 1, ['a'], {}].map((path) => ({ ...EXISTS, path })),
    ],
  },
  is_type: {
    admitted: ['string', 'number', 'boolean', 'null', 'array', 'object'].map(isType),
    refused: [
      ...['integer', 'String', 'undefined', '', null, ['string'], 'toString'].map(isType),
      { assert: 'is_type', path: 'a' },
    ],
  },
  equals: {
    admitted: [
      ...[null, 0, -0, 1e308, '', [], {}, false, { a: [{ b: null }] }].map(equals),
      equals('x'.repeat(510)),
      equals('"'.repeat(255)),
      equals('\u001f'.repeat(85)),
      equals('😀'.repeat(255)),
      equals(Array(254).fill(1).concat(10)),
      equals(JSON.parse('['.repeat(256) + ']'.repeat(256))),
      equals(JSON.parse('{"__proto__":{"constructor":1}}')),
    ],
    refused: [
      equals('x'.repeat(511)),
      equals('"'.repeat(256)),
      equals('\u001f'.repeat(86)),
      equals('😀'.repeat(256)),
      equals(Array(254).fill(1).concat(100)),
      equals(JSON.parse('['.repeat(257) + ']'.repeat(257))),
      equals(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))),
      equals(Number.POSITIVE_INFINITY),
      equals(['\ud800']),
      equals({ '\udfff': 1 }),
      equals(undefined),
      equals([undefined]),
      { assert: 'equals', path: 'a' },
    ],
  },
  len: {
    admitted: [len(0, 0), len(0, 65_536), len(65_536, 65_536), len(-0, 1), len(3, 3)],
    refused: [
      ...[
        len(-1, 0),
        len(0, 65_537),
        len(65_537, 65_537),
        len(2, 1),
        len(0.5, 1),
        len(0, 1.5),
        len('0', 1),
        len(0, null),
      ],
      ...[len(Number.NaN, 1), { assert: 'len', path: 'a', min: 0 }, { assert: 'len', path: 'a', max: 0 }],
    ],
  },
  matches: {
    admitted: ['', 'a', 'a'.repeat(256), '😀'.repeat(256), 'a{65535}', '(a|b)c*'].map(matches),
    refused: ['a'.repeat(257), '😀'.repeat(257), 'a'.repeat(100_000), '(a)*', 'a*b*', '(?=a)', null, 1, ['a'], {}].map(
      matches,
    ),
  },
  within: {
    admitted: [within(0, 0), within(-1.5, 0.1), within(1.7976931348623157e308, 1.7976931348623157e308), within(1, -0)],
    refused: [
      ...[
        within(Number.POSITIVE_INFINITY, 1),
        within(Number.NEGATIVE_INFINITY, 1),
        within(Number.NaN, 1),
        within('1', 1),
        within(null, 1),
      ],
      ...[
        within(1, -5e-324),
        within(1, Number.POSITIVE_INFINITY),
        within(1, Number.NaN),
        within(1, '1'),
        within(1, null),
      ],
      ...[
        { assert: 'within', path: 'a', value: 1 },
        { assert: 'within', path: 'a', tolerance: 1 },
      ],
    ],
  },
  'all and any': {
    admitted: [all([EXISTS]), any([EXISTS]), all(Array(16).fill(EXISTS)), any(Array(16).fill(EXISTS))],
    refused: [
      ...[
        all([]),
        any([]),
        all(Array(17).fill(EXISTS)),
        any(Array(17).fill(EXISTS)),
        all(EXISTS),
        any(null),
        all({ 0: EXISTS, length: 1 }),
      ],
      ...[{ assert: 'all' }, { ...all([EXISTS]), path: 'a' }, all([EXISTS, { assert: 'exists' }]), any([null])],
    ],
  },
  nesting: {
    admitted: [nested(1), nested(4)],
    refused: [nested(5), nested(20), all([EXISTS, nested(4)]), nested(100_000)],
  },
};

describe('an assertion', () => {
  for (const [name, { admitted, refused }] of Object.entries(ASSERTIONS)) {
    it(`admits ${name} up to the bound and names the rule past it`, () => {
      const good = { when: EXISTS, outcome: 'no' };
      for (const when of admitted) assert.doesNotThrow(() => parse([{ when, outcome: 'yes' }]));
      for (const when of refused) refuses([good, good, { when, outcome: 'yes' }], 'rules[2]');
    });
  }
});

function paths(...all: string[]): unknown[] {
  return all.map((path) => ({ assert: 'exists', path }));
}

function isType(type: unknown): unknown {
  return { assert: 'is_type', path: 'a', type };
}

function len(min: unknown, max: unknown): unknown {
  return { assert: 'len', path: 'a', min, max };
}

function matches(pattern: unknown): unknown {
  return { assert: 'matches', path: 'a', pattern };
}

function within(value: unknown, tolerance: unknown): unknown {
  return { assert: 'within', path: 'a', value, tolerance };
}

function any(of: unknown): unknown {
  return { assert: 'any', of };
}
