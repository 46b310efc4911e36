import { type Assertion, CheckerRefusal, parseAssertion } from './assertion.ts';
import { hasExactly, isJsonObject, measureJson, whyNoObject } from './json.ts';
import { MAX_NODES, MAX_RULES, MAX_RULES_UNITS } from './limits.ts';

export interface Program {
  readonly expectedOutcome: string;
  readonly defaultOutcome?: string;
  readonly rules: readonly Rule[];
}

export interface Rule {
  readonly when: Assertion;
  readonly outcome: string;
}

/** The outcome when no rule matches and there is no `defaultOutcome`. No program may declare it. */
export const VOID_OUTCOME = 'void';

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Throws `CheckerRefusal`. A null `defaultOutcome` is absent (docs/formats#json-bodies). Keeps literals of `input`. */
export function parseProgram(input: unknown, options: { outcomes: readonly string[] }): Program {
  if (!isJsonObject(input)) throw new CheckerRefusal('checkerProgram', whyNoObject(input));
  refuseOtherProperties(input);
  const expectedOutcome = readOutcome(own(input, 'expectedOutcome'), 'expectedOutcome', options.outcomes);
  const given = own(input, 'defaultOutcome') ?? null;
  const rules = readRules(own(input, 'rules'), options.outcomes);
  if (given === null) return { expectedOutcome, rules };
  return { expectedOutcome, defaultOutcome: readOutcome(given, 'defaultOutcome', options.outcomes), rules };
}

/** A finding (docs/findings) expects `pass` and defaults to `fail`. Its answers are `{dataset, result}`. */
export function parseFindingRules(rules: unknown): Program {
  const outcomes = ['pass', 'fail'];
  return parseProgram({ expectedOutcome: 'pass', defaultOutcome: 'fail', rules }, { outcomes });
}

function refuseOtherProperties(input: Readonly<Record<string, unknown>>): void {
  const known = ['expectedOutcome', 'defaultOutcome', 'rules'];
  const other = Object.keys(input).find((key) => !known.includes(key));
  if (other === undefined) return;
  throw new CheckerRefusal(
    FIELD_NAME.test(other) ? other : 'checkerProgram',
    'unknown property; use expectedOutcome, defaultOutcome and rules',
  );
}

function readRules(value: unknown, outcomes: readonly string[]): readonly Rule[] {
  if (value === undefined || value === null) throw new CheckerRefusal('rules', `required, a list of 1 to ${MAX_RULES}`);
  if (typeof value === 'string') throw new CheckerRefusal('rules', 'a list, not JSON in a string');
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_RULES) {
    throw new CheckerRefusal('rules', `must be a list of 1 to ${MAX_RULES}`);
  }
  const budget = { nodes: MAX_NODES };
  const rules = value.map((rule: unknown, index) => readRule(rule, `rules[${index}]`, outcomes, budget));
  if (measureJson(value, MAX_RULES_UNITS).units > MAX_RULES_UNITS) {
    throw new CheckerRefusal('rules', `longer than ${MAX_RULES_UNITS} canonical units`);
  }
  return rules;
}

function readRule(value: unknown, field: string, outcomes: readonly string[], budget: { nodes: number }): Rule {
  if (!isJsonObject(value)) throw new CheckerRefusal(field, whyNoObject(value));
  if (!hasExactly(value, ['when', 'outcome']))
    throw new CheckerRefusal(field, 'must have exactly the properties when, outcome');
  return {
    when: parseAssertion(value.when, field, budget),
    outcome: readOutcome(value.outcome, field, outcomes),
  };
}

function readOutcome(value: unknown, field: string, outcomes: readonly string[]): string {
  if (value === undefined || value === null) throw new CheckerRefusal(field, 'required, one of the declared outcomes');
  if (typeof value !== 'string' || value === VOID_OUTCOME || !outcomes.includes(value)) {
    throw new CheckerRefusal(field, 'not a declared outcome');
  }
  return value;
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
