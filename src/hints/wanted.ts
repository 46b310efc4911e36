/** What a schema takes, in words and numbers: the one place where such a sentence is written. */
import { patternText } from './pattern.ts';
import { type Schema, withoutNull } from './schema.ts';
import { grouped, joined, oneOf } from './words.ts';

/** An example says more than the name of the standard. */
const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'a time such as 2026-01-31T12:00:00Z' };

/** What kind of value it takes; without what `boundsText` says of it. */
const KINDS: Readonly<Record<NonNullable<Schema['type']>, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** How a hint tells kind and bounds (docs/errors#hints): `a whole number, 1 to 20`; of an enumeration its values. */
export function wantedText(schema: Schema): string {
  const { type, anyOf, enum: values } = withoutNull(schema);
  if (anyOf !== undefined) return anyOf.map(wantedText).join(', or ');
  const kind = type === undefined || values !== undefined ? '' : KINDS[type];
  return joined([kind, boundsText(schema)]) || 'any JSON';
}

/** The bounds alone: `1 to 20`, `3 to 64 of a-z, 0-9 and -`, `up or down`; empty where there is nothing to say. */
export function boundsText(schema: Schema): string {
  const { enum: values, anyOf, ...bare } = withoutNull(schema);
  if (values !== undefined) return oneOf(values.map(String));
  if (anyOf !== undefined) return boundsText(anyOf[0] ?? {});
  switch (bare.type) {
    case 'string':
      return joined([formText(bare), bare.not?.const === undefined ? '' : `not ${String(bare.not.const)}`]);
    case 'integer':
    case 'number':
      return amountText(bare);
    case 'array':
      return joined([
        rangeText(bare.minItems, bare.maxItems, 'items'),
        prefixed('each ', boundsText(bare.items ?? {})),
        bare.uniqueItems ? 'no two alike' : '',
      ]);
    default:
      return '';
  }
}

/** What an input is and its bounds, as a phrase: what it is told to be may have the bounds in it. */
export function inputText(schema: Schema): string {
  const { description = '' } = schema;
  const phrase = description.replace(/^[A-Z](?=[a-z ])/, (first) => first.toLowerCase()).replace(/\.$/, '');
  return /\d/.test(phrase) ? phrase : joined([phrase, boundsText(schema)]);
}

function formText({ pattern, format, minLength = 0, maxLength }: Schema): string {
  const form = pattern === undefined ? (FORMATS[format ?? ''] ?? format ?? '') : patternText(pattern);
  // A form says already that it is not empty.
  if (maxLength === undefined) return form || (minLength === 0 ? '' : 'not empty');
  return joined([rangeText(minLength === 0 ? undefined : minLength, maxLength, 'characters'), form]);
}

function amountText({ minimum, maximum, exclusiveMinimum }: Schema): string {
  if (exclusiveMinimum === undefined) return rangeText(minimum, maximum);
  return joined([`more than ${grouped(exclusiveMinimum)}`, rangeText(undefined, maximum)]);
}

function rangeText(from: number | undefined, to: number | undefined, unit?: string): string {
  const text =
    to === undefined
      ? prefixed('at least ', from === undefined ? '' : grouped(from))
      : from === undefined
        ? `at most ${grouped(to)}`
        : from === to
          ? grouped(to)
          : `${grouped(from)} to ${grouped(to)}`;
  return text === '' || unit === undefined ? text : `${text} ${unit}`;
}

const prefixed = (prefix: string, text: string): string => (text === '' ? '' : `${prefix}${text}`);
