import assert from 'node:assert/strict';
import { CheckerRefusal, parseProgram } from '../../../../src/checker/index.ts';

export const OUTCOMES = ['yes', 'no', 'maybe'];
export const EXISTS = { assert: 'exists', path: 'a' };

/** Parses rules with the outcomes `yes`, `no` and `maybe`; throws what the parser throws. */
export function parse(rules: unknown): void {
  parseProgram({ expectedOutcome: 'yes', rules }, { outcomes: OUTCOMES });
}

/** Fails unless the rules are refused with this field. */
export function refuses(rules: unknown, field: string): void {
  assert.throws(() => parse(rules), refusedAt(field));
}

/** For `assert.throws`: a refusal with this field. */
export function refusedAt(field: string): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CheckerRefusal, String(error));
    assert.equal(error.field, field);
    return true;
  };
}

export function equals(value: unknown): unknown {
  return { assert: 'equals', path: 'a', value };
}

export function all(of: unknown): { assert: string; of: unknown } {
  return { assert: 'all', of };
}

/** So many `all` around one assertion. */
export function nested(levels: number): unknown {
  let assertion: unknown = EXISTS;
  for (let level = 0; level < levels; level += 1) assertion = all([assertion]);
  return assertion;
}
