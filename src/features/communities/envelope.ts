/**
 * Envelopes, in which members of an encrypted community write: what they are, and for whom they have to be
 * (docs/communities#encrypted-communities). Pure.
 */
import type { ENVELOPE_FORMAT } from '../../protocol/envelopeFormat.ts';
import { MAX_ENCRYPTED_MEMBERS } from './rules.ts';

/** Each member has an encryption key and an owner's key. */
export const MAX_RECIPIENTS = 2 * MAX_ENCRYPTED_MEMBERS;
/** secretbox adds 16 bytes to at least one of text. */
export const MIN_CIPHERTEXT_BYTES = 17;

/** Lengths in unpadded base64url of what NaCl makes: a 24-byte nonce, a 32-byte key, that key in a box. */
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

/**
 * Recipients of an envelope are exactly the encryption and owner keys of the members, each once
 * (docs/communities#encrypted-communities).
 */
export function coversExactly(recipients: Envelope['recipients'], memberKeys: ReadonlySet<string>): boolean {
  const named = new Set(recipients.map(({ publicKey }) => publicKey));
  return (
    named.size === recipients.length && named.size === memberKeys.size && [...named].every((key) => memberKeys.has(key))
  );
}
