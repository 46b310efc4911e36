/** Limits of replies (contract 6). Pure. */

export const REPLY_BODY_MAX = 10_000;
export const MAX_REPLIES_A_PAGE = 100;
