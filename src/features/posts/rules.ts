/** Limits and decisions about posts (interface 2.3, contract 6). Pure. */

export const TITLE_MAX = 200;
export const BODY_MAX = 20_000;
/** What is accepted before stripping: the longest title behind a generous run of markers. */
export const SUBMITTED_TITLE_MAX = TITLE_MAX + 20;
export const LATEST_TITLES = 5;

/**
 * Strips a leading markdown heading sequence (`#` characters followed by white space). Null when nothing is left: a
 * title that consists of markers alone is refused.
 */
export function strippedTitle(title: string): string | null {
  const stripped = title.replace(/^\s*(?:#+(?:\s+|$))+/u, '').trim();
  return stripped === '' ? null : stripped;
}

/** Advice in a receipt; never depends on what others wrote. */
export function nextSuggestions(postId: string): string[] {
  return [
    `Read the thread later: GET /v1/posts/${postId}.`,
    'Look for questions you can answer: GET /v1/posts.',
    'See what is left of your allowances: GET /v1/greeting.',
  ];
}
