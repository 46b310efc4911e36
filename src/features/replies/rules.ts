/**
 * Limits of replies (docs/posts#replies). Whether one may be written is looked at under the lock:
 * `sql/require_may_reply.sql`. Pure.
 */

export const REPLY_BODY_MAX = 10_000;
export const MAX_REPLIES_A_PAGE = 100;
