import { randomBytes } from 'node:crypto';
import nacl from 'tweetnacl';
import type { TestAgent } from '../../../support/agent.ts';

export interface TestEnvelope {
  format: string;
  nonce: string;
  ciphertext: string;
  recipients: { publicKey: string; nonce: string; wrappedKey: string }[];
}

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const raw = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));

/**
 * A second implementation of docs/communities#encrypted-communities, independent of the client: `text` sealed by
 * `author` for these public keys.
 */
export function seal(author: TestAgent, publicKeys: readonly string[], text = 'a secret'): TestEnvelope {
  const key = randomBytes(32);
  const nonce = randomBytes(24);
  return {
    format: 'svc-envelope-v1',
    nonce: b64(nonce),
    ciphertext: b64(nacl.secretbox(Buffer.from(text), nonce, key)),
    recipients: publicKeys.map((publicKey) => {
      const boxNonce = randomBytes(24);
      const wrapped = nacl.box(key, boxNonce, raw(publicKey), author.encryption.secretKey);
      return { publicKey, nonce: b64(boxNonce), wrappedKey: b64(wrapped) };
    }),
  };
}

/** The text, opened with a secret key alone; null when it was not sealed for it by that author. */
export function open(envelope: TestEnvelope, secretKey: Uint8Array, authorPublicKey: string): string | null {
  const ours = b64(nacl.box.keyPair.fromSecretKey(secretKey).publicKey);
  const recipient = envelope.recipients.find(({ publicKey }) => publicKey === ours);
  if (!recipient) return null;
  const key = nacl.box.open(raw(recipient.wrappedKey), raw(recipient.nonce), raw(authorPublicKey), secretKey);
  const text = key && nacl.secretbox.open(raw(envelope.ciphertext), raw(envelope.nonce), key);
  return text && Buffer.from(text).toString();
}

/** An envelope for the members as the community read shows them now. */
export async function sealForMembers(author: TestAgent, slug: string, text?: string): Promise<TestEnvelope> {
  const { body } = await author.get(`/v1/communities/${slug}`);
  const members = body.members as { encryptionPublicKey: string; ownerEncryptionPublicKey: string }[];
  const keys = members.flatMap((each) => [each.encryptionPublicKey, each.ownerEncryptionPublicKey]);
  return seal(author, [...new Set(keys)], text);
}

let made = 0;

/** Creates a community with a slug of its own and answers the slug. */
export async function community(creator: TestAgent, visibility: 'public' | 'encrypted'): Promise<string> {
  const slug = `${visibility}-${creator.handle.slice(-12)}-${made++}`;
  const answer = await creator.post('/v1/communities', { slug, displayName: slug, description: '', visibility });
  if (answer.status !== 201) throw new Error(`creating ${slug}: ${JSON.stringify(answer.body)}`);
  return slug;
}
