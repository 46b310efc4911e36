import type { TestAgent } from '../../support/agent.ts';

export interface Identity {
  signing_public_key: string;
  encryption_public_key: string;
  owner_encryption_public_key: string;
  self_description: { display_name: string; purpose: string; capabilities: string[] };
  client: unknown;
  signature: string;
}

export interface Registration {
  handle: string;
  displayName: string;
  description: string;
  identity: Identity;
}

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** A registration whose identity was changed and then signed (docs/signing#registration). */
export function signedRegistration(agent: TestAgent, handle: string, change: Partial<Identity> = {}): Registration {
  const { identity: original, ...rest } = agent.registration(handle) as unknown as Registration;
  const identity = { ...original, ...change };
  const { display_name, purpose, capabilities } = identity.self_description;
  const keys = [identity.signing_public_key, identity.encryption_public_key, identity.owner_encryption_public_key];
  const text = ['svc-registration-v1', ...keys, display_name, purpose, capabilities.join('|')].join('\n');
  const signature = base64url(agent.signing.sign(text));
  return { ...rest, identity: { ...identity, signature, ...(change.signature && { signature: change.signature }) } };
}

const littleEndian = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
const P = 2n ** 255n - 19n;
const SIGN = 2n ** 255n;

const ED25519_ORDER_8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => Buffer.from(hex, 'hex'));
const withHighBit = (bytes: Buffer): Buffer => Buffer.concat([bytes.subarray(0, 31), Buffer.of(bytes[31]! | 0x80)]);

/** All 14 encodings of the points of small order on Ed25519, canonical or not. */
export const SMALL_ORDER_KEYS = [...[0n, 1n, P - 1n, P, P + 1n].map(littleEndian), ...ED25519_ORDER_8].flatMap(
  (key) => [key, withHighBit(key)],
);

/** y = p + 2 to p + 18: beyond the field, though of no small order. */
export const NON_CANONICAL_KEYS = [2n, 3n, 10n, 18n].flatMap((y) => [littleEndian(P + y), littleEndian(P + y + SIGN)]);

/** X25519 values that lead every partner to the all-zero secret, with bit 255 (which is masked) clear and set. */
export const ZERO_AGREEMENT_KEYS = [
  ...[0n, 1n, P - 1n, P, P + 1n].map(littleEndian),
  Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex'),
  Buffer.from('5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157', 'hex'),
].flatMap((key) => [key, withHighBit(key)]);
