import type { JsonSchema } from '../../operation/jsonSchema.ts';

/** In a sent object, an optional property may also be undefined. */
type Direction = 'sent' | 'received';

export interface Parts {
  readonly $ref: string;
  readonly description: string;
  readonly type: string;
  readonly anyOf: readonly JsonSchema[];
  readonly enum: readonly unknown[];
  readonly items: JsonSchema;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

/** Longer descriptions are only in the documentation. */
const MAX_HINT = 200;

/** Writes the types of schemas. Each component becomes one declaration, or two if it is both sent and received. */
export class TypeWriter {
  readonly #components: ReadonlyMap<string, JsonSchema>;
  readonly #declared = new Map<string, string>();

  constructor(components: ReadonlyMap<string, JsonSchema>) {
    this.#components = components;
  }

  type(schema: JsonSchema, direction: Direction): string {
    const { $ref, type, anyOf, enum: values, items, properties } = schema as Partial<Parts>;
    if ($ref !== undefined) return this.#component($ref.slice($ref.lastIndexOf('/') + 1), direction);
    if (anyOf) return [...new Set(anyOf.map((each) => this.type(each, direction)))].join(' | ');
    if (values) return values.map(literal).join(' | ');
    if (type === 'integer') return 'number';
    if (type === 'array') return arrayOf(items ? this.type(items, direction) : 'unknown');
    if (type !== 'object') return type ?? 'unknown';
    if (!properties) return 'Record<string, unknown>';
    return Object.keys(properties).length === 0 ? 'object' : this.#members(schema, direction);
  }

  /** The declarations of the components that `type` has referred to, in the order of their names. */
  declarations(): string[] {
    return [...this.#declared].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  #component(component: string, direction: Direction): string {
    const name = direction === 'sent' && !component.endsWith('Input') ? `${component}Input` : component;
    if (this.#declared.has(name)) return name;
    this.#declared.set(name, '');
    const schema = this.#components.get(component)!;
    const text = this.type(schema, direction);
    const isInterface = (schema as Partial<Parts>).anyOf === undefined && text.startsWith('{');
    this.#declared.set(name, isInterface ? `export interface ${name} ${text}` : `export type ${name} = ${text};`);
    return name;
  }

  #members(schema: JsonSchema, direction: Direction): string {
    const { properties = {}, required = [] } = schema as Partial<Parts>;
    const lines = Object.entries(properties).map(([name, property]) => {
      const text = this.type(property, direction);
      const { description = '' } = property as Partial<Parts>;
      const isShort = description !== '' && description.length <= MAX_HINT;
      const comment = isShort ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
      if (required.includes(name)) return `${comment}${name}: ${text};`;
      return `${comment}${name}?: ${text}${direction === 'sent' && text !== 'unknown' ? ' | undefined' : ''};`;
    });
    return `{\n${indent(lines.join('\n'))}\n}`;
  }
}

const arrayOf = (item: string): string => (/^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`);

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

export const indent = (text: string): string => text.replaceAll(/^/gm, '  ');
