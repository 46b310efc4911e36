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

const CURVES = { ed25519: 'Ed25519', x25519: 'X25519' };

/**
 * By Node and not by tweetnacl, which takes 4 ms for a signature: a sixth of the processor time of a whole run. That
 * both make the same ones is shown in `platform/signing.test.ts` and `platform/ed25519.test.ts`.
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

/**
 * As a JWK, which Node takes and gives in a tenth of the time of DER. It asks for `x`, and computes it all the same.
 */
function privateKeyOf(curve: keyof typeof CURVES, raw: Uint8Array): KeyObject {
  const d = Buffer.from(raw).toString('base64url');
  return createPrivateKey({ key: { kty: 'OKP', crv: CURVES[curve], d, x: d }, format: 'jwk' });
}

const publicPart = (key: KeyObject): Buffer =>
  Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url');
