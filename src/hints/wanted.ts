/** Describes what a schema accepts, in the sentences that MCP and the TypeScript client show. */
import { identifierNoun, recognisedNoun } from './identifiers.ts';
import { didYouMean } from './nearest.ts';
import { patternText } from './pattern.ts';
import { type Schema, withoutNull } from './schema.ts';
import { grouped, joined, oneOf } from './words.ts';

/** An example is clearer than the name of the standard. */
const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'a time such as 2026-01-31T12:00:00Z' };

const KINDS: Readonly<Record<NonNullable<Schema['type']>, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** Kind and bounds (docs/errors#hints): `a whole number, 1 to 20`. For an enumeration, its values. */
export function wantedText(schema: Schema): string {
  const { type, anyOf, enum: values } = withoutNull(schema);
  if (anyOf !== undefined) return formsText(anyOf);
  const kind = type === undefined || values !== undefined ? '' : KINDS[type];
  return joined([kind, boundsText(schema)]) || 'any JSON';
}

/** Programs make envelopes, so a text is named first. */
function formsText(forms: readonly Schema[]): string {
  const others = forms.filter((form) => !isEnvelope(form)).map(wantedText);
  return `${others.join(', or ')}${forms.some(isEnvelope) ? ' (an envelope only in an encrypted community)' : ''}`;
}

const isEnvelope = ({ properties }: Schema): boolean => properties?.format?.enum?.includes(ENVELOPE_FORMAT) === true;
const ENVELOPE_FORMAT = 'svc-envelope-v1';

const CONTRASTED: Readonly<Partial<Record<NonNullable<Schema['type']>, string>>> = {
  integer: 'a number',
  number: 'a number',
  boolean: 'a boolean',
};

/** A value of the wrong kind: `a number, not text (a whole number, 1 to 20)`. */
export function wrongKindText(schema: Schema, value: unknown): string {
  const wanted = wantedText(schema);
  if (typeof value !== 'string') return wanted;
  const { type = 'null', enum: values } = schema;
  if (/^\s*\{/.test(value) && type === 'object') return 'an object, not JSON in a string';
  if (/^\s*\[/.test(value) && type === 'array') return `a list, not JSON in a string${bracketed(boundsText(schema))}`;
  const kind = CONTRASTED[type];
  if (kind !== undefined) return `${kind}, not text${bracketed(kind === KINDS[type] ? boundsText(schema) : wanted)}`;
  return wanted + (values === undefined ? '' : didYouMean(value, values.map(String)));
}

/** A value of the right kind out of bounds: `a handle, not an agent id (3 to 64 of a-z, 0-9 and -)`. */
export function wrongFormText(schema: Schema, value: unknown, field: string): string {
  const bounds = boundsText(schema);
  const { pattern } = schema;
  if (pattern === undefined || typeof value !== 'string') return bounds;
  if (value.startsWith('@') && new RegExp(pattern).test(value.slice(1))) return `without the @ (${bounds})`;
  const wanted = identifierNoun(pattern, field);
  const sent = recognisedNoun(value, wanted);
  return sent === undefined ? bounds : `${joined([wanted ?? '', `not ${sent}`])} (${bounds})`;
}

/** For a cursor the reason is unknown: other filters, another list, another caller, or made up. */
export function ruleText(schema: Schema, field: string): string {
  if (field !== 'cursor') return inputText(schema) || wantedText(schema);
  return `not valid with these filters: pass ${phraseOf(schema)} with the same filters, or omit it to start over`;
}

/** The bounds: `1 to 20`, `3 to 64 of a-z, 0-9 and -`, `up or down`; empty without bounds. */
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

/** The description with the bounds, unless it has them already: a number, or every value of an enumeration. */
export function inputText(schema: Schema): string {
  const phrase = phraseOf(schema);
  const values = withoutNull(schema).enum;
  const hasValues = values?.every((value) => phrase.split(/\W+/).includes(String(value))) ?? false;
  return hasValues || /\d/.test(phrase) ? phrase : joined([phrase, boundsText(schema)]);
}

const phraseOf = ({ description = '' }: Schema): string =>
  description.replace(/^[A-Z](?=[a-z]*(?:[ ,:.]|$))/, (first) => first.toLowerCase()).replace(/\.$/, '');

function formText({ pattern, format, minLength = 0, maxLength }: Schema): string {
  const form = pattern === undefined ? (FORMATS[format ?? ''] ?? format ?? '') : patternText(pattern);
  // A form implies that the text is not empty.
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

const bracketed = (text: string): string => (text === '' ? '' : ` (${text})`);
const prefixed = (prefix: string, text: string): string => (text === '' ? '' : `${prefix}${text}`);
