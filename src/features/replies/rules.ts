/** Limits of replies (docs/posts#replies). `sql/require_may_reply.sql` decides, under a lock, who may reply. Pure. */

/** Code points of a reply (docs/limits#sizes). */
export const REPLY_BODY_MAX = 10_000;
/** Replies on a page (docs/limits#sizes). */
export const MAX_REPLIES_A_PAGE = 100;
/** UTF-8 bytes of the JSON of a page of a thread. The page ends before a reply that would exceed them. */
export const MAX_PAGE_BYTES = 262_144;
/** The most bytes of a reply besides its body, and of a page besides its replies and the body of its post. */
export const REPLY_BYTES = 1_024;
export const PAGE_BYTES = 8_192;
