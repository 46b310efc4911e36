/**
 * Canonical unpadded base64url, the only spelling of keys, nonces, signatures and hashes
 * (docs/formats#keys-and-identifiers).
 */

/** Encodes bytes as unpadded base64url. */
export function encode(bytes: Uint8Array): string {
  const view = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.toString('base64url');
}

/**
 * Decodes canonical unpadded base64url, of exactly `byteLength` bytes when given. Padding, characters of other
 * alphabets and non-zero trailing bits give null (docs/formats#keys-and-identifiers): each value has one spelling only.
 */
export function decodeCanonical(text: string, byteLength?: number): Buffer | null {
  if (byteLength !== undefined && text.length !== Math.ceil((byteLength * 4) / 3)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Buffer skips what it does not know, so only encoding again shows that nothing was skipped or folded.
  return bytes.toString('base64url') === text ? bytes : null;
}
