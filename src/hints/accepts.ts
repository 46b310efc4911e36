/** Checks the kind and bounds of a value, but not of what is inside it. */
import { codePointLength } from '../platform/codec/text.ts';
import type { Schema } from './schema.ts';

export function isOfKind({ type, enum: values }: Schema, value: unknown): boolean {
  if (values !== undefined) return values.includes(value);
  switch (type) {
    case undefined:
      return true;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

export function isWithin(schema: Schema, value: unknown): boolean {
  if (typeof value === 'string') return isTextWithin(schema, value);
  if (typeof value === 'number') return isAmountWithin(schema, value);
  return !Array.isArray(value) || isListWithin(schema, value);
}

/** The service alone checks formats. */
function isTextWithin({ pattern, minLength = 0, maxLength = Infinity, not }: Schema, text: string): boolean {
  // A code point has at most two units, so texts that are far too long need no count.
  if (text.length > 2 * maxLength) return false;
  const length = codePointLength(text);
  if (length < minLength || length > maxLength || (not !== undefined && text === not.const)) return false;
  return pattern === undefined || compiled(pattern).test(text);
}

function isAmountWithin({ minimum, maximum, exclusiveMinimum }: Schema, amount: number): boolean {
  return (
    amount >= (minimum ?? -Infinity) && amount <= (maximum ?? Infinity) && amount > (exclusiveMinimum ?? -Infinity)
  );
}

function isListWithin({ minItems = 0, maxItems = Infinity, uniqueItems }: Schema, items: readonly unknown[]): boolean {
  if (items.length < minItems || items.length > maxItems) return false;
  return uniqueItems !== true || new Set(items.map((item) => JSON.stringify(item))).size === items.length;
}

const patterns = new Map<string, RegExp>();

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u');
  patterns.set(pattern, known);
  return known;
}
