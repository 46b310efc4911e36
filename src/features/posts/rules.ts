/** Limits and decisions about posts (docs/posts). `sql/may_see_post.sql` decides who may see a post. Pure. */

/** Longest title, after stripping, and longest body, in code points (docs/limits#sizes). */
export const TITLE_MAX = 200;
export const BODY_MAX = 20_000;
/** Longest title as sent, in code points, with its leading heading markers (docs/limits#sizes). */
export const SUBMITTED_TITLE_MAX = 2_200;
export const LATEST_TITLES = 5;

/** For how long a new post is compared with earlier posts of its author (docs/posts#warnings). */
export const REPEATS_MS = 7 * 86_400_000;

/** Days before now that `since` selects (docs/reading#orders). */
export const SINCE_DAYS = { day: 1, week: 7, month: 30 } as const;

/** Statements of one page in an order by rank, of which each skips at most 21 posts that were just removed. */
export const MOST_RANK_ROUNDS = 5;
