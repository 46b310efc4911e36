/** Values that fit a schema, and every way to break it at one place, derived from the schema alone. */

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever the table emits
type Schema = any;

export interface Violation {
  /** `rules[0].outcome`, with what is broken there. */
  readonly name: string;
  readonly field: string;
  readonly input: Record<string, unknown>;
  /** What was put there. */
  readonly value: unknown;
  /** Every number and form that the schema has there. */
  readonly told: readonly string[];
}

const RANDOM = 'a'.repeat(25);
const SAMPLES = [
  'some-agent',
  '2027-01-02',
  '7',
  'a'.repeat(64),
  'A'.repeat(43),
  'A'.repeat(22),
  `ag1-${'a'.repeat(22)}`,
  ...['p', 'r', 'ch', 'fb', 'mrun', 'ev', 'gov', 'rep', 'w'].map((prefix) => `${prefix}_${RANDOM}`),
];

/** Those of the checker's grammar are the checker's to refuse. */
const IN_CHECKER = /(^|\.)(checkerProgram|checker)\./;

/** All ways to break the input of an operation or a tool, one at a time; of alternatives it has one. */
export function violationsOf(whole: Schema): Violation[] {
  const { challengeId, ...others } = whole.properties;
  const schema = 'challenge' in others ? { ...whole, properties: others } : whole;
  const base = fitting(schema) as Record<string, unknown>;
  return breaks(schema, []).flatMap(({ path, what, value, told }) => {
    const field = path
      .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
      .join('')
      .slice(1);
    if (IN_CHECKER.test(`${field}.`) && path.length > 1) return [];
    return [
      { name: `${field}: ${what}`, field, input: withValue(base, path, value) as Record<string, unknown>, value, told },
    ];
  });
}

type Path = readonly (string | number)[];
interface Break {
  readonly path: Path;
  readonly what: string;
  readonly value: unknown;
  readonly told: readonly string[];
}

function breaks(declared: Schema, path: Path): Break[] {
  const schema = own(declared);
  const at = (what: string, value: unknown, ...told: unknown[]): Break => ({
    path,
    what,
    value,
    told: told.map(shown),
  });
  const { enum: values, minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum, properties } = schema;
  if (values) return [at('enum', 'no', ...values)];
  const found: Break[] = [];
  if (pattern)
    found.push(
      at(
        'pattern',
        ['ab', 'A B!'].find((text) => !new RegExp(pattern).test(text)),
        ...forms(pattern),
      ),
    );
  else if (minLength > 1) found.push(at('minLength', 'x'.repeat(minLength - 1), minLength));
  if (maxLength) found.push(at('maxLength', 'x'.repeat(maxLength + 1), maxLength));
  if (minimum !== undefined) found.push(at('minimum', minimum - 1, minimum));
  if (exclusiveMinimum !== undefined) found.push(at('exclusiveMinimum', exclusiveMinimum, exclusiveMinimum));
  if (maximum !== undefined) found.push(at('maximum', maximum + 1, maximum));
  if (schema.type === 'integer') found.push(at('integer', 1.5, 'whole number', minimum ?? 0));
  if (schema.type === 'boolean') found.push(at('boolean', 'perhaps', 'true or false'));
  if (schema.minItems) found.push(at('minItems', [], schema.minItems, 'items'));
  if (schema.maxItems) found.push(at('maxItems', many(schema, schema.maxItems + 1), schema.maxItems, 'items'));
  if (schema.uniqueItems) found.push(at('uniqueItems', ['pass', 'pass'], 'no two alike'));
  if (schema.not) found.push({ ...at('not', schema.not.const, schema.not.const) });
  if (schema.items) found.push(...breaks(schema.items, [...path, 0]));
  for (const [name, property] of Object.entries<Schema>(properties ?? {}))
    found.push(...breaks(property, [...path, name]));
  for (const name of schema.required ?? []) {
    found.push({ path: [...path, name], what: 'required', value: undefined, told: ['required'] });
  }
  if (properties && schema.additionalProperties === false) {
    found.push({ path: [...path, 'zzzzzz'], what: 'unknown', value: 1, told: ['no property', 'zzzzzz'] });
  }
  return found;
}

/** Counts, ranges and plain text of a pattern, as far as they are more than one character. */
const forms = (pattern: string): string[] => [
  ...[...pattern.matchAll(/\{(\d+)(?:,(\d+))?\}/g)].flatMap(([, from, to]) =>
    /\\d/.test(pattern) ? ['0'.repeat(Number(from))] : [from!, ...(to ? [to] : [])],
  ),
  ...(pattern.match(/[a-zA-Z0-9]-[a-zA-Z0-9](?=[^{]*\])/g) ?? []),
  ...(pattern.match(/[a-z0-9]+[_-](?=\[)/g) ?? []),
];

const shown = (value: unknown): string => (typeof value === 'number' ? value.toLocaleString('en-US') : String(value));

/** Without null; of alternatives the first. */
const own = (schema: Schema): Schema => (schema.anyOf ? { ...own(schema.anyOf[0]), default: undefined } : schema);

function fitting(declared: Schema): unknown {
  const schema = own(declared);
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return many(schema, Math.max(1, schema.minItems ?? 0));
    case 'object':
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, each]) => [name, fitting(each)]));
    default:
      return {};
  }
}

function text({ pattern, format, minLength = 1 }: Schema): string {
  if (format === 'date-time') return '2099-01-02T00:00:00Z';
  if (!pattern) return 'x'.repeat(Math.max(1, minLength));
  const sample = SAMPLES.find((each) => each.length >= minLength && new RegExp(pattern).test(each));
  if (sample === undefined) throw new Error(`nothing fits ${pattern}`);
  return sample;
}

const many = (schema: Schema, count: number): unknown[] =>
  Array.from({ length: count }, (_, n) => (own(schema.items).type === 'string' ? `item-${n}` : fitting(schema.items)));

/** A copy of the value with another one at the path. */
function withValue(whole: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(whole)) return whole.with(step as number, withValue(whole[step as number], rest, value));
  return { ...(whole as object), [step]: withValue((whole as Record<string, unknown>)[step], rest, value) };
}
