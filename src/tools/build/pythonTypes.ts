import type { JsonSchema } from '../../operation/jsonSchema.ts';
import type { Parts } from './typeWriter.ts';

const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Names that a class cannot declare. */
const KEYWORDS =
  /^(?:False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;
const MAX_COMMENT = 110;

export const isPythonName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.test(name);

/** Writes types for Python 3.9. Each object is a `TypedDict`, which is declared before its first use. */
export class PythonTypes {
  private readonly components: ReadonlyMap<string, JsonSchema>;
  private readonly declared = new Map<string, string>();

  constructor(components: ReadonlyMap<string, JsonSchema>) {
    this.components = components;
  }

  /** The type of a schema. `name` is for the declaration of an object. */
  type(schema: JsonSchema, name: string): string {
    const { $ref, type, anyOf, enum: values, items, properties } = schema as Partial<Parts>;
    if ($ref !== undefined) return this.component($ref.slice($ref.lastIndexOf('/') + 1));
    if (anyOf) return union(anyOf.map((each, index) => this.type(each, index === 0 ? name : `${name}${index + 1}`)));
    if (values) return `Literal[${values.map(literal).join(', ')}]`;
    if (type === 'array') return `List[${items ? this.type(items, `${name}Item`) : 'Any'}]`;
    if (type === 'object') return properties ? this.declare(name, schema) : 'Dict[str, Any]';
    return SCALARS[type ?? ''] ?? 'Any';
  }

  declarations(): readonly string[] {
    return [...this.declared.values()];
  }

  names(): readonly string[] {
    return [...this.declared.keys()];
  }

  private component(name: string): string {
    return this.declared.has(name) ? name : this.type(this.components.get(name)!, name);
  }

  private declare(name: string, schema: JsonSchema): string {
    const { properties = {}, required = [], description } = schema as Partial<Parts>;
    if (Object.keys(properties).length === 0) return 'Dict[str, Any]';
    const members = Object.entries(properties).map(([property, each]) => ({
      property,
      type: this.type(each, `${name}${capitalized(property)}`),
      said: (each as Partial<Parts>).description,
    }));
    const [needed, others] = [true, false].map((isNeeded) =>
      members.filter(({ property }) => required.includes(property) === isNeeded),
    ) as [Member[], Member[]];
    const text = members.every(({ property }) => isPythonName(property))
      ? classText(name, needed, others, description)
      : calledText(name, needed, others);
    const known = this.declared.get(name);
    if (known !== undefined && known !== text) throw new Error(`two types are named ${name}`);
    this.declared.set(name, text);
    return name;
  }
}

interface Member {
  readonly property: string;
  readonly type: string;
  readonly said: string | undefined;
}

/** Python 3.9 has no optional properties in a class, so the required ones are in a base class. */
function classText(name: string, needed: Member[], others: Member[], description: string | undefined): string {
  const doc = description === undefined ? '' : `    """${sentence(description)}"""\n\n`;
  if (others.length === 0) return `class ${name}(TypedDict):\n${doc}${membersText(needed)}`;
  if (needed.length === 0) return `class ${name}(TypedDict, total=False):\n${doc}${membersText(others)}`;
  const beneath = `class _${name}Required(TypedDict):\n${membersText(needed)}`;
  return `${beneath}\n\n\nclass ${name}(_${name}Required, total=False):\n${doc}${membersText(others)}`;
}

function membersText(members: readonly Member[]): string {
  return members.map(({ property, type, said }) => `${comment(said)}    ${property}: ${type}`).join('\n');
}

/** For properties with names that a class cannot declare. */
function calledText(name: string, needed: Member[], others: Member[]): string {
  if (others.length > 0 && needed.length > 0)
    throw new Error(`${name} has names that are keywords, and some may be absent`);
  const entries = [...needed, ...others].map(({ property, type }) => `'${property}': ${type}`);
  return `${name} = TypedDict('${name}', {${entries.join(', ')}}${needed.length === 0 ? ', total=False' : ''})`;
}

const comment = (said: string | undefined): string =>
  said === undefined || said.length > MAX_COMMENT ? '' : `    #: ${sentence(said)}\n`;

export const sentence = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replaceAll('\n', ' ');

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  const others = different.filter((type) => type !== 'None');
  const joined = others.length === 1 ? others[0]! : `Union[${others.join(', ')}]`;
  return others.length < different.length ? `Optional[${joined}]` : joined;
}

export function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${literal(each)}`);
    return `{${entries.join(', ')}}`;
  }
  return value === null ? 'None' : JSON.stringify(value);
}

export const capitalized = (name: string): string =>
  name.replaceAll(/(?:^|[._-])(\w)/g, (_, first: string) => first.toUpperCase());
