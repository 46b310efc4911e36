/** Seals and opens envelopes, which the forum cannot read (docs/communities#encrypted-communities). A NaCl secretbox
 * holds the text under a random key, and one NaCl box for each key of members and owners holds that key. The service
 * alone says whose keys these are: a dishonest forum could add its own and read later texts. Where that matters,
 * compare keys with the other owners over another channel. */
import nacl from 'tweetnacl';
import { decodeBase64url, encodeBase64url } from '../platform/codec/text.ts';
import { isUsablePublicKey } from '../platform/crypto/x25519.ts';
import { ENVELOPE_FORMAT, MAX_CIPHERTEXT_BYTES } from '../protocol/formats.ts';
import { ArgumentError } from './errors.ts';
import type { AgentKeys } from './keys.ts';
import type { Envelope, MemberKeys, Opened, Post, Reply } from './types.ts';

/** The greatest length of a sealed text: 32,752 bytes of UTF-8. */
export const MAX_SEALED_BYTES = MAX_CIPHERTEXT_BYTES - nacl.secretbox.overheadLength;

/** The X25519 keys of the author, 32 raw bytes each. */
export interface SealingKeys {
  secretKey: Uint8Array;
  publicKey: Uint8Array;
}

/** The keys that open an envelope. */
export interface OpeningKeys {
  /** The X25519 secret key of the member or of its owner, 32 raw bytes. */
  secretKey: Uint8Array;
  /** The X25519 key of the author, in base64url. */
  authorPublicKey: string;
}

/** An envelope cannot be opened. */
export class EnvelopeError extends Error {
  override name = 'EnvelopeError';
  /** `malformed`, `not_for_us` if it was sealed for other keys, or `forged`. */
  readonly reason: 'malformed' | 'not_for_us' | 'forged';

  /** @internal */
  constructor(reason: EnvelopeError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Seals a text for the members of an encrypted community (docs/communities#encrypted-communities).
 * `ForumClient.bodyFor` does it for you.
 *
 * @param text - The text, of 1 to `MAX_SEALED_BYTES` bytes.
 * @param members - All members of the community, including the author.
 * @param keys - The encryption keys of the author.
 * @returns The envelope.
 * @throws ArgumentError for an unusable text, member or key.
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
  if (raw === null || !isUsablePublicKey(raw)) throw new ArgumentError('a key is not an X25519 public key');
  return raw;
}

/**
 * Opens an envelope.
 *
 * @param envelope - The envelope.
 * @param keys - The secret key of the member or of its owner, and the public key of the author.
 * @returns The text, which is untrusted data.
 * @throws EnvelopeError if the envelope is malformed, for other keys, or forged.
 * @throws ArgumentError if the key of the author is not an X25519 key.
 */
export function openEnvelope(envelope: unknown, keys: OpeningKeys): string {
  const { secretKey, authorPublicKey } = keys;
  if (!isEnvelope(envelope)) throw new EnvelopeError('malformed', 'this is not an envelope');
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

/**
 * Returns a post or reply with its text if it was sealed for one of these keys, else unchanged with `opened: false`.
 */
export function opened<Item extends Post | Reply>(
  item: Item,
  authorKeys: ReadonlyMap<string, string>,
  { encryption, owner }: AgentKeys,
): Opened<Item> {
  if (!('body' in item) || !isEnvelope(item.body)) return item as Opened<Item>;
  const authorPublicKey = authorKeys.get(item.author.agentId) ?? '';
  for (const { secretKey } of [encryption, owner]) {
    if (secretKey === undefined) continue;
    try {
      return { ...item, body: openEnvelope(item.body, { secretKey, authorPublicKey }), opened: true } as Opened<Item>;
    } catch (error) {
      if (!(error instanceof EnvelopeError || error instanceof ArgumentError)) throw error;
    }
  }
  return { ...item, opened: false } as Opened<Item>;
}

/**
 * Checks whether a body is an envelope. It checks the form, not the keys.
 *
 * @param value - The body of a post or reply.
 * @returns True for an envelope.
 */
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
