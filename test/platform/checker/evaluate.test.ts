import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { answerProblem, evaluate, parseProgram } from '../../../src/checker/index.ts';

describe('a verdict', () => {
  const rule = (path: string, outcome: string) => ({ when: { assert: 'exists', path }, outcome });
  const program = (defaultOutcome?: string) =>
    parseProgram(
      {
        expectedOutcome: 'y',
        ...(defaultOutcome && { defaultOutcome }),
        rules: [rule('a', 'n'), rule('b', 'y'), rule('a', 'y')],
      },
      { outcomes: ['y', 'n', 'z'] },
    );

  it('is that of the first rule that matches', () => {
    assert.deepEqual(evaluate(program('z'), { a: 1, b: 1 }), { outcome: 'n', win: false, void: false });
    assert.deepEqual(evaluate(program('z'), { b: 1 }), { outcome: 'y', win: true, void: false });
  });

  it('is the default outcome or void if no rule matches', () => {
    assert.deepEqual(evaluate(program('z'), {}), { outcome: 'z', win: false, void: false });
    assert.deepEqual(evaluate(program('y'), {}), { outcome: 'y', win: true, void: false });
    assert.deepEqual(evaluate(program(), {}), { outcome: 'void', win: false, void: true });
  });

  it('exists for any JSON', () => {
    for (const answer of [null, 0, 'a', true, [], [{ a: 1 }]]) assert.equal(evaluate(program(), answer).void, true);
  });
});

describe('a path', () => {
  const exists = (path: string, answer: unknown) => holds({ assert: 'exists', path }, answer);

  it('resolves own properties and items, null and false too', () => {
    assert.ok(exists('a', { a: null }) && exists('a', { a: false }) && exists('a.b', { a: { b: 0 } }));
    assert.ok(exists('a.0', { a: [null] }) && exists('0', ['x']) && exists('1.0', [0, [0]]) && exists('0', { 0: 'x' }));
    assert.ok(!exists('a', {}) && !exists('a.b', { a: {} }) && !exists('a.b', { a: null }) && !exists('a', null));
  });

  it('takes for an index only a number as JSON writes it', () => {
    const items = Array.from({ length: 12 }, (_, i) => i);
    assert.ok(exists('0', items) && exists('10', items) && exists('11', items));
    for (const segment of ['12', '01', '00', '-0', '-1', '1e0', '0x1', '4294967295', '99999999999999999999']) {
      assert.ok(!exists(segment, items), segment);
    }
    assert.ok(exists('01', { '01': 1 }) && !exists('1', { '01': 1 }) && exists('-1', { '-1': 1 }));
  });

  it('sees nothing that was not sent', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'length', 'prototype', 'map'];
    for (const name of names) {
      for (const answer of [{}, [], [1], 'text', 1, true, null]) assert.ok(!exists(name, answer), name);
      assert.ok(!exists(`a.${name}`, { a: [1, 2] }) && !exists(`a.${name}`, { a: 'text' }), name);
      assert.ok(exists(name, JSON.parse(`{"${name}":1}`)), name);
    }
    assert.ok(!exists('constructor.name', {}) && !exists('__proto__.toString', {}) && !exists('0', 'text'));
  });

  it('takes __proto__ for ordinary data', () => {
    const answer = JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":2}}');
    assert.ok(exists('__proto__.a', answer) && exists('constructor.prototype', answer) && !exists('a', answer));
  });
});

describe('is_type', () => {
  it('knows the six types of JSON', () => {
    const values = { string: '', number: 0, boolean: false, null: null, array: [], object: {} };
    for (const type of Object.keys(values)) {
      for (const [name, a] of Object.entries(values)) {
        assert.equal(holds({ assert: 'is_type', path: 'a', type }, { a }), name === type, `${name} as ${type}`);
      }
      assert.ok(!holds({ assert: 'is_type', path: 'a', type }, {}));
    }
  });
});

describe('equals', () => {
  const equal = (value: unknown, a: unknown) => holds({ assert: 'equals', path: 'a', value }, { a });

  it('compares deeply, in any order of keys', () => {
    assert.ok(equal({ x: [1, { y: null }], z: 'é' }, { z: 'é', x: [1, { y: null }] }));
    assert.ok(!equal({ x: [1, { y: null }] }, { x: [1, { y: false }] }) && !equal([1, 2], [2, 1]));
  });

  it('distinguishes values of other type, size or spelling', () => {
    const values = [
      null,
      false,
      true,
      0,
      1,
      '',
      '0',
      '1',
      'null',
      [],
      [0],
      [[]],
      [null],
      {},
      { 0: 0 },
      { a: null },
      { length: 0 },
    ];
    for (const value of [...values, 'é', 'e\u0301', { a: 0 }, { a: 0, b: 0 }, { b: 0, c: 0 }, [0, 0]]) {
      for (const other of values) assert.equal(equal(value, other), JSON.stringify(value) === JSON.stringify(other));
    }
  });

  it('compares numbers as numbers', () => {
    assert.ok(equal(0, JSON.parse('-0')) && equal(-0, 0) && equal(100, JSON.parse('1e2')) && equal([-0], [0]));
    assert.ok(equal(JSON.parse('9007199254740993'), 9007199254740992) && !equal(0.3, 0.1 + 0.2));
  });

  it('is not fooled by prototypes', () => {
    const proto = JSON.parse('{"__proto__":{"x":1}}');
    assert.ok(equal(proto, JSON.parse('{"__proto__":{"x":1}}')) && !equal(proto, {}) && !equal({}, proto));
    assert.ok(!equal(proto, JSON.parse('{"__proto__":{"x":2}}')) && !equal(JSON.parse('{"constructor":null}'), {}));
    assert.ok(!equal(JSON.parse('{"toString":1}'), { other: 1 }) && !equal(JSON.parse('{"__proto__":{}}'), { x: {} }));
  });
});

describe('len', () => {
  const hasLength = (a: unknown, min: number, max = min) => holds({ assert: 'len', path: 'a', min, max }, { a });

  it('counts code points of strings and items of arrays', () => {
    assert.ok(
      hasLength('', 0) && hasLength('é', 1) && hasLength('e\u0301', 2) && hasLength('😀', 1) && hasLength('a😀b', 3),
    );
    assert.ok(hasLength([], 0) && hasLength([[], []], 2));
    assert.ok(hasLength('\ude00\ud83d', 2) && hasLength('\ud83d\ud83d\ude00', 2) && hasLength('\ud83d', 1));
  });

  it('holds from min to max and fails outside', () => {
    for (const [size, expected] of [
      [1, false],
      [2, true],
      [4, true],
      [5, false],
    ] as const) {
      assert.equal(hasLength('x'.repeat(size), 2, 4), expected);
      assert.equal(hasLength(Array(size).fill(0), 2, 4), expected);
    }
    assert.ok(hasLength('x'.repeat(65_534), 65_534) && hasLength([...Array(32_767).keys()].fill(0), 32_767));
  });

  it('fails on everything else', () => {
    for (const a of [null, 0, true, {}, { length: 0 }]) assert.ok(!hasLength(a, 0, 65_536));
  });
});

describe('matches', () => {
  const matches = (pattern: string, a: unknown) => holds({ assert: 'matches', path: 'a', pattern }, { a });

  it('looks anywhere in the string, by UTF-16 code units, with regard to case', () => {
    assert.ok(matches('b', 'abc') && !matches('^b', 'abc') && !matches('B', 'abc') && matches('', ''));
    assert.ok(!matches('^.$', '😀') && matches('^..$', '😀') && matches('\\ude00$', '😀') && matches('^😀$', '😀'));
    assert.ok(!matches('.', '\n\r\u2028\u2029') && !matches('^a$', 'a\n') && matches('\\s', '\ufeff'));
  });

  it('fails on subjects over 4096 code points', () => {
    assert.ok(matches('a$', 'a'.repeat(4096)) && !matches('a', 'a'.repeat(4097)));
    assert.ok(matches('^.{8192}$', '😀'.repeat(4096)) && !matches('', '😀'.repeat(4097)));
    assert.ok(matches('x$', `${'😀'.repeat(4095)}x`) && !matches('', `${'😀'.repeat(4095)}xx`));
    assert.ok(matches('', '\ude00'.repeat(4096)) && !matches('', '\ud83d'.repeat(4097)));
  });

  it('fails on everything that is no string', () => {
    for (const a of [null, 0, true, [], ['a'], {}]) assert.ok(!matches('', a));
  });
});

describe('within', () => {
  const within = (a: unknown, value: number, tolerance: number) =>
    holds({ assert: 'within', path: 'a', value, tolerance }, { a });
  const max = Number.MAX_VALUE;

  it('holds up to the tolerance and fails past it', () => {
    assert.ok(within(1, 1, 0) && within(12, 10, 2) && within(8, 10, 2) && within(-0, 0, 0));
    assert.ok(
      !within(1.0000000000000002, 1, 0) && !within(12.000000000000002, 10, 2) && !within(7.999999999999999, 10, 2),
    );
  });

  it('does not overflow into a match', () => {
    assert.ok(!within(max, -max, max) && !within(-max, max, max) && within(max, 0, max) && within(max, max, 0));
    assert.ok(!within(5e-324, 0, 0) && within(5e-324, 0, 5e-324));
  });

  it('fails on everything that is no finite number', () => {
    for (const a of [null, '1', true, [1], {}, Number.POSITIVE_INFINITY, Number.NaN]) assert.ok(!within(a, 1, max));
  });
});

describe('all and any', () => {
  const [yes, no] = ['a', 'b'].map((path) => ({ assert: 'exists', path }));
  const both = (assert: string, ...of: unknown[]) => holds({ assert, of }, { a: 1 });

  it('are conjunction and disjunction', () => {
    assert.ok(both('all', yes) && both('all', yes, yes) && !both('all', yes, no) && !both('all', no));
    assert.ok(both('any', yes) && both('any', no, yes) && !both('any', no) && !both('any', no, no));
    assert.ok(both('all', { assert: 'any', of: [no, yes] }, yes) && !both('any', { assert: 'all', of: [no, yes] }, no));
  });
});

describe('an answer', () => {
  it('has at most 65536 canonical units', () => {
    assert.equal(answerProblem('x'.repeat(65_534)), null);
    assert.equal(answerProblem('x'.repeat(65_535)), 'size');
    assert.equal(answerProblem({ a: '"'.repeat(32_764) }), null);
    assert.equal(answerProblem({ ab: '"'.repeat(32_764) }), 'size');
    assert.equal(answerProblem(Array(32_766).fill(1).concat(10)), null);
    assert.equal(answerProblem(Array(32_766).fill(1).concat(100)), 'size');
    assert.equal(answerProblem('é'.repeat(65_534)), null);
  });

  it('has containers nested at most 32 deep', () => {
    const nested = (depth: number, open = '[', close = ']') => JSON.parse(open.repeat(depth) + close.repeat(depth));
    assert.equal(answerProblem(nested(32)), null);
    assert.equal(answerProblem(nested(33)), 'depth');
    assert.equal(answerProblem([1, nested(32), 2]), 'depth');
    assert.equal(answerProblem(JSON.parse(`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`)), null);
    assert.equal(answerProblem(JSON.parse(`${'{"a":'.repeat(33)}1${'}'.repeat(33)}`)), 'depth');
    for (const scalar of [null, 0, '', true]) assert.equal(answerProblem(scalar), null);
  });

  it('is measured without recursion, and stops where the limit is passed', () => {
    assert.equal(answerProblem(JSON.parse('['.repeat(30_000) + ']'.repeat(30_000))), 'depth');
    assert.equal(answerProblem(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000))), 'size');
    const circular: unknown[] = [];
    circular.push(circular, circular);
    assert.equal(answerProblem(circular), 'size');
  });

  it('has a canonical form', () => {
    for (const answer of [undefined, () => 1, 1n, Number.NaN, [Number.POSITIVE_INFINITY], '\ud800', { '\udc00': 1 }]) {
      assert.equal(answerProblem(answer), 'size');
    }
  });
});

function holds(when: unknown, answer: unknown): boolean {
  const program = parseProgram({ expectedOutcome: 'y', rules: [{ when, outcome: 'y' }] }, { outcomes: ['y', 'n'] });
  return evaluate(program, answer).win;
}
