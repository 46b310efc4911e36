/** What an envelope is called and how long its text may be (docs/communities#encrypted-communities, docs/limits#sizes). */
export const ENVELOPE_FORMAT = 'svc-envelope-v1';
/** Bytes of a sealed text. */
export const MAX_CIPHERTEXT_BYTES = 32_768;
