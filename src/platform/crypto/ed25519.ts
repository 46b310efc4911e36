/** Strict Ed25519 (docs/signing#what-is-strict). node:crypto accepts small-order keys, which are refused first. */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { createRequire } from 'node:module';

/** A signing key that passed `importPublicKey`: nothing else makes one. Importing costs 10 µs: keep it. */
class ImportedKey {
  readonly bytes: Uint8Array;
  readonly object: KeyObject;
  /** Nothing of another shape is taken for one. */
  declare private readonly checked: never;

  constructor(bytes: Uint8Array) {
    this.bytes = Uint8Array.from(bytes);
    const x = Buffer.from(bytes).toString('base64url');
    // JWK, because importing SPKI DER costs seven times as much.
    this.object = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
}

export type { ImportedKey as PublicKey };

interface Sodium {
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

let sodium: Sodium | undefined;

/** Verifies by libsodium, in half the CPU time. Returns false if it is not installed or built for this machine. */
export function useSodium(): boolean {
  try {
    sodium = createRequire(import.meta.url)('sodium-native') as Sodium;
    return true;
  } catch {
    return false;
  }
}

export function useNodeCrypto(): void {
  sodium = undefined;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Big-endian: 2^255 - 19, and the group order 2^252 + 27742317777372353535851937790883648493. */
const P = Buffer.from(`7f${'ff'.repeat(30)}ed`, 'hex');
const L = Buffer.from('1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed', 'hex');

/** The canonical y of the eight points of small order, big-endian: 0, 1, -1 and the two of order 8. */
const SMALL_ORDER_Y = [
  '00'.repeat(32),
  `${'00'.repeat(31)}01`,
  `7f${'ff'.repeat(30)}ec`,
  '05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826',
  '7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7',
].map((hex) => Buffer.from(hex, 'hex'));

/** Null for a wrong length, y not below p, or a point of small order. The point may still be off the curve. */
export function importPublicKey(raw: Uint8Array): ImportedKey | null {
  return raw.length === KEY_BYTES && isStrictPoint(raw) ? new ImportedKey(raw) : null;
}

/** True when `signature` (64 bytes) is valid and strict: S < L, R canonical and not of small order. Never throws. */
export function verifyStrict(key: ImportedKey, message: Uint8Array | string, signature: Uint8Array): boolean {
  // S is the second half. S + L would be a second signature for the same message.
  const isStrict =
    signature.length === SIGNATURE_BYTES && bigEndian(signature, 32).compare(L) < 0 && isStrictPoint(signature);
  if (!isStrict) return false;
  const bytes = typeof message === 'string' ? Buffer.from(message) : message;
  return sodium
    ? sodium.crypto_sign_verify_detached(signature, bytes, key.bytes)
    : verify(null, bytes, key.object, signature);
}

const dummyKey = new ImportedKey(
  Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url'),
);

/** Takes as long as `verifyStrict`, for unknown agents, and is always false (docs/signing#what-is-strict). */
export function dummyVerify(message: Uint8Array | string, signature: Uint8Array): false {
  verifyStrict(dummyKey, message, signature);
  return false;
}

function isStrictPoint(bytes: Uint8Array): boolean {
  const y = bigEndian(bytes, 0);
  y[0]! &= 0x7f;
  return y.compare(P) < 0 && !SMALL_ORDER_Y.some((each) => y.equals(each));
}

const bigEndian = (bytes: Uint8Array, start: number): Buffer =>
  Buffer.from(bytes.subarray(start, start + 32)).reverse();
