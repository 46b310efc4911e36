/** TypeScript types as text, computed from the JSON Schemas that the table emits. */
import type { JsonSchema } from '../../kernel/jsonSchema.ts';

/** In what is sent, undefined stands for absent wherever a property may be absent. */
export type Direction = 'sent' | 'received';

export interface TypeSource {
  readonly schema: JsonSchema;
  readonly direction: Direction;
  /** What its shape is called where nothing else says it. */
  readonly name: string;
}

/** Names of shapes by their text written out in full. */
type Names = ReadonlyMap<string, string>;

/** How types are written: with the names of shapes, and with what their properties say unless they are `bare`. */
interface Style {
  readonly names: Names;
  readonly bare?: true;
}

const MAX_HINT = 200;

/** Two shapes are the same when they accept the same, whatever they are said to be. */
const BARE: Style = { names: new Map(), bare: true };

/** They mean something else already, or something different everywhere. */
const UNFIT = ['Array', 'Error', 'Record', 'Links', 'LinkMethods'];

/** An object with properties, wherever in the sources it occurs. */
interface Shape {
  readonly schema: JsonSchema;
  readonly direction: Direction;
  /** How often it stands under which name. */
  readonly uses: Map<string, number>;
}

/**
 * Writes the types of many schemas. A shape that occurs more than once is declared once, named after the property that it
 * stands under again and again; where there is none, or a more frequent shape has that name, it is written out.
 */
export class TypeWriter {
  private readonly shapes = new Map<string, Shape>();
  private readonly names: Names;

  constructor(sources: readonly TypeSource[]) {
    for (const source of sources) this.collect(source);
    this.names = namesOf(this.shapes);
  }

  type(schema: JsonSchema, direction: Direction): string {
    return typeText(schema, direction, { names: this.names });
  }

  /** The declarations of the shapes that have names, in the order of the names. */
  declarations(): string[] {
    const byName = [...this.names].toSorted(([, a], [, b]) => (a < b ? -1 : 1));
    return byName.map(([text, name]) => {
      const { schema, direction } = this.shapes.get(text)!;
      return `export interface ${name} ${membersText(schema, direction, { names: this.names })}`;
    });
  }

  private collect({ schema, direction, name }: TypeSource): void {
    const { anyOf = [], items, properties } = schema as Partial<Parts>;
    for (const branch of anyOf) this.collect({ schema: branch, direction, name });
    if (items) this.collect({ schema: items, direction, name: singular(name) });
    if (!properties || Object.keys(properties).length === 0) return;
    const text = membersText(schema, direction, BARE);
    const shape = this.shapes.get(text) ?? { schema, direction, uses: new Map<string, number>() };
    this.shapes.set(text, shape);
    const used = formatName(properties) ?? pascal(name);
    shape.uses.set(used, (shape.uses.get(used) ?? 0) + 1);
    for (const [property, each] of Object.entries(properties)) {
      // A page is of what the operation is about.
      this.collect({ schema: each, direction, name: property === 'items' ? name : property });
    }
  }
}

interface Parts {
  readonly description: string;
  readonly type: string;
  readonly anyOf: readonly JsonSchema[];
  readonly enum: readonly unknown[];
  readonly items: JsonSchema;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
}

function namesOf(shapes: ReadonlyMap<string, Shape>): Names {
  const total = ({ uses }: Pick<Shape, 'uses'>) => [...uses.values()].reduce((sum, count) => sum + count, 0);
  const repeated = [...shapes].filter(([, shape]) => total(shape) > 1);
  const names = new Map<string, string>();
  const taken = new Set<string>(UNFIT);
  for (const [text, { uses }] of repeated.toSorted(([, a], [, b]) => total(b) - total(a))) {
    const [name, count] = [...uses].reduce((most, next) => (next[1] > most[1] ? next : most));
    if (taken.has(name) || count < 2 || count * 3 <= total({ uses })) continue;
    taken.add(name);
    names.set(text, name);
  }
  return names;
}

function typeText(schema: JsonSchema, direction: Direction, style: Style): string {
  const { type, anyOf, enum: values, items } = schema as Partial<Parts>;
  if (anyOf) return [...new Set(anyOf.map((each) => typeText(each, direction, style)))].join(' | ');
  if (values) return values.map((value) => literal(value)).join(' | ');
  switch (type) {
    case undefined:
      return 'unknown';
    case 'integer':
      return 'number';
    case 'array':
      return arrayText(items, direction, style);
    case 'object':
      return objectText(schema, direction, style);
    default:
      return type;
  }
}

function arrayText(items: JsonSchema | undefined, direction: Direction, style: Style): string {
  const item = items ? typeText(items, direction, style) : 'unknown';
  return /^\w+$/.test(item) ? `${item}[]` : `Array<${item}>`;
}

function objectText(schema: JsonSchema, direction: Direction, style: Style): string {
  const { properties } = schema as Partial<Parts>;
  if (!properties) return 'Record<string, unknown>';
  if (Object.keys(properties).length === 0) return 'object';
  return style.names.get(membersText(schema, direction, BARE)) ?? membersText(schema, direction, style);
}

function membersText(schema: JsonSchema, direction: Direction, style: Style): string {
  const { properties = {}, required = [] } = schema as Partial<Parts>;
  const lines = Object.entries(properties).map(([name, property]) => {
    const text = typeText(property, direction, style);
    const { description } = property as Partial<Parts>;
    // Longer ones are no hints: the grammar of checkers has a chapter.
    const isShort = description !== undefined && description.length <= MAX_HINT;
    const said = !isShort || style.bare ? '' : `/** ${description.replaceAll('*/', '* /')} */\n`;
    if (required.includes(name)) return `${said}${name}: ${text};`;
    return `${said}${name}?: ${text}${direction === 'sent' && text !== 'unknown' ? ' | undefined' : ''};`;
  });
  return `{\n${indent(lines.join('\n'))}\n}`;
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));

export const indent = (text: string): string => text.replaceAll(/^/gm, '  ');

/** `svc-meter-receipt-v1` names the shape that declares it as its format. */
function formatName({ format }: Readonly<Record<string, JsonSchema>>): string | undefined {
  const [value] = ((format as Partial<Parts> | undefined)?.enum ?? []) as readonly string[];
  const [, name] = /^svc-(.+)-v\d+$/.exec(value ?? '') ?? [];
  return name && pascal(name);
}

const singular = (name: string): string => name.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

const pascal = (name: string): string => name.replaceAll(/(?:^|[-_])(\w)/g, (_, first: string) => first.toUpperCase());
