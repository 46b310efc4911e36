import { hasExactly, isJsonObject, measureJson, whyNoObject } from './json.ts';
import { MAX_ASSERTION_NESTING, MAX_CHILDREN, MAX_LENGTH, MAX_LITERAL_UNITS, MAX_NODES } from './limits.ts';
import { type Pattern, PatternRefusal, parsePattern } from './pattern/parse.ts';

/** A program outside the grammar (`unsupported_checker_class`, docs/errors); `field` is the rule or the property. */
export class CheckerRefusal extends Error {
  override readonly name = 'CheckerRefusal';
  readonly field: string;

  constructor(field: string, reason: string) {
    super(`${field}: ${reason}`);
    this.field = field;
  }
}

export type Assertion = Leaf | { readonly assert: 'all' | 'any'; readonly of: readonly Assertion[] };

export type Leaf =
  | { readonly assert: 'exists'; readonly path: Path }
  | { readonly assert: 'is_type'; readonly path: Path; readonly type: JsonType }
  | { readonly assert: 'equals'; readonly path: Path; readonly value: unknown }
  | { readonly assert: 'len'; readonly path: Path; readonly min: number; readonly max: number }
  | { readonly assert: 'matches'; readonly path: Path; readonly pattern: Pattern }
  | { readonly assert: 'within'; readonly path: Path; readonly value: number; readonly tolerance: number };

export type Path = readonly string[];

const JSON_TYPES = ['string', 'number', 'boolean', 'null', 'array', 'object'] as const;
export type JsonType = (typeof JSON_TYPES)[number];

const PATH = /^[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,7}$/;

type Kind = Assertion['assert'];

const PROPERTIES: Readonly<Record<Kind, readonly string[]>> = {
  exists: ['assert', 'path'],
  is_type: ['assert', 'path', 'type'],
  equals: ['assert', 'path', 'value'],
  len: ['assert', 'path', 'min', 'max'],
  matches: ['assert', 'path', 'pattern'],
  within: ['assert', 'path', 'value', 'tolerance'],
  all: ['assert', 'of'],
  any: ['assert', 'of'],
};

/** `budget.nodes`: assertions that the program may still have; `nesting`: enclosing `all` and `any`. */
export function parseAssertion(value: unknown, field: string, budget: { nodes: number }, nesting = 0): Assertion {
  const refuse = (reason: string) => new CheckerRefusal(field, reason);
  if (nesting > MAX_ASSERTION_NESTING) throw refuse(`assertions nested deeper than ${MAX_ASSERTION_NESTING}`);
  if (budget.nodes === 0) throw refuse(`more than ${MAX_NODES} assertions in the program`);
  budget.nodes -= 1;
  const { assert, properties } = closeAssertion(value, refuse);
  if (assert === 'all' || assert === 'any') {
    const { of } = properties;
    if (!Array.isArray(of) || of.length < 1 || of.length > MAX_CHILDREN) {
      throw refuse(`of: must be a list of 1 to ${MAX_CHILDREN} assertions`);
    }
    return { assert, of: of.map((child) => parseAssertion(child, field, budget, nesting + 1)) };
  }
  return parseLeaf(assert, properties, refuse);
}

type Refuse = (reason: string) => CheckerRefusal;
type Properties = Readonly<Record<string, unknown>>;

function closeAssertion(value: unknown, refuse: Refuse): { assert: Kind; properties: Properties } {
  if (!isJsonObject(value)) throw refuse(`assertion: ${whyNoObject(value)}`);
  const assert = Object.hasOwn(value, 'assert') ? value.assert : undefined;
  if (!isKind(assert)) throw refuse(`assert: must be one of ${Object.keys(PROPERTIES).join(', ')}`);
  if (!hasExactly(value, PROPERTIES[assert]))
    throw refuse(`${assert}: must have exactly the properties ${PROPERTIES[assert].join(', ')}`);
  return { assert, properties: value };
}

function isKind(value: unknown): value is Kind {
  return typeof value === 'string' && Object.hasOwn(PROPERTIES, value);
}

function parseLeaf(assert: Leaf['assert'], properties: Properties, refuse: Refuse): Leaf {
  const path = readPath(properties.path, refuse);
  const { type, value, min, max, pattern, tolerance } = properties;
  switch (assert) {
    case 'exists':
      return { assert, path };
    case 'is_type':
      return { assert, path, type: readType(type, refuse) };
    case 'equals':
      if (measureJson(value, MAX_LITERAL_UNITS).units > MAX_LITERAL_UNITS) {
        throw refuse(`value: longer than ${MAX_LITERAL_UNITS} canonical units`);
      }
      return { assert, path, value };
    case 'len':
      if (!isLength(min) || !isLength(max) || min > max)
        throw refuse(`min, max: must be whole numbers from 0 to ${MAX_LENGTH}, min at most max`);
      return { assert, path, min, max };
    case 'matches':
      return { assert, path, pattern: readPattern(pattern, refuse) };
    case 'within':
      if (!isFiniteNumber(value)) throw refuse('value: must be a finite number');
      if (!isFiniteNumber(tolerance) || tolerance < 0) throw refuse('tolerance: must be a finite number, at least 0');
      return { assert, path, value, tolerance };
  }
}

function readPath(value: unknown, refuse: Refuse): Path {
  if (typeof value !== 'string' || !PATH.test(value))
    throw refuse('path: must be 1 to 8 segments of [A-Za-z0-9_-]{1,64}, separated by dots');
  return value.split('.');
}

function readType(value: unknown, refuse: Refuse): JsonType {
  const type = JSON_TYPES.find((known) => known === value);
  if (type === undefined) throw refuse(`type: must be one of ${JSON_TYPES.join(', ')}`);
  return type;
}

function readPattern(value: unknown, refuse: Refuse): Pattern {
  if (typeof value !== 'string') throw refuse('pattern: must be a string');
  try {
    return parsePattern(value);
  } catch (error) {
    if (error instanceof PatternRefusal) throw refuse(`pattern: ${error.message}`);
    throw error;
  }
}

function isLength(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_LENGTH;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
