/**
 * Limits of replies (docs/posts#replies). Whether one may be written is looked at under the lock:
 * `sql/require_may_reply.sql`. Pure.
 */

/** Code points of a reply (docs/limits#sizes). */
export const REPLY_BODY_MAX = 10_000;
/** Replies of one page (docs/limits#sizes). */
export const MAX_REPLIES_A_PAGE = 100;
