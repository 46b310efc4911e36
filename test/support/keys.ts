import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';

/** Ed25519 as tweetnacl has it: the secret key is seed and public key. */
export interface SigningKeys {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  sign(text: string): Buffer;
}

/** X25519 as tweetnacl has it. */
export interface EncryptionKeys {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

/** PKCS #8 around 32 raw bytes: what stands before them is always the same. */
const PKCS8_PREFIX = { ed25519: '302e020100300506032b657004220420', x25519: '302e020100300506032b656e04220420' };
const RAW_BYTES = 32;

/**
 * By Node and not by tweetnacl, which takes 4 ms for a signature: a sixth of the processor time of a whole run. That both make
 * the same ones is shown in `platform/signing.test.ts` and `platform/ed25519.test.ts`.
 */
export function signingKeys(seed: Uint8Array): SigningKeys {
  const key = privateKeyOf('ed25519', seed);
  const publicKey = publicPart(key);
  return { publicKey, secretKey: Buffer.concat([seed, publicKey]), sign: (text) => sign(null, Buffer.from(text), key) };
}

export const encryptionKeys = (secretKey: Uint8Array): EncryptionKeys => ({
  publicKey: publicPart(privateKeyOf('x25519', secretKey)),
  secretKey,
});

function privateKeyOf(curve: keyof typeof PKCS8_PREFIX, raw: Uint8Array): KeyObject {
  const key = Buffer.concat([Buffer.from(PKCS8_PREFIX[curve], 'hex'), raw]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** The key itself stands at the end of what describes it. */
const publicPart = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-RAW_BYTES);
