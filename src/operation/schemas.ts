import BaseJoi from 'joi';
import { acceptsUnknown, keysOf, presenceOf } from '../dependencies/internals.ts';
import { codePointLength, isFieldName, isOneLine, isVisible } from '../platform/codec/text.ts';
import { IDENTIFIER_MEANINGS, IDENTIFIERS, type IdentifierName } from '../protocol/ids.ts';
import { type Description, describeSchema, type Meta } from './jsonSchema.ts';
import type { Operation } from './operation.ts';
import type { Omitted } from './shape.ts';

/** Joi, in which `__proto__` is an unknown property instead of being dropped silently (docs/formats#json-bodies). */
export const Joi: BaseJoi.Root = BaseJoi.extend((joi) => ({
  type: 'object',
  base: joi.object(),
  // Not `coerce`, which Joi skips when `convert` is false. Objects without keys accept any JSON.
  validate(value: object, { error, original, schema, state }: BaseJoi.CustomHelpers) {
    if (acceptsUnknown(schema) || !Object.hasOwn(original, '__proto__')) return { value };
    const at = state.localize?.([...(state.path ?? []), '__proto__']);
    return { value, errors: [error('object.unknown', { child: '__proto__' }, at)] };
  },
}));

/** Validates without converting. A preference in every schema would cost a request 10 µs more. */
export function validate(schema: BaseJoi.Schema, value: unknown): BaseJoi.ValidationResult {
  const path = crowdIn(schema, value);
  if (!path) return schema.validate(value, { convert: false });
  const unknown = { message: '', type: 'object.unknown', path: [...path] };
  return { value: undefined, error: new Joi.ValidationError('', [unknown], value) };
}

/** More properties than any closed object has. */
const CROWD = 128;

/** Finds an unknown property among more than `CROWD`. Joi would check each of them: 50 ms for 40,000 names. */
function crowdIn(schema: BaseJoi.Schema, value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (schema.type !== 'object' || acceptsUnknown(schema) || typeof value !== 'object' || value === null)
    return undefined;
  const keys = keysOf(schema);
  const names = Object.keys(value);
  if (names.length > CROWD) {
    const unknown = names.find((name) => !keys.some(({ key }) => key === name));
    return unknown === undefined ? undefined : [...path, unknown];
  }
  for (const { key, schema: inner } of keys) {
    if (inner.type !== 'object') continue;
    const found = crowdIn(inner, (value as Readonly<Record<string, unknown>>)[key], [...path, key]);
    if (found) return found;
  }
  return undefined;
}

/** A closed object whose properties are all required unless marked optional; the compiler checks the keys against T. */
export function closed<T extends object>(keys: BaseJoi.StrictSchemaMap<T>): BaseJoi.ObjectSchema<T> {
  return Joi.object(requireKeys(keys as Record<string, BaseJoi.Schema>)) as BaseJoi.ObjectSchema<T>;
}

export const requireKeys = (keys: Readonly<Record<string, BaseJoi.Schema>>): Record<string, BaseJoi.Schema> =>
  Object.fromEntries(
    Object.entries(keys).map(([name, schema]) => [name, presenceOf(schema) === undefined ? schema.required() : schema]),
  );

/** Text without control and bidirectional control characters; length in code points (docs/formats#text). */
export const oneLine = (min: 0 | 1, max: number): BaseJoi.StringSchema => bound(min, max, (text) => isOneLine(text));

/** A heading or a link of a page: one line with a visible character (docs/formats#text). */
export const visibleLine = (max: number): BaseJoi.StringSchema =>
  bound(1, max, (text) => isOneLine(text) && isVisible(text));

/** Longer text, with its length in code points. The parser of the body refuses U+0000 and lone surrogates. */
export const longText = (min: 0 | 1, max: number): BaseJoi.StringSchema => bound(min, max, () => true);

function bound(min: 0 | 1, max: number, accepts: (text: string) => boolean): BaseJoi.StringSchema {
  const schema = Joi.string().custom((text: string, helpers) => {
    // Counting code points is only needed where UTF-16 units are too many: `min` is 0 or 1 everywhere.
    const length = text.length > max ? codePointLength(text) : text.length;
    return length < min || length > max || !accepts(text) ? helpers.error('any.invalid') : text;
  });
  // Joi would count UTF-16 units instead of code points (docs/formats#text).
  return (min === 0 ? schema.allow('') : schema).meta({ minLength: min, maxLength: max });
}

export const identifier = (name: IdentifierName): BaseJoi.StringSchema =>
  Joi.string().pattern(new RegExp(IDENTIFIERS[name])).description(IDENTIFIER_MEANINGS[name]);

/** RFC 3339, UTC, milliseconds, as the service writes times. */
export const timestamp = (): BaseJoi.StringSchema => Joi.string().pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const createdAt = () => timestamp().description('Time of creation.');
export const computedAt = () => timestamp().description('Time at which the figures were computed.');

export const natural = (): BaseJoi.NumberSchema => Joi.number().integer().min(0);

const LINKS = {
  self: 'The full object.',
  agent: 'The card of this agent.',
  agents: 'The list of agents.',
  author: 'The card of the author.',
  check: 'Replays the finding.',
  community: 'The community.',
  constitution: 'The constitution in force.',
  docs: 'The documentation.',
  dossier: 'The public dossier of this agent.',
  greeting: 'Your identity and allowances.',
  list: 'The public list that contains it.',
  members: 'Adds a member to this community.',
  meter: 'The configuration of the meter.',
  post: 'The post of the thread.',
  posts: 'Its posts, newest first.',
  receipts: 'The receipts of the meter.',
  reply: 'Creates a reply to this post.',
  routes: 'The list of all routes.',
  scoring: 'Scores this challenge once it is due.',
  stakes: 'Stakes karma on this challenge.',
  stats: 'Statistics of all feedback.',
  submissions: 'Submits an answer to this challenge.',
  text: 'The proposed text.',
  votes: 'Votes on this amendment.',
  watches: 'Your watches.',
  writes: 'The outcome of a write, by its nonce.',
} as const;

type LinkName = keyof typeof LINKS;

/** Links are relative to the origin and never built from what a request says. */
export const links = <const Name extends LinkName>(...names: Name[]): BaseJoi.ObjectSchema<Record<Name, string>> =>
  closed<Record<string, string>>(Object.fromEntries(names.map((name) => [name, link(LINKS[name])]))).description(
    'Links to related resources.',
  );

export const link = (leadsTo: string): BaseJoi.StringSchema =>
  Joi.string()
    .pattern(/^\/[^\s]*$/)
    .description(leadsTo);

/** A link is read with GET unless `linkMethods` beside it names its method. */
export const linkMethods = <const Name extends LinkName>(
  ...names: Name[]
): BaseJoi.ObjectSchema<Record<Name, 'POST'>> =>
  closed<Record<string, 'POST'>>(
    Object.fromEntries(names.map((name) => [name, Joi.string().valid('POST').description('Method of that link.')])),
  ).description('Methods of links other than GET.');

/** Declares the most characters of a value's JSON, where the schema does not show it. Validation checks them too. */
export const withinCharacters = <S extends BaseJoi.Schema>(jsonCharacters: number, schema: S): S =>
  schema.meta({ jsonCharacters }) as S;

/** A property that may be absent; null means the same (docs/formats#json-bodies). */
export const optional = <S extends BaseJoi.Schema>(schema: S): S & Omitted =>
  schema.optional().empty(null) as S & Omitted;

/** Makes null mean absent where a property is optional (docs/mcp#calling), except where any JSON is a value. */
export function nullMeansAbsent<S extends BaseJoi.ObjectSchema>(input: S): S {
  const isOptional = (schema: BaseJoi.Schema) => schema.type !== 'any' && presenceOf(schema) !== 'required';
  const properties = [...propertiesOf(input)];
  if (!properties.some(([, schema]) => isOptional(schema))) return input;
  // All keys at once: this keeps their order, and each change of a single key would rebuild the whole schema.
  const changed = properties.map(([name, schema]) => [name, isOptional(schema) ? schema.empty(null) : schema]);
  return input.keys(Object.fromEntries(changed)) as S;
}

export const propertiesOf = (input: BaseJoi.ObjectSchema): ReadonlyMap<string, BaseJoi.Schema> =>
  new Map(keysOf(input).map(({ key, schema }) => [key, schema]));

/** The path of an offending property as `field` shows it, such as `finding.supersedes`, if it is a valid name. */
export function fieldOf(path: readonly (string | number)[]): string | undefined {
  const name = path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
  return isFieldName(name) ? name : undefined;
}

const namesKnown = new WeakMap<BaseJoi.ObjectSchema, ReadonlySet<string>>();

/** A field, cut at the first name that the input does not know, so that no made-up name is repeated. */
export function knownField({ input }: { readonly input: BaseJoi.ObjectSchema }, field: string | undefined) {
  if (field === undefined) return undefined;
  const known = namesKnown.get(input) ?? namesIn(input.describe());
  namesKnown.set(input, known);
  const parts = field.split('.');
  const unknown = parts.findIndex((part) => !known.has(part.replace(/\[.*/, '')));
  return (unknown === -1 ? parts : parts.slice(0, unknown)).join('.') || undefined;
}

function namesIn(description: unknown, names = new Set<string>()): ReadonlySet<string> {
  if (typeof description !== 'object' || description === null) return names;
  for (const [key, value] of Object.entries(description)) {
    if (key === 'keys') for (const name of Object.keys(value as object)) names.add(name);
    namesIn(value, names);
  }
  return names;
}

/** No bound is larger; `POST /mcp` has this one. */
export const MAX_BODY_BYTES = 524_288;
/** Added to the largest input, for white space and for long spellings of numbers. */
export const SPARE_BODY_BYTES = 4_096;

/** A character of text has at most 6 bytes in JSON, as `\u00e9`. */
const BYTES_PER_CHARACTER = 6;
/** The longest number that JavaScript writes, `-2.2250738585072014e-308`. */
const NUMBER_BYTES = 24;
/** `false`, and `null` wherever it is allowed. */
const WORD_BYTES = 5;
/** No identifier and no time is longer. */
const PATTERN_CHARACTERS = 64;

const computed = new WeakMap<Operation, number>();

/** The bound of a request body in bytes, declared or computed (docs/limits#request-bodies); 0 without a body. */
export function maxBodyBytesOf(op: Operation): number {
  if (op.method === 'GET') return 0;
  if (op.maxBodyBytes !== undefined) return op.maxBodyBytes;
  const known = computed.get(op);
  if (known !== undefined) return known;
  // Once, at the first use: Joi takes milliseconds to describe a schema.
  const { keys = {} } = describeSchema(op.input);
  const inBody = Object.fromEntries(Object.entries(keys).filter(([name]) => !op.path.includes(`{${name}}`)));
  const bound = Math.min(MAX_BODY_BYTES, objectBytes(inBody, op.name) + SPARE_BODY_BYTES);
  computed.set(op, bound);
  return bound;
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
  const meta = Object.assign({}, ...(described.metas ?? [])) as Meta;
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

function unbounded(at: string): never {
  throw new Error(`${at}: declare how long its JSON may be, with withinCharacters`);
}
