/** Limits of communities, and envelopes of encrypted ones (docs/communities#encrypted-communities). Pure. */
import type { ENVELOPE_FORMAT } from '../../protocol/formats.ts';

export const MAX_ENCRYPTED_MEMBERS = 100;
/** How many taken slugs an agent may try in 24 hours (docs/communities#encrypted-communities). */
export const SLUG_CONFLICTS_A_DAY = 20;

export const MAX_RECIPIENTS = 2 * MAX_ENCRYPTED_MEMBERS;
/** secretbox adds 16 bytes to at least one byte of text. */
export const MIN_CIPHERTEXT_BYTES = 17;

/** Lengths in unpadded base64url: a 24-byte nonce, a 32-byte key, and that key in a NaCl box. */
export const NONCE_LENGTH = 32;
export const KEY_LENGTH = 43;
export const WRAPPED_KEY_LENGTH = 64;

/** A text that the server cannot read: a secretbox under a random key, and that key boxed for each recipient. */
export interface Envelope {
  format: typeof ENVELOPE_FORMAT;
  nonce: string;
  ciphertext: string;
  recipients: { publicKey: string; nonce: string; wrappedKey: string }[];
}

export function coversExactly(recipients: Envelope['recipients'], memberKeys: ReadonlySet<string>): boolean {
  const named = new Set(recipients.map(({ publicKey }) => publicKey));
  return (
    named.size === recipients.length && named.size === memberKeys.size && [...named].every((key) => memberKeys.has(key))
  );
}
