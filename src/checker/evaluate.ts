import type { Assertion, JsonType, Leaf, Path } from './assertion.ts';
import { isJsonObject, measureJson } from './json.ts';
import { MAX_ANSWER_DEPTH, MAX_ANSWER_UNITS, MAX_SUBJECT_CODE_POINTS } from './limits.ts';
import { matchesAnywhere } from './pattern/match.ts';
import { Subject } from './pattern/subject.ts';
import { type Program, VOID_OUTCOME } from './program.ts';

/**
 * The result of a program: `win` if the outcome is the expected one, `void` if no rule matched and there is no default.
 */
export interface Verdict {
  readonly outcome: string;
  readonly win: boolean;
  readonly void: boolean;
}

const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/** The first matching rule decides, then the default, then `void`. Never throws (docs/challenges#checker-cookbook). */
export function evaluate(program: Program, answer: unknown): Verdict {
  const subjects: Subjects = new Map();
  const rule = program.rules.find(({ when }) => holds(when, answer, subjects));
  const outcome = rule?.outcome ?? program.defaultOutcome ?? VOID_OUTCOME;
  return { outcome, win: outcome === program.expectedOutcome, void: outcome === VOID_OUTCOME };
}

/** `size`: over 65,536 canonical units or no canonical form; `depth`: over 32 nested containers (docs/findings). */
export function answerProblem(answer: unknown): null | 'size' | 'depth' {
  const { units, depth } = measureJson(answer, MAX_ANSWER_UNITS);
  if (units > MAX_ANSWER_UNITS) return 'size';
  return depth > MAX_ANSWER_DEPTH ? 'depth' : null;
}

/**
 * Prepared strings of the answer, which several patterns may share; null for a string over the limit of code points.
 */
type Subjects = Map<string, Subject | null>;

function holds(assertion: Assertion, answer: unknown, subjects: Subjects): boolean {
  if ('of' in assertion) {
    const childHolds = (child: Assertion) => holds(child, answer, subjects);
    return assertion.assert === 'all' ? assertion.of.every(childHolds) : assertion.of.some(childHolds);
  }
  return leafHolds(assertion, answer, subjects);
}

function leafHolds(assertion: Leaf, answer: unknown, subjects: Subjects): boolean {
  const value = resolve(assertion.path, answer);
  if (value === undefined) return false;
  switch (assertion.assert) {
    case 'exists':
      return true;
    case 'is_type':
      return jsonType(value) === assertion.type;
    case 'equals':
      return deepEquals(assertion.value, value);
    case 'len': {
      const length = Array.isArray(value) ? value.length : typeof value === 'string' ? codePoints(value) : undefined;
      return length !== undefined && length >= assertion.min && length <= assertion.max;
    }
    case 'matches': {
      const subject = typeof value === 'string' ? subjectOf(value, subjects) : null;
      return subject !== null && matchesAnywhere(assertion.pattern, subject);
    }
    case 'within':
      // A difference that overflows is infinite, so over any tolerance.
      return typeof value === 'number' && Math.abs(value - assertion.value) <= assertion.tolerance;
  }
}

/** The value at `path`, or undefined. Only own properties count. `01` is not an index, but may be a property. */
function resolve(path: Path, answer: unknown): unknown {
  let value = answer;
  for (const segment of path) {
    const isKey = Array.isArray(value) ? ARRAY_INDEX.test(segment) : isJsonObject(value);
    if (!isKey || !Object.hasOwn(value as object, segment)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[segment];
  }
  return value;
}

function jsonType(value: unknown): JsonType | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : undefined;
}

/** Recurses along the literal only, which has at most 512 units. `===` makes 0 and -0 equal. */
function deepEquals(literal: unknown, value: unknown): boolean {
  if (Array.isArray(literal)) {
    if (!Array.isArray(value) || value.length !== literal.length) return false;
    return literal.every((item, index) => deepEquals(item, value[index]));
  }
  if (!isJsonObject(literal)) return literal === value;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(literal);
  return (
    keys.every((key) => Object.hasOwn(value, key) && deepEquals(literal[key], value[key])) &&
    Object.keys(value).length === keys.length
  );
}

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;
const codePoints = (text: string): number => text.length - (text.match(SURROGATE_PAIR)?.length ?? 0);

function subjectOf(text: string, subjects: Subjects): Subject | null {
  let subject = subjects.get(text);
  if (subject === undefined) {
    subject = codePoints(text) > MAX_SUBJECT_CODE_POINTS ? null : new Subject(text);
    subjects.set(text, subject);
  }
  return subject;
}
