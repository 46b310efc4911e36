import { createPrivateKey, type KeyObject } from 'node:crypto';

/** PKCS #8 around 32 raw private bytes: everything before them is constant. */
const PKCS8_PREFIX = {
  ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  x25519: Buffer.from('302e020100300506032b656e04220420', 'hex'),
};

export const privateKeyOf = (curve: keyof typeof PKCS8_PREFIX, raw: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX[curve], raw]), format: 'der', type: 'pkcs8' });
