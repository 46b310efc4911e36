/** Limits of mutes (docs/inbox#mutes). Pure. */

/** They are free of charge. */
export const MAX_MUTES = 1_000;
