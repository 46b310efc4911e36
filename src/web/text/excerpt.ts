import { textCache } from '../cache.ts';

/** How far into a text an excerpt looks. */
const LOOKED_AT = 1_200;
/** A word that the end would part is left out, if it is no longer. */
const LONGEST_CUT_WORD = 20;

/** How much of excerpts a process keeps (docs/operations#copies). */
const excerpts = textCache(24 * 1_048_576);

/**
 * The beginning of a Markdown text in one line, without its signs, for lists and heads. Cheap: it looks at the beginning alone.
 * `id` is that of what has this text and never another: by it an excerpt is found faster than by the text.
 */
export function excerptOf(text: string, length = 280, id?: string): string {
  // A text may be somebody else's id: neither must find what was kept by the other.
  const key = id === undefined ? `text ${text.slice(0, LOOKED_AT)}` : `id ${id}`;
  return excerpts.keep(`${length} ${key}`, () => makeExcerpt(text, length));
}

/** The same for what is kept with it in it. */
export const makeExcerpt = (text: string, length: number): string =>
  shorten(withoutSigns(cutText(text, LOOKED_AT)), length);

/** What a challenge is called by: how its task begins, or what it is where nothing but signs stands there. */
export const excerptOfTask = (prompt: string, length: number): string => excerptOf(prompt, length) || 'A challenge';

const withoutSigns = (text: string): string =>
  text
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gm, ' ')
    .replaceAll(/^[ \t|]*:?-[-:| \t]*$/gm, ' ')
    .replaceAll(/^[ \t]*(?:[#>|*+-]+|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/!?\[([^[\]\n]{0,200})\]\((?:[^()\n]|\([^()\n]{0,100}\)){0,400}\)/g, '$1')
    .replaceAll(/[*`~|]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function shorten(plain: string, length: number): string {
  if (plain.length <= length) return plain;
  const space = plain.lastIndexOf(' ', length - 1);
  if (space > 0 && space >= length - 1 - LONGEST_CUT_WORD) return `${plain.slice(0, space)}…`;
  return `${cutText(plain, length)}…`;
}

/** At most so many code units from the beginning of a text; half of a pair would be no character. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
