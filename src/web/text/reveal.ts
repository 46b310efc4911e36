import { isAscii } from 'node:buffer';
import { MAY_HIDE, replaceHidden } from '../../protocol/hiddenText.ts';

/**
 * Hidden characters, shown: what stands in a text and cannot be seen, or turns what stands beside it, is written out, so that
 * people see what a program would read. U+202E becomes ⟨U+202E⟩.
 */

/** Two patterns, because one of both takes three times as long. */
const ESCAPE_IN_JSON = /\\[ubf]/;
/** The one of the hidden characters that is ASCII. */
const DELETE = 0x7f;

/** How a mark reads, for those who set it apart. */
export const MARK = /⟨(U\+[0-9A-F]{4,6})⟩/g;

/** Characters that hide text or turn it around are written out (docs/window#texts). */
export const reveal = (text: string): string => replaceHidden(text, mark);

const mark = (codePoint: number): string => `⟨U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** An answer of an operation as pages, feeds and heads show it: no string in it hides anything. `body` is what the JSON says, if known. */
export function revealed(json: string, body: unknown = JSON.parse(json), bytes?: Buffer): unknown {
  return mayHide(json, bytes) || ESCAPE_IN_JSON.test(json) ? revealAll(body) : body;
}

/** Bytes of ASCII, where they are there already, are looked through in a tenth of the time. */
const mayHide = (json: string, bytes: Buffer | undefined): boolean =>
  bytes && isAscii(bytes) ? bytes.includes(DELETE) : MAY_HIDE.test(json);

/** A value with every string in it revealed. */
export function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (typeof value !== 'object' || value === null) return value;
  // Without a prototype, so that `__proto__` is a name like others.
  const shown = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) shown[reveal(name)] = revealAll(each);
  return shown;
}
