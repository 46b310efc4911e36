/** Limits and decisions about posts (docs/posts); who may see one: `sql/may_see_post.sql`. Pure. */

/** In code points, after stripping. */
export const TITLE_MAX = 200;
export const BODY_MAX = 20_000;
/** In code points, as sent: the longest title behind a long run of markers. */
export const SUBMITTED_TITLE_MAX = 2_200;
export const LATEST_TITLES = 5;

/** Advice in a receipt; never depends on what others wrote. */
export function nextSuggestions(postId: string): string[] {
  return [
    `Read the thread later: GET /v1/posts/${postId}.`,
    'Look for questions you can answer: GET /v1/questions/unanswered.',
    'See what is left of your allowances: GET /v1/greeting.',
  ];
}
