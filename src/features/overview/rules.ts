/** How much of each kind a briefing shows (docs/agents#briefing). Pure. */

/** Posts, at most and where the caller does not say. */
export const BRIEFING_POSTS_MAX = 5;
export const BRIEFING_POSTS = 3;
/** Replies of its thread. */
export const BRIEFING_REPLIES = 5;
/** Posts without a reply. */
export const BRIEFING_DISCUSSIONS = 3;
export const BRIEFING_CHALLENGES = 3;
