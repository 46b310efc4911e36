import type BaseJoi from 'joi';
import { describeParts } from '../dependencies/internals.ts';
import { IDENTIFIERS } from '../protocol/ids.ts';
import type { Component } from './shape.ts';

/** A JSON Schema, draft 2020-12, for OpenAPI 3.1 and MCP. */
export type JsonSchema = { [keyword: string]: unknown };

export interface Description {
  readonly type: string;
  readonly flags?: {
    presence?: string;
    only?: boolean;
    default?: unknown;
    unknown?: boolean;
    empty?: unknown;
    description?: string;
  };
  readonly allow?: readonly unknown[];
  readonly rules?: readonly { name: string; args?: { limit?: number; regex?: string } }[];
  readonly keys?: Readonly<Record<string, Description>>;
  /** Properties of any name that matches, each with the same schema. */
  readonly patterns?: readonly { readonly regex?: string; readonly rule: Description }[];
  readonly items?: readonly Description[];
  readonly matches?: readonly { schema?: Description }[];
  readonly metas?: readonly Meta[];
}

export interface Meta extends JsonSchema {
  readonly component?: Component | null;
  readonly brief?: string;
  /** The most characters of its JSON (`withinCharacters`); not written out. */
  readonly jsonCharacters?: number;
  readonly maxLength?: number;
}

export interface Writing {
  /** Collects named schemas, which are then referred to. Without it they are inlined. */
  readonly components?: Map<string, JsonSchema>;
  /** For models, in few bytes: without nulls, closed objects, excluded values, id patterns and bounds of 0 or 1. */
  readonly brief?: boolean;
}

const descriptions = new WeakMap<BaseJoi.Schema, Description>();

/** Joi's description of a schema, computed once. Callers must not change it. */
export function describeSchema(schema: BaseJoi.Schema): Description {
  const known = descriptions.get(schema);
  if (known) return known;
  const description = describeParts(schema, describeSchema) as Description;
  descriptions.set(schema, description);
  return description;
}

/** Joi's own emitter drops custom rules, null beside an enumeration, and what `metas` declare. */
export function jsonSchema(schema: BaseJoi.Schema, writing: Writing = {}): JsonSchema {
  return fromDescription(describeSchema(schema), writing);
}

function fromDescription(described: Description, writing: Writing): JsonSchema {
  const { allow = [], flags = {}, metas = [] } = described;
  const { component, brief, jsonCharacters: _, ...extra } = Object.assign({}, ...metas) as Meta;
  // With `empty(null)` an optional property takes null for absent.
  const nullable = allow.includes(null) || (flags.empty !== undefined && !writing.brief);
  const byDefault = flags.default === undefined ? {} : { default: flags.default };
  const description = flags.description === undefined ? {} : { description: flags.description };
  if (writing.brief && brief !== undefined) return { type: described.type, description: brief };
  if (component && writing.components) {
    const written = { description: component.description, ...bare(described, extra, writing) };
    const { $ref } = refer(component.name, written, writing.components);
    const own = flags.description === component.description ? {} : description;
    return nullable ? { ...orNull({ $ref }), ...own } : { $ref, ...own };
  }
  const schema = { ...bare(described, extra, writing), ...byDefault };
  return { ...(nullable ? orNull(schema) : schema), ...description };
}

function bare(described: Description, extra: JsonSchema, writing: Writing): JsonSchema {
  const { allow = [], flags = {} } = described;
  const values = allow.filter((value) => value !== null && typeof value !== 'object' && value !== '');
  if (flags.only) return { ...typed(described.type), enum: values };
  const schema = { ...ofType(described, allow.includes(''), writing), ...extra };
  return writing.brief ? inFewBytes(schema) : schema;
}

/** Callers copy ids from responses, and descriptions say of what. */
const ID_PATTERNS: readonly unknown[] = Object.values(IDENTIFIERS);

const isLeftOut = (keyword: string, value: unknown): boolean =>
  keyword === 'not' ||
  ((keyword === 'minLength' || keyword === 'minimum') && (value === 0 || value === 1)) ||
  (keyword === 'pattern' && ID_PATTERNS.includes(value));

/** Removes keywords that tell models little, at any depth. */
const inFewBytes = (schema: JsonSchema): JsonSchema =>
  JSON.parse(JSON.stringify(schema), (keyword, value) => (isLeftOut(keyword, value) ? undefined : value)) as JsonSchema;

/** Adds a schema to the components. Two with one name would be one type in generated clients. */
function refer(name: string, schema: JsonSchema, components: Map<string, JsonSchema>): { $ref: string } {
  const known = components.get(name);
  if (known && JSON.stringify(known) !== JSON.stringify(schema)) throw new Error(`two schemas are named ${name}`);
  components.set(name, schema);
  return { $ref: `#/components/schemas/${name}` };
}

const typed = (type: string): JsonSchema => (type === 'any' || type === 'alternatives' ? {} : { type });

function ofType(description: Description, mayBeEmpty: boolean, writing: Writing): JsonSchema {
  switch (description.type) {
    case 'string':
      return {
        type: 'string',
        ...(mayBeEmpty ? {} : { minLength: 1 }),
        ...convertRules(description, STRING_RULES),
      };
    case 'number':
      return {
        type: description.rules?.some(({ name }) => name === 'integer') ? 'integer' : 'number',
        ...convertRules(description, NUMBER_RULES),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      return { type: 'array', ...items(description, writing), ...convertRules(description, ARRAY_RULES) };
    case 'object':
      return object(description, writing);
    case 'alternatives':
      return {
        anyOf: (description.matches ?? []).flatMap(({ schema }) => (schema ? [fromDescription(schema, writing)] : [])),
      };
    case 'any':
      return {};
    default:
      throw new Error(`no JSON Schema for ${description.type}`);
  }
}

type Rules = Readonly<Record<string, (args: { limit?: number; regex?: string }) => JsonSchema>>;

const STRING_RULES: Rules = {
  min: ({ limit }) => ({ minLength: limit }),
  max: ({ limit }) => ({ maxLength: limit }),
  length: ({ limit }) => ({ minLength: limit, maxLength: limit }),
  pattern: ({ regex = '' }) => ({ pattern: patternOf(regex) }),
};
const NUMBER_RULES: Rules = {
  min: ({ limit }) => ({ minimum: limit }),
  max: ({ limit }) => ({ maximum: limit }),
  greater: ({ limit }) => ({ exclusiveMinimum: limit }),
};
const ARRAY_RULES: Rules = {
  min: ({ limit }) => ({ minItems: limit }),
  max: ({ limit }) => ({ maxItems: limit }),
  unique: () => ({ uniqueItems: true }),
};

const convertRules = ({ rules = [] }: Description, known: Rules): JsonSchema =>
  Object.assign({}, ...rules.map(({ name, args = {} }) => known[name]?.(args) ?? {})) as JsonSchema;

const items = ({ items: schemas = [] }: Description, writing: Writing): JsonSchema => {
  const [first, ...others] = schemas.map((each) => fromDescription(each, writing));
  if (!first) return {};
  return { items: others.length === 0 ? first : { anyOf: [first, ...others] } };
};

function object({ keys, patterns, flags = {} }: Description, writing: Writing): JsonSchema {
  if (!keys) return { type: 'object', ...(patterns ? patternProperties(patterns, writing) : {}) };
  const entries = Object.entries(keys).filter(([, { flags: own }]) => own?.presence !== 'forbidden');
  const required = entries.filter(([, { flags: own }]) => own?.presence === 'required').map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, each]) => [name, fromDescription(each, writing)])),
    ...(required.length === 0 ? {} : { required }),
    ...(writing.brief ? {} : { additionalProperties: flags.unknown === true }),
  };
}

const patternProperties = (patterns: NonNullable<Description['patterns']>, writing: Writing): JsonSchema => ({
  patternProperties: Object.fromEntries(
    patterns.map(({ regex = '', rule }) => [patternOf(regex), fromDescription(rule, writing)]),
  ),
});

/** The source of a pattern, which Joi describes between slashes. */
const patternOf = (regex: string): string => regex.slice(1, regex.lastIndexOf('/'));

/** The schema of an optional property where there is no null, as in a query. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  const [first, second] = (anyOf ?? []) as JsonSchema[];
  return first && second?.type === 'null' ? { ...first, ...rest } : schema;
}

/** A schema that also takes null, in two branches: some readers of tool schemas do not know a list of types. */
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
