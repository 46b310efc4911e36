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
  const [first, ...others] = found.anyOf ?? [found];
  return others.length === 1 && others[0]?.type === 'null' && first ? first : found;
}

export const isRequired = (operation: OperationName, name: string): boolean =>
  OPERATIONS[operation].input.required?.includes(name) === true;

/** `1-200 characters`, `1-100`, `up or down`; empty where there is nothing to say. */
export function boundsText({ description, enum: values, anyOf, ...schema }: Schema): string {
  if (description !== undefined)
    return description.replace(/^[A-Z]/, (first) => first.toLowerCase()).replace(/\.$/, '');
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
