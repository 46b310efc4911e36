/** Strings on the wire: docs/formats#text, docs/formats#keys-and-identifiers (base64url), docs/formats#times. */

/** Control characters (C0, DEL, C1), the line and paragraph separators, and the bidirectional controls. */
const NOT_ONE_LINE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u;

/** Letters, digits, punctuation and symbols, except fillers and the blank of Braille, which show nothing. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u;

const FIELD_NAME = /^[A-Za-z_][A-Za-z0-9_.[\]]{0,63}$/;

/** True when `text` is displayed in one line and in the order it is stored: names, titles, capabilities. */
export const isOneLine = (text: string): boolean => !NOT_ONE_LINE.test(text);

/** True when `text` has more than white space and characters without width. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);

export const isFieldName = (name: string): boolean => FIELD_NAME.test(name);

/** Length in Unicode code points; a lone surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _codePoint of text) length++;
  return length;
}

export const encodeBase64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Decodes canonical unpadded base64url; null for any other spelling (docs/formats#keys-and-identifiers). */
export function decodeBase64url(text: string, byteLength?: number): Buffer | null {
  if (byteLength !== undefined && text.length !== Math.ceil((byteLength * 4) / 3)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips what it does not know, so only encoding again shows that nothing was skipped or folded.
  return bytes.toString('base64url') === text ? bytes : null;
}

const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?)(?:(?<=\.\d{3})\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Reads an RFC 3339 date-time with a zone, without leap seconds, years 0000 to 9999 in UTC; null for others. */
export function parseTimestamp(text: string): number | null {
  const [, date, time, zone] = DATE_TIME.exec(text.toUpperCase()) ?? [];
  // `Date` reads February 30 as March 2.
  if (date === undefined || !new Date(date).toISOString().startsWith(date)) return null;
  const ms = Date.parse(date + time + zone);
  const utcYear = new Date(ms).getUTCFullYear();
  return utcYear >= 0 && utcYear <= 9999 ? ms : null;
}

export const toTimestamp = (ms: number): string => new Date(ms).toISOString();
