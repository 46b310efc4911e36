/**
 * Strict Ed25519 (docs/signing#what-is-strict). node:crypto takes small-order keys (with the identity as key one fixed
 * signature fits every message) and libraries differ in what else they take, so the encodings are checked here first.
 */
import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';

class ImportedKey {
  /** The encoding, 32 bytes. */
  readonly bytes: Uint8Array;
  /** For node:crypto. */
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

/** A signing key whose encoding passed `importPublicKey`: nobody else can make one. Importing costs 10 µs: keep it. */
export type PublicKey = ImportedKey;

/**
 * Whether a signature (64 bytes), of which the encodings are checked, fits a message and a key: that S·B is the same point as
 * R + h·A, no multiple taken of either side.
 */
export type EquationCheck = (key: PublicKey, message: Uint8Array, signature: Uint8Array) => boolean;

const checkByNode: EquationCheck = ({ object }, message, signature) => verify(null, message, object, signature);

let holds = checkByNode;

/** From now on equations are checked by another library, or again by node:crypto. */
export function checkEquationsBy(other: EquationCheck = checkByNode): void {
  holds = other;
}

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** The group order, 2^252 + 27742317777372353535851937790883648493, little-endian. */
const L = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');

/**
 * The canonical y coordinates of the eight points of small order: 0, 1, -1 and the two of order 8. With either sign
 * bit that makes 10 encodings; the other 4 of the 14 (y = p, y = p + 1) are not canonical.
 */
const SMALL_ORDER_Y = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'));

/**
 * Takes 32 raw bytes, or gives null: wrong length, y not below p, or a point of small order (all 14 encodings).
 * That the point lies on the curve only a verified signature shows.
 */
export function importPublicKey(raw: Uint8Array): PublicKey | null {
  return raw.length === KEY_BYTES && isStrictPoint(raw) ? new ImportedKey(raw) : null;
}

/** True when `signature` (64 bytes) is valid and strict: S < L, R canonical and not of small order. Never throws. */
export function verifyStrict(key: PublicKey, message: Uint8Array | string, signature: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || !isScalarBelowL(signature) || !isStrictPoint(signature)) return false;
  return holds(key, typeof message === 'string' ? Buffer.from(message) : message, signature);
}

/** Nobody holds its private half, which is dropped at once. */
const dummyKey = new ImportedKey(
  Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url'),
);

/**
 * Costs what `verifyStrict` costs and is always false: for unknown agents, so that time does not tell
 * (docs/signing#what-is-strict).
 */
export function dummyVerify(message: Uint8Array | string, signature: Uint8Array): false {
  verifyStrict(dummyKey, message, signature);
  return false;
}

function isStrictPoint(bytes: Uint8Array): boolean {
  return isYBelowP(bytes) && !isSmallOrder(bytes);
}

/** p = 2^255 - 19 is `ed ff … ff 7f`: only 19 values of y reach it. */
function isYBelowP(bytes: Uint8Array): boolean {
  if ((bytes[31]! & 0x7f) !== 0x7f || bytes[0]! < 0xed) return true;
  for (let i = 30; i > 0; i--) if (bytes[i] !== 0xff) return true;
  return false;
}

function isSmallOrder(bytes: Uint8Array): boolean {
  return SMALL_ORDER_Y.some((y) => sameY(bytes, y));
}

function sameY(bytes: Uint8Array, y: Uint8Array): boolean {
  for (let i = 0; i < 31; i++) if (bytes[i] !== y[i]) return false;
  return (bytes[31]! & 0x7f) === y[31];
}

/** S is the second half of the signature; S + L would be a second signature for the same message. */
function isScalarBelowL(signature: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    const difference = signature[32 + i]! - L[i]!;
    if (difference !== 0) return difference < 0;
  }
  return false;
}
