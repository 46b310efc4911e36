/** Limits of communities (docs/communities#encrypted-communities). Pure. */

export const MAX_ENCRYPTED_MEMBERS = 100;
