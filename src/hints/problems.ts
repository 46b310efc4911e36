/** Lists how an input violates a schema, in sentences that repeat only names of properties. */
import { isFieldName } from '../platform/codec/text.ts';
import { isOfKind, isWithin } from './accepts.ts';
import { didYouMean } from './nearest.ts';
import { type Schema, withoutNull } from './schema.ts';
import { wantedText, wrongFormText, wrongKindText } from './wanted.ts';
import { allOf } from './words.ts';

export interface Problem {
  /** The `field` of a refusal; empty for the input itself and for invalid names. */
  readonly field: string;
  /** `limit: 1 to 20`. */
  readonly text: string;
}

const MAX_PROBLEMS = 8;
const MAX_NAMES = 12;

/** Returns at most eight problems, in the order of the schema. */
export function problemsOf(schema: Schema, input: unknown): readonly Problem[] {
  const search = new Search();
  search.look(schema, input, '');
  return search.found;
}

class Search {
  readonly found: Problem[] = [];

  look(declared: Schema, value: unknown, field: string): void {
    if (this.isFull || (value === null && declared.anyOf?.some(({ type }) => type === 'null'))) return;
    const schema = withoutNull(declared);
    if (schema.anyOf !== undefined) this.lookAtForms(schema, schema.anyOf, value, field);
    else if (!isOfKind(schema, value)) this.add(field, wrongKindText(schema, value));
    else if (!isWithin(schema, value)) this.add(field, wrongFormText(schema, value, field));
    else if (Array.isArray(value)) this.lookAtItems(schema, value, field);
    else if (schema.properties) this.lookInside(schema, value as Readonly<Record<string, unknown>>, field);
  }

  /** Uses the form that was meant; otherwise the sentence names all forms. */
  private lookAtForms(schema: Schema, forms: readonly Schema[], value: unknown, field: string): void {
    const meant = forms.find((form) => isOfKind(form, value) && isMeant(form, value as object));
    if (meant === undefined) this.add(field, wantedText(schema));
    else this.look(meant, value, field);
  }

  private lookAtItems({ items }: Schema, values: readonly unknown[], field: string): void {
    if (items === undefined) return;
    for (const [index, value] of values.entries()) {
      if (this.isFull) return;
      this.look(items, value, `${field}[${index}]`);
    }
  }

  private lookInside(schema: Schema, value: Readonly<Record<string, unknown>>, field: string): void {
    const { properties = {}, required = [], additionalProperties } = schema;
    for (const [name, property] of Object.entries(properties)) {
      const given = Object.hasOwn(value, name) ? value[name] : undefined;
      const path = field === '' ? name : `${field}.${name}`;
      if (given !== undefined) this.look(property, given, path);
      else if (required.includes(name)) this.add(path, `required, ${wantedText(property)}`);
    }
    if (additionalProperties === true) return;
    for (const name of Object.keys(value)) {
      if (this.isFull) return;
      if (!Object.hasOwn(properties, name) && value[name] !== undefined) this.addUnknown(field, name, properties);
    }
  }

  /** Repeats a name only if `field` of a refusal would. */
  private addUnknown(field: string, name: string, properties: object): void {
    const known = Object.keys(properties);
    const path = field === '' ? name : `${field}.${name}`;
    const shown = isFieldName(path) ? path : '';
    const meant = shown === '' ? '' : didYouMean(name, known);
    const named = known.length === 0 ? 'there are none' : known.length > MAX_NAMES ? '' : `there are ${allOf(known)}`;
    const text = `no ${shown === '' ? 'such property' : `property ${shown}`}${meant || (named && `: ${named}`)}`;
    this.found.push({ field: shown, text });
  }

  private add(field: string, wanted: string): void {
    if (!this.isFull) this.found.push({ field, text: field === '' ? wanted : `${field}: ${wanted}` });
  }

  private get isFull(): boolean {
    return this.found.length >= MAX_PROBLEMS;
  }
}

/** `{text: "…"}` for a body is a wrapped text, not an envelope without its properties. */
const isMeant = ({ required = [] }: Schema, value: object): boolean =>
  required.length === 0 || required.some((name) => Object.hasOwn(value, name));
