import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { answerProblem, evaluate, parseProgram } from '../../../src/checker/index.ts';
import { hostileCases } from './support/hostile.ts';

const MAX_CPU_MS = 1000;

describe('the cost of the worst program on the worst answer', () => {
  for (const { name, program, answer } of hostileCases()) {
    it(`is bounded: ${name}`, function () {
      this.timeout(60_000);
      assert.equal(answerProblem(answer), null);
      const before = process.cpuUsage();
      const verdict = evaluate(parseProgram(program, { outcomes: ['y', 'n'] }), answer);
      const { user, system } = process.cpuUsage(before);
      assert.equal(verdict.outcome, 'n');
      assert.ok((user + system) / 1000 < MAX_CPU_MS, `${(user + system) / 1000} ms of CPU`);
    });
  }

  it('is bounded for parsing refused programs, too', function () {
    this.timeout(60_000);
    const deep = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    const long = 'a'.repeat(500_000);
    const whens = [deep, wide, long, { assert: 'all', of: deep }, { assert: 'equals', path: 'a', value: deep }];
    whens.push({ assert: 'equals', path: 'a', value: wide }, { assert: 'matches', path: 'a', pattern: long });
    whens.push({ assert: 'exists', path: long }, { assert: 'exists', path: `${'a.'.repeat(250_000)}` });
    const before = process.cpuUsage();
    for (const when of whens) {
      const program = { expectedOutcome: 'y', rules: [{ when, outcome: 'y' }] };
      assert.throws(() => parseProgram(program, { outcomes: ['y', 'n'] }), { field: 'rules[0]' });
    }
    assert.ok(process.cpuUsage(before).user / 1000 < MAX_CPU_MS);
  });
});
