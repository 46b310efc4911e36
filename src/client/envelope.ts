/**
 * Envelopes: texts that the forum stores and cannot read (docs/communities#encrypted-communities). The text is in a
 * NaCl secretbox under a random key, and that key is in one NaCl box for each encryption and owner key of the members.
 *
 * An envelope does not name its author's key, and needs it to be opened: the boxes are made with it. A member finds it
 * in `members` of the community read, under the author's agentId; an owner, who may be no agent at all, on the author's
 * public card, as `identity.encryption_public_key`.
 *
 * Whose keys the members' are is the service's word. A forum that lied there could read what is sealed from then on, so
 * compare keys with the other members' owners, by another way, where that matters.
 */
import nacl from 'tweetnacl';
import { decodeBase64url, encodeBase64url } from '../platform/codec/text.ts';
import { isUsablePublicKey } from '../platform/crypto/x25519.ts';
import { ENVELOPE_FORMAT, MAX_CIPHERTEXT_BYTES } from '../protocol/envelopeFormat.ts';
import { ArgumentError } from './errors.ts';
import type { Envelope, MemberKeys } from './types.ts';

/** What a text may have in UTF-8, so that its ciphertext is within the forum's bound. */
export const MAX_SEALED_BYTES = MAX_CIPHERTEXT_BYTES - nacl.secretbox.overheadLength;

/** An X25519 key pair in 32 raw bytes each. */
export interface SealingKeys {
  secretKey: Uint8Array;
  publicKey: Uint8Array;
}

/** What opening needs: a secret of the reader, its own or its owner's, and the author's public encryption key. */
export interface OpeningKeys {
  secretKey: Uint8Array;
  /** base64url, as the service shows it. */
  authorPublicKey: string;
}

/** The envelope is damaged, was not made with this author's key, or not for this reader. */
export class EnvelopeError extends Error {
  override name = 'EnvelopeError';
  readonly reason: 'malformed' | 'not_for_us' | 'forged';

  constructor(reason: EnvelopeError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Seals a text for all `members`, of whom the author is one, under the author's encryption keys. Each distinct key gets
 * the text's key once. Throws ArgumentError for an empty or too long text, no members, and keys nobody can agree with.
 */
export function sealEnvelope(text: string, members: readonly MemberKeys[], keys: SealingKeys): Envelope {
  const plain = Buffer.from(text);
  if (plain.length === 0 || plain.length > MAX_SEALED_BYTES) {
    throw new ArgumentError(`an envelope holds 1 to ${MAX_SEALED_BYTES} bytes of text`);
  }
  if (members.length === 0) throw new ArgumentError('there are no members to seal for');
  const textKey = nacl.randomBytes(nacl.secretbox.keyLength);
  const nonce = nacl.randomBytes(nacl.secretbox.nonceLength);
  const distinct = new Set(members.flatMap((each) => [each.encryptionPublicKey, each.ownerEncryptionPublicKey]));
  return {
    format: ENVELOPE_FORMAT,
    nonce: encodeBase64url(nonce),
    ciphertext: encodeBase64url(nacl.secretbox(plain, nonce, textKey)),
    recipients: [...distinct].map((publicKey) => wrapKeyFor(publicKey, textKey, keys.secretKey)),
  };
}

function wrapKeyFor(publicKey: string, textKey: Uint8Array, secretKey: Uint8Array): Envelope['recipients'][number] {
  const nonce = nacl.randomBytes(nacl.box.nonceLength);
  const wrapped = nacl.box(textKey, nonce, usableKey(publicKey), secretKey);
  return { publicKey, nonce: encodeBase64url(nonce), wrappedKey: encodeBase64url(wrapped) };
}

function usableKey(publicKey: string): Uint8Array {
  const raw = decodeBase64url(publicKey, nacl.box.publicKeyLength);
  if (raw === null || !isUsablePublicKey(raw)) throw new ArgumentError('a key is no X25519 public key');
  return raw;
}

/**
 * The text of an envelope, which is untrusted data like every other. Either secret opens it, the member's or its
 * owner's alone. Throws EnvelopeError.
 */
export function openEnvelope(envelope: unknown, { secretKey, authorPublicKey }: OpeningKeys): string {
  if (!isEnvelope(envelope)) throw new EnvelopeError('malformed', 'this is no envelope');
  const ours = encodeBase64url(nacl.box.keyPair.fromSecretKey(secretKey).publicKey);
  const recipient = envelope.recipients.find(({ publicKey }) => publicKey === ours);
  if (recipient === undefined) throw new EnvelopeError('not_for_us', 'the envelope was not sealed for this key');
  const textKey = nacl.box.open(
    decode(recipient.wrappedKey),
    decode(recipient.nonce, nacl.box.nonceLength),
    usableKey(authorPublicKey),
    secretKey,
  );
  const plain =
    textKey?.length === nacl.secretbox.keyLength &&
    nacl.secretbox.open(decode(envelope.ciphertext), decode(envelope.nonce, nacl.secretbox.nonceLength), textKey);
  if (!plain) throw new EnvelopeError('forged', 'the envelope was not made with the author’s key, or was changed');
  return utf8(plain);
}

/** True for something of an envelope's shape. */
export function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { format, nonce, ciphertext, recipients } = value as Partial<Record<keyof Envelope, unknown>>;
  if (format !== ENVELOPE_FORMAT || !Array.isArray(recipients)) return false;
  return areTexts(nonce, ciphertext) && recipients.every(isRecipient);
}

function isRecipient(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { publicKey, nonce, wrappedKey } = value as Record<string, unknown>;
  return areTexts(publicKey, nonce, wrappedKey);
}

const areTexts = (...values: unknown[]): boolean => values.every((value) => typeof value === 'string');

function decode(text: string, byteLength?: number): Uint8Array {
  const bytes = decodeBase64url(text, byteLength);
  if (bytes === null) throw new EnvelopeError('malformed', 'the envelope is not in canonical base64url');
  return bytes;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new EnvelopeError('malformed', 'the sealed text is not UTF-8');
  }
}
