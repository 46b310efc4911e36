/** White space of any kind: JavaScript's `\s`, and U+0085, which Unicode counts as white space too. */
const WHITE_SPACE = '\\s\\u0085';
const LEADING_MARKERS = new RegExp(`^#+[${WHITE_SPACE}]+`, 'u');
const MORE_THAN_MARKERS = new RegExp(`[^#${WHITE_SPACE}]`, 'u');

/**
 * Returns the title that is stored: the sent title without one leading run of `#` characters and the white space after
 * it (docs/posts). Returns null for a title of markers and white space alone, which is refused.
 */
export function stripTitle(title: string): string | null {
  return MORE_THAN_MARKERS.test(title) ? title.replace(LEADING_MARKERS, '') : null;
}
