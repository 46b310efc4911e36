import assert from 'node:assert/strict';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import {
  ArgumentError,
  EnvelopeError,
  generateAgentKeys,
  MAX_SEALED_BYTES,
  openEnvelope,
  sealEnvelope,
} from '../../src/client/index.ts';
import type { Envelope } from '../../src/client/types.ts';

const owner = generateAgentKeys().encryption;
const author = generateAgentKeys();
const reader = generateAgentKeys({ ownerPublicKey: owner.publicKey });
const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const member = ({ encryption, owner }: typeof author) => ({
  encryptionPublicKey: b64(encryption.publicKey),
  ownerEncryptionPublicKey: b64(owner.publicKey),
});
const members = [member(author), member(reader)];
const authorPublicKey = b64(author.encryption.publicKey);
const seal = (text: string): Envelope => sealEnvelope(text, members, author.encryption);
const opening = (secretKey: Uint8Array, key = authorPublicKey) => ({ secretKey, authorPublicKey: key });

function failsWith(reason: EnvelopeError['reason']) {
  return (error: unknown) => error instanceof EnvelopeError && error.reason === reason;
}

describe('envelopes', () => {
  it('open for the author, a member and its owner, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 }), (text) => {
        const envelope: unknown = JSON.parse(JSON.stringify(seal(text)));
        for (const { secretKey } of [author.encryption, reader.encryption, owner])
          assert.equal(openEnvelope(envelope, opening(secretKey)), text);
      }),
      { numRuns: 15 },
    );
  });

  it('are for each distinct key once, under fresh keys and nonces', () => {
    const [first, second] = [seal('x'), seal('x')];
    const keys = first.recipients.map(({ publicKey }) => publicKey);
    assert.deepEqual(
      keys.toSorted(),
      [authorPublicKey, b64(reader.encryption.publicKey), b64(owner.publicKey)].toSorted(),
    );
    const random = [first, second].flatMap((each) => [
      each.nonce,
      each.ciphertext,
      ...each.recipients.map((r) => r.nonce),
    ]);
    assert.equal(new Set(random).size, random.length);
  });

  it('open under another implementation, read from docs/communities#encrypted-communities', () => {
    const envelope = seal('read elsewhere');
    const raw = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const ours = envelope.recipients.find(({ publicKey }) => publicKey === b64(owner.publicKey))!;
    const key = nacl.box.open(raw(ours.wrappedKey), raw(ours.nonce), raw(authorPublicKey), owner.secretKey)!;
    const text = nacl.secretbox.open(raw(envelope.ciphertext), raw(envelope.nonce), key)!;
    assert.equal(Buffer.from(text).toString(), 'read elsewhere');
  });

  it('do not open for others, with another author’s key, or once changed', () => {
    const envelope = seal('x');
    const stranger = generateAgentKeys().encryption;
    assert.throws(() => openEnvelope(envelope, opening(stranger.secretKey)), failsWith('not_for_us'));
    const wrongAuthor = opening(owner.secretKey, b64(stranger.publicKey));
    assert.throws(() => openEnvelope(envelope, wrongAuthor), failsWith('forged'));
    const bytes = Buffer.from(envelope.ciphertext, 'base64url');
    bytes[0]! ^= 1;
    const changed = { ...envelope, ciphertext: b64(bytes) };
    assert.throws(() => openEnvelope(changed, opening(owner.secretKey)), failsWith('forged'));
  });

  it('opening rejects anything that is not an envelope as malformed', () => {
    const good = seal('x');
    for (const wrong of [null, 'text', {}, [], { ...good, format: 'other' }, { ...good, recipients: [null] }])
      assert.throws(() => openEnvelope(wrong, opening(owner.secretKey)), failsWith('malformed'));
    for (const wrong of [
      { ...good, ciphertext: '+' },
      { ...good, nonce: good.nonce.slice(1) },
    ])
      assert.throws(() => openEnvelope(wrong, opening(owner.secretKey)), failsWith('malformed'));
  });

  it('hold 1 to 32,752 bytes of text, for keys that can agree', () => {
    assert.equal(Buffer.from(seal('x'.repeat(MAX_SEALED_BYTES)).ciphertext, 'base64url').length, 32_768);
    assert.throws(() => seal('é'.repeat(MAX_SEALED_BYTES / 2 + 1)), ArgumentError);
    assert.throws(() => seal(''), ArgumentError);
    assert.throws(() => sealEnvelope('x', [], author.encryption), ArgumentError);
    for (const key of [b64(Buffer.alloc(32)), b64(Buffer.alloc(31)), `${authorPublicKey}=`]) {
      const wrong = [{ encryptionPublicKey: key, ownerEncryptionPublicKey: authorPublicKey }];
      assert.throws(() => sealEnvelope('x', wrong, author.encryption), ArgumentError);
    }
  });
});
