import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

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

const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const RAW_BYTES = 32;

/**
 * By Node and not by tweetnacl, which takes 4 ms for a signature: a sixth of the processor time of a whole run. That both make
 * the same ones is shown in `platform/signing.test.ts` and `platform/ed25519.test.ts`.
 */
export function signingKeys(seed: Uint8Array): SigningKeys {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = rawPart(createPublicKey(key).export({ format: 'der', type: 'spki' }));
  return { publicKey, secretKey: Buffer.concat([seed, publicKey]), sign: (text) => sign(null, Buffer.from(text), key) };
}

export function encryptionKeys(): EncryptionKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519') as Record<'publicKey' | 'privateKey', KeyObject>;
  return {
    publicKey: rawPart(publicKey.export({ format: 'der', type: 'spki' })),
    secretKey: rawPart(privateKey.export({ format: 'der', type: 'pkcs8' })),
  };
}

/** The key itself stands at the end of what describes it. */
const rawPart = (der: Buffer): Buffer => der.subarray(-RAW_BYTES);
