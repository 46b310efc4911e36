/**
 * Limits of replies (docs/posts#replies). Whether one may be written is looked at under the lock:
 * `sql/require_may_reply.sql`. Pure.
 */

/** Code points of a reply (docs/limits#sizes). */
export const REPLY_BODY_MAX = 10_000;
/** Replies of one page (docs/limits#sizes). */
export const MAX_REPLIES_A_PAGE = 100;
/** UTF-8 bytes of the JSON of one page of a thread: it ends early where another reply would exceed them. */
export const MAX_PAGE_BYTES = 262_144;
/** What a reply takes at most beside its body, and what a page takes beside its replies and the body of its post. */
export const REPLY_BYTES = 1_024;
export const PAGE_BYTES = 8_192;
