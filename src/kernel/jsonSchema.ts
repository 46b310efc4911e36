import type BaseJoi from 'joi';

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 and MCP take it. */
export type JsonSchema = { [keyword: string]: unknown };

interface Description {
  readonly type: string;
  readonly flags?: { presence?: string; only?: boolean; default?: unknown; unknown?: boolean; empty?: unknown };
  readonly allow?: readonly unknown[];
  readonly rules?: readonly { name: string; args?: { limit?: number; regex?: string } }[];
  readonly keys?: Readonly<Record<string, Description>>;
  readonly items?: readonly Description[];
  readonly matches?: readonly { schema?: Description }[];
  readonly metas?: readonly JsonSchema[];
}

const descriptions = new WeakMap<BaseJoi.Schema, BaseJoi.Description>();

/** What Joi tells of a schema, asked once: it checks its answer by a schema, which takes milliseconds. Not to be changed. */
export function describeSchema(schema: BaseJoi.Schema): BaseJoi.Description {
  const description = descriptions.get(schema) ?? schema.describe();
  descriptions.set(schema, description);
  return description;
}

/**
 * The JSON Schema of a Joi schema. Joi emits one itself, but drops what is custom, forgets null beside an enumeration
 * and cannot say what `metas` declare (lengths in code points), so the few types used here are written out.
 */
export function jsonSchema(schema: BaseJoi.Schema): JsonSchema {
  return fromDescription(describeSchema(schema) as unknown as Description);
}

function fromDescription(description: Description): JsonSchema {
  const { allow = [], flags = {}, metas = [] } = description;
  const extra = Object.assign({}, ...metas) as JsonSchema;
  // `empty` is how an optional property takes null for absent.
  const nullable = allow.includes(null) || flags.empty !== undefined;
  const values = allow.filter((value) => value !== null && typeof value !== 'object' && value !== '');
  const byDefault = flags.default === undefined ? {} : { default: flags.default };
  const schema = flags.only
    ? { ...typed(description.type), enum: values, ...byDefault }
    : { ...ofType(description, allow.includes('')), ...byDefault, ...extra };
  return nullable ? orNull(schema) : schema;
}

const typed = (type: string): JsonSchema => (type === 'any' || type === 'alternatives' ? {} : { type });

function ofType(description: Description, mayBeEmpty: boolean): JsonSchema {
  switch (description.type) {
    case 'string':
      return { type: 'string', ...(mayBeEmpty ? {} : { minLength: 1 }), ...convertRules(description, STRING_RULES) };
    case 'number':
      return { type: has(description, 'integer') ? 'integer' : 'number', ...convertRules(description, NUMBER_RULES) };
    case 'boolean':
      return { type: 'boolean' };
    case 'array':
      return { type: 'array', ...items(description), ...convertRules(description, ARRAY_RULES) };
    case 'object':
      return object(description);
    case 'alternatives':
      return { anyOf: (description.matches ?? []).flatMap(({ schema }) => (schema ? [fromDescription(schema)] : [])) };
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
  pattern: ({ regex = '' }) => ({ pattern: regex.slice(1, regex.lastIndexOf('/')) }),
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

function convertRules({ rules = [] }: Description, known: Rules): JsonSchema {
  return Object.assign({}, ...rules.map(({ name, args = {} }) => known[name]?.(args) ?? {})) as JsonSchema;
}

const has = ({ rules = [] }: Description, name: string): boolean => rules.some((rule) => rule.name === name);

const items = ({ items: schemas = [] }: Description): JsonSchema => {
  const [first, ...others] = schemas.map(fromDescription);
  if (!first) return {};
  return { items: others.length === 0 ? first : { anyOf: [first, ...others] } };
};

function object({ keys, flags = {} }: Description): JsonSchema {
  if (!keys) return { type: 'object' };
  const entries = Object.entries(keys).filter(([, { flags: own }]) => own?.presence !== 'forbidden');
  const required = entries.filter(([, { flags: own }]) => own?.presence === 'required').map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, description]) => [name, fromDescription(description)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: flags.unknown === true,
  };
}

/** What an optional property is where there is no null, as in a query: the first of the two branches. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const [first, second] = (schema.anyOf ?? []) as JsonSchema[];
  return first && second?.type === 'null' ? first : schema;
}

/** A schema that also takes null. In two branches: some who read tool schemas do not know a list of types. */
const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
