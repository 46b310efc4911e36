import BaseJoi from 'joi';
import { acceptsUnknown, keysOf, presenceOf } from '../dependencies/internals.ts';
import { codePointLength, isFieldName, isOneLine, isVisible } from '../platform/codec/text.ts';
import { IDENTIFIER_MEANINGS, IDENTIFIERS, type IdentifierName } from '../protocol/ids.ts';
import { LINKS, type LinkName } from './linkGuide.ts';
import type { Omitted } from './shape.ts';

/**
 * Joi as all schemas use it: a `__proto__` key, which Joi drops silently, is an unknown property like any other
 * (docs/formats#json-bodies). `validate` below checks values without converting them: "5" is not 5.
 */
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

const STRICT = { convert: false } as const;

/** Validates without converting. A preference in every schema would cost a request 10 µs more. */
export function validate(schema: BaseJoi.Schema, value: unknown): BaseJoi.ValidationResult {
  const path = crowdIn(schema, value);
  return path
    ? { value: undefined, error: new Joi.ValidationError('', [unknownAt(path)], value) }
    : schema.validate(value, STRICT);
}

/** More properties than any closed object has. */
const CROWD = 128;

/**
 * The path of an unknown property in a closed object with more properties than `CROWD`. Joi would copy such an object and check each of
 * them, which takes 50 ms for 40,000 names.
 */
function crowdIn(schema: BaseJoi.Schema, value: unknown, path: readonly string[] = []): readonly string[] | undefined {
  if (schema.type !== 'object' || acceptsUnknown(schema) || typeof value !== 'object' || value === null)
    return undefined;
  const keys = keysOf(schema);
  let count = 0;
  for (const _name in value) count += 1;
  if (count > CROWD) {
    const unknown = Object.keys(value).find((name) => !keys.some(({ key }) => key === name));
    return unknown === undefined ? undefined : [...path, unknown];
  }
  for (const { key, schema: inner } of keys) {
    if (inner.type !== 'object') continue;
    const found = crowdIn(inner, (value as Readonly<Record<string, unknown>>)[key], [...path, key]);
    if (found) return found;
  }
  return undefined;
}

const unknownAt = (path: readonly string[]): BaseJoi.ValidationErrorItem => ({
  message: '',
  type: 'object.unknown',
  path: [...path],
});

/** A closed object whose properties are all required unless marked optional; the compiler checks the keys against T. */
export function closed<T extends object>(keys: BaseJoi.StrictSchemaMap<T>): BaseJoi.ObjectSchema<T> {
  return Joi.object(requireKeys(keys as Record<string, BaseJoi.Schema>)) as BaseJoi.ObjectSchema<T>;
}

/** The same properties, required unless their schema says otherwise. */
export const requireKeys = (keys: Readonly<Record<string, BaseJoi.Schema>>): Record<string, BaseJoi.Schema> =>
  Object.fromEntries(Object.entries(keys).map(([name, schema]) => [name, requireByDefault(schema)]));

function requireByDefault(schema: BaseJoi.Schema): BaseJoi.Schema {
  return presenceOf(schema) === undefined ? schema.required() : schema;
}

/**
 * Text shown in one line: no control and no bidirectional control characters; length in code points
 * (docs/formats#text).
 */
export const oneLine = (min: 0 | 1, max: number): BaseJoi.StringSchema => bound(min, max, (text) => isOneLine(text));

/** What stands as a heading or a link of a page: one line with something to see in it (docs/formats#text). */
export const visibleLine = (max: number): BaseJoi.StringSchema =>
  bound(1, max, (text) => isOneLine(text) && isVisible(text));

/** Longer text; U+0000 and lone surrogates were refused when the body was parsed. Length in code points. */
export const longText = (min: 0 | 1, max: number): BaseJoi.StringSchema => bound(min, max, () => true);

function bound(min: 0 | 1, max: number, accepts: (text: string) => boolean): BaseJoi.StringSchema {
  const schema = Joi.string().custom((text: string, helpers) => {
    // Counting code points is only needed where UTF-16 units are too many: `min` is 0 or 1 everywhere.
    const length = text.length > max ? codePointLength(text) : text.length;
    return length < min || length > max || !accepts(text) ? helpers.error('any.invalid') : text;
  });
  // Joi counts UTF-16 units where JSON Schema and docs/formats#text count code points: declared here, checked above.
  return (min === 0 ? schema.allow('') : schema).meta({ minLength: min, maxLength: max });
}

/** An identifier of docs/reading#names. */
export const identifier = (name: IdentifierName): BaseJoi.StringSchema =>
  Joi.string().pattern(new RegExp(IDENTIFIERS[name])).description(IDENTIFIER_MEANINGS[name]);

/** RFC 3339, UTC, milliseconds, as the service writes times. */
export const timestamp = (): BaseJoi.StringSchema => Joi.string().pattern(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The times that what is stored, and what is computed, have everywhere. */
export const createdAt = () => timestamp().description('When it was made.');
export const computedAt = () => timestamp().description('When these figures were taken.');

export const natural = (): BaseJoi.NumberSchema => Joi.number().integer().min(0);

/** Links are relative to the origin and never built from what a request says. */
export const links = <const Name extends LinkName>(...names: Name[]): BaseJoi.ObjectSchema<Record<Name, string>> =>
  closed<Record<string, string>>(Object.fromEntries(names.map((name) => [name, link(LINKS[name])]))).description(
    'Where it goes from here.',
  );

/** A path of this service. */
export const link = (leadsTo: string): BaseJoi.StringSchema =>
  Joi.string()
    .pattern(/^\/[^\s]*$/)
    .description(leadsTo);

/** A link is read with GET unless `linkMethods` beside it names its method. */
export const linkMethods = <const Name extends LinkName>(
  ...names: Name[]
): BaseJoi.ObjectSchema<Record<Name, 'POST'>> =>
  closed<Record<string, 'POST'>>(
    Object.fromEntries(names.map((name) => [name, Joi.string().valid('POST').description('The method of that link.')])),
  ).description('Methods of the links that are not read with GET.');

/**
 * Declares the most characters that the JSON of a value has, where the schema does not show it. The bound of the request
 * body follows from it (`bodyBound.ts`); what checks the value checks its length too.
 */
export const withinCharacters = <S extends BaseJoi.Schema>(jsonCharacters: number, schema: S): S =>
  schema.meta({ jsonCharacters }) as S;

/** A property that may be absent; null means the same (docs/formats#json-bodies). */
export const optional = <S extends BaseJoi.Schema>(schema: S): S & Omitted =>
  schema.optional().empty(null) as S & Omitted;

/**
 * An input in which null means absent for every optional property, whichever face it comes from
 * (docs/formats#json-bodies, docs/mcp#calling). What may be any JSON decides for itself: as the `result` of a check null is a value.
 */
export function nullMeansAbsent<S extends BaseJoi.ObjectSchema>(input: S): S {
  const isOptional = (schema: BaseJoi.Schema) => schema.type !== 'any' && presenceOf(schema) !== 'required';
  const properties = [...propertiesOf(input)];
  if (!properties.some(([, schema]) => isOptional(schema))) return input;
  // All at once, those that stay as well, so that their order stays too: each change of one alone builds the whole anew.
  const changed = properties.map(([name, schema]) => [name, isOptional(schema) ? schema.empty(null) : schema]);
  return input.keys(Object.fromEntries(changed)) as S;
}

export const propertiesOf = (input: BaseJoi.ObjectSchema): ReadonlyMap<string, BaseJoi.Schema> =>
  new Map(keysOf(input).map(({ key, schema }) => [key, schema]));

/** The path of an offending property as `field` shows it: `finding.supersedes`, or nothing when it is no such name. */
export function fieldOf(path: readonly (string | number)[]): string | undefined {
  const name = path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
  return isFieldName(name) ? name : undefined;
}

/** The names that the input of an operation knows, at any depth. */
const namesKnown = new WeakMap<BaseJoi.ObjectSchema, ReadonlySet<string>>();

/** A field as far as its names are those of the operation's own input, so that nothing is repeated that somebody made up. */
export function knownField(
  { input }: { readonly input: BaseJoi.ObjectSchema },
  field: string | undefined,
): string | undefined {
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
