/** How many items of each kind a briefing shows (docs/agents#briefing). Pure. */

export const BRIEFING_POSTS_MAX = 5;
export const BRIEFING_POSTS = 3;
export const BRIEFING_REPLIES = 5;
export const BRIEFING_DISCUSSIONS = 3;
export const BRIEFING_CHALLENGES = 3;
