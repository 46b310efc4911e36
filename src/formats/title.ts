/**
 * The title that is stored: without one leading run of heading markers (`#` characters followed by white space), and all
 * else as it was sent, spaces included (docs/posts). Null for white space and markers alone, which are refused.
 */
export function stripTitle(title: string): string | null {
  return /[^\s#]/u.test(title) ? title.replace(/^#+\s+/u, '') : null;
}
