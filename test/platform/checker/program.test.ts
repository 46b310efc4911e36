import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { evaluate, parseFindingRules, parseProgram } from '../../../src/checker/index.ts';
import { measureJson } from '../../../src/checker/json.ts';
import { all, EXISTS, equals, OUTCOMES, parse, refusedAt, refuses } from './support/programs.ts';

describe('a checker program', () => {
  it('has 1 to 16 rules', () => {
    const rule = { when: EXISTS, outcome: 'yes' };
    for (const count of [1, 16]) parse(Array(count).fill(rule));
    for (const rules of [[], Array(17).fill(rule), rule, null, undefined, 'rules', { 0: rule, length: 1 }])
      refuses(rules, 'rules');
  });

  it('has rules of {when, outcome} and nothing else', () => {
    const rule = { when: EXISTS, outcome: 'yes' };
    for (const bad of [
      null,
      [],
      {},
      { when: EXISTS },
      { outcome: 'yes' },
      { ...rule, extra: 1 },
      EXISTS,
      'rule',
      [EXISTS, 'yes'],
    ]) {
      refuses([bad], 'rules[0]');
      refuses([rule, bad], 'rules[1]');
    }
  });

  it('has at most 64 assertions in all, and names the rule that passes it', () => {
    const group = (count: number) => ({ when: all(Array(count).fill(EXISTS)), outcome: 'yes' });
    parse([group(15), group(15), group(15), group(15)]);
    refuses([group(15), group(15), group(16), group(15)], 'rules[3]');
    refuses([group(16), group(16), group(16), group(16), group(16)], 'rules[3]');
    refuses([group(15), group(15), group(15), group(15), { when: EXISTS, outcome: 'no' }], 'rules[4]');
  });

  it('has rules of at most 8192 canonical units', () => {
    const rules = (units: number) => {
      const filled = Array.from({ length: 16 }, () => ({ when: equals(''), outcome: 'yes' }));
      let left = units - measureJson(filled, units).units;
      for (const rule of filled) {
        const share = Math.min(left, 510);
        rule.when = equals('x'.repeat(share));
        left -= share;
      }
      return filled;
    };
    assert.equal(measureJson(rules(8192), 9000).units, 8192);
    parse(rules(8192));
    refuses(rules(8193), 'rules');
  });

  it('counts units as canonical JSON does, not as the sender wrote it', () => {
    const when = { assert: 'within', path: 'a', value: JSON.parse('1.000000000000000000000'), tolerance: 1e21 };
    const expected = '[{"outcome":"yes","when":{"assert":"within","path":"a","tolerance":1e+21,"value":1}}]';
    assert.equal(measureJson([{ when, outcome: 'yes' }], 1000).units, expected.length);
    parse([{ when: equals('é'.repeat(510)), outcome: 'yes' }]);
  });

  it('has declared outcomes only, and never void', () => {
    const rules = [{ when: EXISTS, outcome: 'yes' }];
    const outcomes = [...OUTCOMES, 'void'];
    for (const bad of ['void', 'other', '', 'Yes', null, 1, ['yes'], 'toString']) {
      assert.throws(() => parseProgram({ expectedOutcome: bad, rules }, { outcomes }), refusedAt('expectedOutcome'));
      assert.throws(
        () => parseProgram({ expectedOutcome: 'yes', rules: [...rules, { when: EXISTS, outcome: bad }] }, { outcomes }),
        refusedAt('rules[1]'),
      );
      if (bad === null) continue;
      const program = { expectedOutcome: 'yes', defaultOutcome: bad, rules };
      assert.throws(() => parseProgram(program, { outcomes }), refusedAt('defaultOutcome'));
    }
    assert.throws(() => parseProgram({ rules }, { outcomes }), refusedAt('expectedOutcome'));
  });

  it('takes a default outcome of null for an absent one', () => {
    const program = { expectedOutcome: 'yes', defaultOutcome: null, rules: [{ when: EXISTS, outcome: 'yes' }] };
    assert.equal('defaultOutcome' in parseProgram(program, { outcomes: OUTCOMES }), false);
  });

  it('has no other property', () => {
    const program = { expectedOutcome: 'yes', rules: [{ when: EXISTS, outcome: 'yes' }] };
    const refusal = (input: unknown, field: string) =>
      assert.throws(() => parseProgram(input, { outcomes: OUTCOMES }), refusedAt(field));
    refusal({ ...program, extra: 1 }, 'extra');
    refusal({ ...program, constructor: 1 }, 'constructor');
    refusal({ ...program, 'not a name': 1 }, 'checkerProgram');
    refusal(JSON.parse('{"__proto__":1,"expectedOutcome":"yes","rules":[]}'), '__proto__');
    refusal(Object.create(program), 'expectedOutcome');
    for (const input of [null, undefined, [], 'program', 1, [program]]) refusal(input, 'checkerProgram');
  });

  it('of a finding has its rules, expects pass and defaults to fail', () => {
    const program = parseFindingRules([{ when: { assert: 'exists', path: 'result.a' }, outcome: 'pass' }]);
    assert.deepEqual(evaluate(program, { dataset: {}, result: { a: 1 } }), { outcome: 'pass', win: true, void: false });
    assert.deepEqual(evaluate(program, { dataset: {}, result: {} }), { outcome: 'fail', win: false, void: false });
    assert.throws(() => parseFindingRules([]), refusedAt('rules'));
    assert.throws(() => parseFindingRules([{ when: EXISTS, outcome: 'yes' }]), refusedAt('rules[0]'));
  });
});
