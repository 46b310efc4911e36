/** The bound on the request body of each operation, as declared or computed from its input schema (docs/limits#request-bodies). */
import { type Description, describeSchema } from './jsonSchema.ts';
import { type Operation, pathParameters } from './operation.ts';

/** No bound is larger; `POST /mcp` has this one. */
export const MAX_BODY_BYTES = 524_288;
/** Added to the largest input, for white space and for long spellings of numbers. */
export const SPARE_BODY_BYTES = 4_096;

/** A character of text has at most 6 bytes in JSON, as `\u00e9`. */
const BYTES_PER_CHARACTER = 6;
/** The longest number that JavaScript writes, `-2.2250738585072014e-308`. */
const NUMBER_BYTES = 24;
/** `false`, and `null` in any place where it may stand. */
const WORD_BYTES = 5;
/** No identifier and no time is longer. */
const PATTERN_CHARACTERS = 64;

const computed = new WeakMap<Operation, number>();

/** The most bytes that the request body of an operation may have; 0 for an operation without a body. */
export function maxBodyBytesOf(op: Operation): number {
  if (op.method === 'GET') return 0;
  if (op.maxBodyBytes !== undefined) return op.maxBodyBytes;
  // Computed at the first use: Joi takes milliseconds to describe a schema.
  const bound = computed.get(op) ?? boundOf(op);
  computed.set(op, bound);
  return bound;
}

function boundOf(op: Operation): number {
  const inPath: readonly string[] = pathParameters(op.path);
  const { keys = {} } = describeSchema(op.input);
  const inBody = Object.fromEntries(Object.entries(keys).filter(([name]) => !inPath.includes(name)));
  return Math.min(MAX_BODY_BYTES, objectBytes(inBody, op.name) + SPARE_BODY_BYTES);
}

function objectBytes(keys: Readonly<Record<string, Description>>, at: string): number {
  const sizes = Object.entries(keys).map(
    ([name, each]) => textBytes(name.length) + valueBytes(each, `${at}.${name}`) + 2,
  );
  return 2 + sizes.reduce((sum, size) => sum + size, 0);
}

const textBytes = (characters: number): number => BYTES_PER_CHARACTER * characters + 2;

/** The most bytes of a value that the schema admits. Throws for a value without a bound: a fault in the declaration. */
function valueBytes(described: Description, at: string): number {
  const { type, allow = [], flags = {}, keys, items = [], matches = [] } = described;
  const meta = Object.assign({}, ...(described.metas ?? [])) as Bounds;
  const mostOf = (rule: string) => described.rules?.find(({ name }) => name === rule)?.args?.limit;
  if (meta.jsonCharacters !== undefined) return BYTES_PER_CHARACTER * meta.jsonCharacters;
  if (flags.only) return Math.max(...allow.map((value) => textBytes(String(value).length)));
  switch (type) {
    case 'boolean':
      return WORD_BYTES;
    case 'number':
      return NUMBER_BYTES;
    case 'string': {
      const hasForm = meta.format !== undefined || described.rules?.some(({ name }) => name === 'pattern');
      const most = meta.maxLength ?? mostOf('length') ?? mostOf('max') ?? (hasForm ? PATTERN_CHARACTERS : undefined);
      return textBytes(most ?? unbounded(at));
    }
    case 'array': {
      const most = mostOf('max') ?? unbounded(at);
      const [item] = items;
      return 2 + most * (1 + (item ? valueBytes(item, at) : unbounded(at)));
    }
    case 'alternatives':
      return Math.max(...matches.map(({ schema }) => (schema ? valueBytes(schema, at) : 0)));
    default:
      return keys ? objectBytes(keys, at) : unbounded(at);
  }
}

interface Bounds {
  readonly jsonCharacters?: number;
  readonly maxLength?: number;
  readonly format?: string;
}

function unbounded(at: string): never {
  throw new Error(`${at}: declare how long its JSON may be, with withinCharacters`);
}
