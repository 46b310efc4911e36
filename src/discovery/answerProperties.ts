/** Lists every property of an answer at any depth, for the page of its operation. */
import { type JsonSchema, jsonSchema } from '../operation/jsonSchema.ts';
import type { Operation } from '../operation/operation.ts';

export interface AnswerProperty {
  /** The path from the answer on, such as `items[].author.handle`. Any name is written as `*`. */
  readonly path: string;
  readonly type: string;
  readonly meaning: string;
}

interface Parts {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const REFERENCE = '#/components/schemas/';

export function answerProperties({ output }: Pick<Operation, 'output'>): readonly AnswerProperty[] {
  const components = new Map<string, JsonSchema>();
  const answer = jsonSchema(output, { components });
  return [...new Walk(components).children(answer, '')];
}

class Walk {
  readonly #components: ReadonlyMap<string, JsonSchema>;
  /** The first path of each named type. A later one refers to it. */
  readonly #shown = new Map<string, string>();

  constructor(components: ReadonlyMap<string, JsonSchema>) {
    this.#components = components;
  }

  *children(schema: JsonSchema, path: string): Generator<AnswerProperty> {
    const { $ref, anyOf, items, properties, patternProperties, required = [] } = schema as Parts;
    if ($ref !== undefined) yield* this.children(this.#components.get(nameOf($ref))!, path);
    for (const branch of anyOf ?? []) yield* this.children(branch, path);
    if (items) yield* this.children(items, `${path}[]`);
    for (const [name, property] of Object.entries(properties ?? {}))
      yield* this.#property(path === '' ? name : `${path}.${name}`, property, required.includes(name));
    for (const property of Object.values(patternProperties ?? {})) yield* this.#property(`${path}.*`, property, true);
  }

  *#property(path: string, schema: JsonSchema, isRequired: boolean): Generator<AnswerProperty> {
    const named = namedTypes(schema);
    const first = named.map((name) => this.#shown.get(name)).find((shown) => shown !== undefined);
    const type = `${typeOf(schema)}${isRequired ? '' : ', may be absent'}`;
    const same = first === undefined ? '' : ` Same properties as \`${first}\`.`;
    yield { path, type, meaning: `${this.#meaning(schema)}${same}` };
    if (first !== undefined) return;
    for (const name of named) this.#shown.set(name, (schema as Parts).items ? `${path}[]` : path);
    yield* this.children(schema, path);
  }

  #meaning({ $ref, description }: Parts): string {
    return description ?? String(this.#components.get(nameOf($ref ?? ''))?.description);
  }
}

const nameOf = ($ref: string): string => $ref.slice(REFERENCE.length);

function namedTypes({ $ref, anyOf = [], items }: Parts): readonly string[] {
  if ($ref !== undefined) return [nameOf($ref)];
  return [...anyOf, ...(items ? [items] : [])].flatMap(namedTypes);
}

function typeOf({ $ref, type, enum: values, anyOf, items }: Parts): string {
  if ($ref !== undefined) return nameOf($ref);
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (type === 'array') return `array of ${items ? typeOf(items) : 'any JSON'}`;
  return type ?? 'any JSON';
}
