/** What the schema of an input says, in words for the help of a command. */
import { OPERATIONS } from './generated/table.ts';
import type { OperationName, Schema } from './table.ts';

/**
 * The schema of one input of an operation, without the null that stands for absent; within an object by its path:
 * `identity.signature`. Throws RangeError for none.
 */
export function inputSchema(operation: OperationName, path: string): Schema {
  const found = path
    .split('.')
    .reduce<Schema | undefined>((schema, name) => schema?.properties?.[name], OPERATIONS[operation].input);
  if (found === undefined) throw new RangeError(`${operation} has no input ${path}`);
  const { anyOf, ...rest } = found;
  const [first, ...others] = anyOf ?? [];
  return others.length === 1 && others[0]?.type === 'null' ? { ...first, ...rest } : found;
}

export const isRequired = (operation: OperationName, name: string): boolean =>
  OPERATIONS[operation].input.required?.includes(name) === true;

/** What an input is and its bounds, as a phrase: what it is told to be may have the bounds in it. */
export function inputText(schema: Schema): string {
  const { description = '' } = schema;
  const phrase = description.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase()).replace(/\.$/, '');
  return /\d/.test(phrase) ? phrase : [phrase, boundsText(schema)].filter(Boolean).join(', ');
}

/** `1-200 characters`, `1-100`, `up or down`; empty where there is nothing to say. */
export function boundsText({ enum: values, anyOf, ...schema }: Schema): string {
  if (values !== undefined) return oneOf(values.map(String));
  if (anyOf?.[0] !== undefined) return boundsText(anyOf[0]);
  if (schema.type === 'string') return lengthText(schema);
  if (schema.type === 'array')
    return `${rangeText(schema.minItems, schema.maxItems)} of ${boundsText(schema.items ?? {})}`;
  return schema.type === 'integer' ? rangeText(schema.minimum, schema.maximum) : '';
}

function lengthText({ minLength = 0, maxLength }: Schema): string {
  if (maxLength === undefined) return '';
  return `${rangeText(minLength === 0 ? undefined : minLength, maxLength)} characters`;
}

function rangeText(from: number | undefined, to: number | undefined): string {
  if (to === undefined) return from === undefined ? '' : `at least ${grouped(from)}`;
  if (from === undefined) return `at most ${grouped(to)}`;
  return from === to ? grouped(to) : `${grouped(from)}-${grouped(to)}`;
}

const oneOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const grouped = (value: number): string => value.toLocaleString('en-US');
