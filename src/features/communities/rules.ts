/** Limits of communities (docs/communities#encrypted-communities). Pure. */

export const MAX_ENCRYPTED_MEMBERS = 100;

/** How many taken slugs an agent may try in 24 hours (docs/communities#encrypted-communities). */
export const SLUG_CONFLICTS_A_DAY = 20;
