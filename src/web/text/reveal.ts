import { isAscii } from 'node:buffer';
import { MAY_HIDE, replaceHidden } from '../../protocol/hiddenText.ts';

/**
 * Writes invisible characters and those that change the direction of text as ⟨U+202E⟩, so that people see what programs
 * read. Of many combining marks on one letter it keeps a few, because others would cover the lines around them.
 */

/**
 * Escapes in JSON that can stand for hidden characters. One pattern for these and `MAY_HIDE` would take three times as
 * long.
 */
const ESCAPE_IN_JSON = /\\[ubf]/;
/** The only hidden character in ASCII. */
const DELETE = 0x7f;

/** Matches what `reveal` writes. */
export const MARK = /⟨(U\+[0-9A-F]{4,6}|\+\d+ marks?)⟩/g;

/** Marks on a letter that are kept. Marks of one script, such as Hebrew or Tibetan, can be more than general ones. */
const MOST_MARKS = 8;
const MOST_GENERAL_MARKS = 4;
const STACK = new RegExp(`\\p{M}{${MOST_GENERAL_MARKS + 1}}`, 'u');
const STACKS = new RegExp(`\\p{M}{${MOST_GENERAL_MARKS + 1},}`, 'gu');
const GENERAL = /\p{sc=Inherited}/u;

export function reveal(text: string): string {
  const visible = replaceHidden(text, mark);
  return STACK.test(visible) ? visible.replaceAll(STACKS, limitMarks) : visible;
}

function limitMarks(stack: string): string {
  const marks = [...stack];
  let general = 0;
  const cut = marks.findIndex((each, at) => {
    general += Number(GENERAL.test(each));
    return at >= MOST_MARKS || general > MOST_GENERAL_MARKS;
  });
  return cut === -1
    ? stack
    : `${marks.slice(0, cut).join('')}⟨+${marks.length - cut} mark${marks.length - cut === 1 ? '' : 's'}⟩`;
}

const mark = (codePoint: number): string => `⟨U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}⟩`;

/** The response of a read with all strings revealed. `body` is the parsed JSON and `bytes` its encoding, if known. */
export function revealed(json: string, body: unknown = JSON.parse(json), bytes?: Buffer): unknown {
  return mayHide(json, bytes) || ESCAPE_IN_JSON.test(json) ? revealAll(body) : body;
}

/** ASCII bytes, if available, are searched in a tenth of the time. */
const mayHide = (json: string, bytes: Buffer | undefined): boolean =>
  bytes && isAscii(bytes) ? bytes.includes(DELETE) : MAY_HIDE.test(json) || STACK.test(json);

export function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (typeof value !== 'object' || value === null) return value;
  // Without a prototype, so that `__proto__` is an ordinary name.
  const shown = Object.create(null) as Record<string, unknown>;
  for (const [name, each] of Object.entries(value)) shown[reveal(name)] = revealAll(each);
  return shown;
}
