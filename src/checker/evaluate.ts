import type { Assertion, JsonType, Leaf, Path } from './assertion.ts';
import { isJsonObject, measureJson } from './json.ts';
import { MAX_ANSWER_DEPTH, MAX_ANSWER_UNITS, MAX_SUBJECT_CODE_POINTS } from './limits.ts';
import { matchesAnywhere } from './pattern/match.ts';
import { Subject } from './pattern/subject.ts';
import { type Program, VOID_OUTCOME } from './program.ts';

/** What a program says of an answer: `win` when the outcome is the expected one, `void` when there is none. */
export interface Verdict {
  readonly outcome: string;
  readonly win: boolean;
  readonly void: boolean;
}

const ARRAY_INDEX = /^(?:0|[1-9][0-9]*)$/;

/**
 * The verdict of `program` on a JSON `answer` that `answerProblem` found no problem with
 * (docs/challenges#checker-cookbook). The first matching rule wins; with none the default outcome holds, or else
 * `void`. Pure and total: no clock, randomness or network, only own properties are seen, and the cost is bounded for
 * every program and answer.
 */
export function evaluate(program: Program, answer: unknown): Verdict {
  const memory: Memory = { subjects: new Map(), sizes: new Map() };
  const rule = program.rules.find(({ when }) => holds(when, answer, memory));
  const outcome = rule?.outcome ?? program.defaultOutcome ?? VOID_OUTCOME;
  return { outcome, win: outcome === program.expectedOutcome, void: outcome === VOID_OUTCOME };
}

/**
 * Null when `answer` may be evaluated; `size` above 65,536 canonical units (or without a canonical form at all),
 * `depth` above 32 containers within each other (docs/challenges#checker-cookbook; for a finding, of
 * `{dataset, result}`: docs/findings). Where both are exceeded it is `size`.
 */
export function answerProblem(answer: unknown): null | 'size' | 'depth' {
  const { units, depth } = measureJson(answer, MAX_ANSWER_UNITS);
  if (units > MAX_ANSWER_UNITS) return 'size';
  return depth > MAX_ANSWER_DEPTH ? 'depth' : null;
}

/** Work on parts of the answer that many assertions of a program may ask for. */
interface Memory {
  /** null: over the limit of code points. */
  readonly subjects: Map<string, Subject | null>;
  readonly sizes: Map<object, number>;
}

function holds(assertion: Assertion, answer: unknown, memory: Memory): boolean {
  if ('of' in assertion) {
    const childHolds = (child: Assertion) => holds(child, answer, memory);
    return assertion.assert === 'all' ? assertion.of.every(childHolds) : assertion.of.some(childHolds);
  }
  return leafHolds(assertion, answer, memory);
}

function leafHolds(assertion: Leaf, answer: unknown, memory: Memory): boolean {
  const value = resolve(assertion.path, answer);
  if (value === undefined) return false;
  switch (assertion.assert) {
    case 'exists':
      return true;
    case 'is_type':
      return jsonType(value) === assertion.type;
    case 'equals':
      return deepEquals(assertion.value, value, memory);
    case 'len': {
      const length = Array.isArray(value) ? value.length : typeof value === 'string' ? codePoints(value) : undefined;
      return length !== undefined && length >= assertion.min && length <= assertion.max;
    }
    case 'matches': {
      const subject = typeof value === 'string' ? subjectOf(value, memory) : null;
      return subject !== null && matchesAnywhere(assertion.pattern, subject);
    }
    case 'within':
      // In doubles. A difference too large for one is infinite, and so over any tolerance.
      return typeof value === 'number' && Math.abs(value - assertion.value) <= assertion.tolerance;
  }
}

/** What stands at `path`, or undefined. An index has no leading zero: `01` is none, though it may be a property. */
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
function deepEquals(literal: unknown, value: unknown, memory: Memory): boolean {
  if (Array.isArray(literal)) {
    if (!Array.isArray(value) || value.length !== literal.length) return false;
    return literal.every((item, index) => deepEquals(item, value[index], memory));
  }
  if (!isJsonObject(literal)) return literal === value;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(literal);
  return (
    keys.every((key) => Object.hasOwn(value, key) && deepEquals(literal[key], value[key], memory)) &&
    propertyCount(value, memory) === keys.length
  );
}

function propertyCount(object: object, memory: Memory): number {
  let count = memory.sizes.get(object);
  if (count === undefined) {
    count = Object.keys(object).length;
    memory.sizes.set(object, count);
  }
  return count;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i += 1) {
    const isPair = (text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800;
    if (isPair) count -= 1;
  }
  return count;
}

function subjectOf(text: string, memory: Memory): Subject | null {
  let subject = memory.subjects.get(text);
  if (subject === undefined) {
    subject = codePoints(text) > MAX_SUBJECT_CODE_POINTS ? null : new Subject(text);
    memory.subjects.set(text, subject);
  }
  return subject;
}
