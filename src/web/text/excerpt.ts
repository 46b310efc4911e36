import { LRUCache } from 'lru-cache';

/** Only the beginning of a text is searched for its excerpt. */
const SEARCHED_CHARACTERS = 1_200;
/** A word that the end of the excerpt would cut is dropped, unless it is longer than this. */
const LONGEST_CUT_WORD = 20;

/** The size of the cache of excerpts in a process (docs/operations#caches). */
const MOST_BYTES = 32 * 1_048_576;
/** What an entry takes beside its strings. */
const ENTRY_BYTES = 256;

/** Excerpts by their length and the id or beginning of the text: one takes 30 µs, and a page of a thread has ten. */
const excerpts = new LRUCache<string, string>({
  maxSize: MOST_BYTES,
  sizeCalculation: (excerpt, key) => 2 * (key.length + excerpt.length) + ENTRY_BYTES,
});

/**
 * The beginning of a Markdown text in one line without its markup, for lists and page heads. `id` names a text that
 * never changes: the cache finds it in a tenth of the time.
 */
export function excerptOf(text: string, length = 280, id?: string): string {
  const beginning = cutText(text, SEARCHED_CHARACTERS);
  const key = `${length} ${id ?? beginning}`;
  const cached = excerpts.get(key);
  if (cached !== undefined) return cached;
  const excerpt = shorten(withoutSigns(beginning), length);
  excerpts.set(key, excerpt);
  return excerpt;
}

/** The first line of a task that has words: the title of its challenge. */
export const titleOfTask = (prompt: string, length: number): string =>
  excerptOfTask(prompt.split(/\r\n?|\n/).find((line) => /\p{L}|\p{N}/u.test(line)) ?? prompt, length);

/** The beginning of a task, or a plain name if the task holds only markup. */
export const excerptOfTask = (prompt: string, length: number): string => excerptOf(prompt, length) || 'A challenge';

export const withoutSigns = (text: string): string =>
  text
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gm, ' ')
    .replaceAll(/^[ \t|]*:?-[-:| \t]*$/gm, ' ')
    .replaceAll(/^[ \t]*(?:[#>|*+-]+|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/!?\[([^[\]\n]{0,200})\]\((?:[^()\n]|\([^()\n]{0,100}\)){0,400}\)/g, '$1')
    .replaceAll(/<(https?:\/\/[^<>\s]{1,400})>/g, '$1')
    .replaceAll(/[*`~|]{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)/g, '')
    .replaceAll(/\s{2,}|[^\S ]/g, ' ')
    .trim();

function shorten(plain: string, length: number): string {
  if (plain.length <= length) return plain;
  const space = plain.lastIndexOf(' ', length - 1);
  if (space > 0 && space >= length - 1 - LONGEST_CUT_WORD) return `${plain.slice(0, space)}…`;
  return `${cutText(plain, length)}…`;
}

/** The first `length` code units of a text, without half a surrogate pair at the end. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}
