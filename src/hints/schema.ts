/** The keywords of JSON Schema (draft 2020-12) that inputs use. Lengths are in code points. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** Removes the null branch, which means absent, and keeps the keywords beside the branches. */
export function withoutNull(schema: Schema): Schema {
  const { anyOf, ...rest } = schema;
  const [first, ...others] = anyOf ?? [];
  return others.length === 1 && others[0]?.type === 'null' ? { ...first, ...rest } : schema;
}

/** The schema at a path such as `identity.client` or `rules[2].outcome`. */
export function schemaAt(schema: Schema, path: string): Schema | undefined {
  const steps = path.match(/[^.[\]]+|\[/g) ?? [];
  let found: Schema | undefined = schema;
  for (const step of steps) {
    if (found === undefined) return undefined;
    if (/^\d+$/.test(step)) continue;
    found = step === '[' ? itemsOf(found) : propertyOf(found, step);
  }
  return found && withoutNull(found);
}

const branches = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(branches) ?? [schema];

const itemsOf = (schema: Schema): Schema | undefined => branches(schema).find(({ items }) => items)?.items;

function propertyOf(schema: Schema, name: string): Schema | undefined {
  const found = branches(schema).find(({ properties = {} }) => Object.hasOwn(properties, name));
  return found?.properties?.[name];
}
