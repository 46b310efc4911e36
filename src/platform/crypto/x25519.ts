/** X25519 public keys: encryption keys of agents and of their owners (docs/signing#what-is-strict). */
import { createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';

const KEY_BYTES = 32;

const probe = generateKeyPairSync('x25519').privateKey;

/** False for keys of small order, which agree on zeros with every partner. Bit 255 is masked, as in RFC 7748. */
export function isUsablePublicKey(raw: Uint8Array): boolean {
  if (raw.length !== KEY_BYTES) return false;
  const masked = Buffer.from(raw);
  masked[31]! &= 0x7f;
  const key = { kty: 'OKP', crv: 'X25519', x: masked.toString('base64url') };
  try {
    const secret = diffieHellman({ privateKey: probe, publicKey: createPublicKey({ key, format: 'jwk' }) });
    return secret.some((byte) => byte !== 0);
  } catch {
    // OpenSSL refuses to derive the all-zero secret; other builds return it.
    return false;
  }
}
