import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import nacl from 'tweetnacl';
import { decodeBase64url, encodeBase64url } from '../../src/platform/codec/text.ts';
import { importPublicKey, verifyStrict } from '../../src/platform/crypto/ed25519.ts';
import {
  agentIdOf,
  bodyHash,
  canonicalQuery,
  EMPTY_BODY_HASH,
  parseQuery,
  registrationText,
  requestText,
} from '../../src/protocol/signing.ts';

interface Vectors {
  seedHex: string;
  signingPublicKey: string;
  agentId: string;
  registration: {
    signing_public_key: string;
    encryption_public_key: string;
    owner_encryption_public_key: string;
    display_name: string;
    purpose: string;
    capabilities: string[];
    signedText: string;
    signature: string;
  };
  requests: {
    method: string;
    path: string;
    query: string;
    body: string;
    canonicalQuery: string;
    timestamp: string;
    nonce: string;
    signedText: string;
    signature: string;
  }[];
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/signing.json', import.meta.url), 'utf8')) as Vectors;
const publicKey = decodeBase64url(vectors.signingPublicKey, 32)!;
const secondImplementation = nacl.sign.keyPair.fromSeed(Buffer.from(vectors.seedHex, 'hex'));

function assertSignature(text: string, signature: string): void {
  const bytes = decodeBase64url(signature, 64)!;
  assert.equal(verifyStrict(importPublicKey(publicKey)!, text, bytes), true);
  assert.equal(encodeBase64url(nacl.sign.detached(Buffer.from(text), secondImplementation.secretKey)), signature);
}

describe('signing vectors', () => {
  it('derive the key and the agent id from the seed', () => {
    assert.equal(encodeBase64url(secondImplementation.publicKey), vectors.signingPublicKey);
    assert.equal(agentIdOf(publicKey), vectors.agentId);
  });

  it('registration', () => {
    const { registration } = vectors;
    const text = registrationText({
      signingPublicKey: registration.signing_public_key,
      encryptionPublicKey: registration.encryption_public_key,
      ownerEncryptionPublicKey: registration.owner_encryption_public_key,
      displayName: registration.display_name,
      purpose: registration.purpose,
      capabilities: registration.capabilities,
    });
    assert.equal(text, registration.signedText);
    assertSignature(text, registration.signature);
  });

  for (const request of vectors.requests) {
    it(`${request.method} ${request.path}?${request.query}`, () => {
      const query = canonicalQuery(parseQuery(request.query)!);
      assert.equal(query, request.canonicalQuery);
      const { method, path, timestamp, nonce } = request;
      const text = requestText({
        method,
        path,
        query,
        timestamp,
        nonce,
        bodyHash: bodyHash(Buffer.from(request.body)),
      });
      assert.equal(text, request.signedText);
      assertSignature(text, request.signature);
    });
  }
});

describe('parseQuery', () => {
  const parsed: [string, [string, string][]][] = [
    ['', []],
    ['flag', [['flag', '']]],
    ['=', [['', '']]],
    ['=v', [['', 'v']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a=%2B+%20', [['a', '+  ']]],
    ['a=%C3%A9', [['a', 'é']]],
    ['a=\u00c3\u00a9', [['a', 'é']]],
    ['a=\u00c3%A9', [['a', 'é']]],
    ['a=%EF%BB%BFx', [['a', '\ufeffx']]],
    ['a=%00', [['a', '\0']]],
    ['__proto__=1', [['__proto__', '1']]],
  ];
  for (const [raw, pairs] of parsed) {
    it(`reads ${JSON.stringify(raw)}`, () => assert.deepEqual(parseQuery(raw), pairs));
  }

  for (const raw of [
    'a=%',
    'a=%4',
    'a=%zz',
    '%=a',
    'a=%C3',
    'a=%ff',
    'a=%C0%80',
    'a=%ED%A0%80',
    'a=\u00e9',
    'a=\u0100',
  ]) {
    it(`refuses ${JSON.stringify(raw)}`, () => assert.equal(parseQuery(raw), null));
  }

  it('reads what URLSearchParams writes, and agrees with what it reads', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(pairs, (written) => {
        const raw = new URLSearchParams(written).toString();
        assert.deepEqual(parseQuery(raw), written);
        assert.deepEqual(parseQuery(canonicalQuery(written)), [...new URLSearchParams(canonicalQuery(written))]);
      }),
    );
  });
});

describe('canonicalQuery', () => {
  it('sorts by key and then value, not by the joined pair', () => {
    assert.equal(
      canonicalQuery([
        ['a!', '1'],
        ['a', '2'],
        ['a', '1'],
        ['a0', '1'],
      ]),
      'a=1&a=2&a!=1&a0=1',
    );
    assert.equal(
      canonicalQuery([
        ['b', ''],
        ['B', ''],
        ['é', ''],
        ['_', ''],
      ]),
      '%C3%A9=&B=&_=&b=',
    );
  });

  it('does not depend on the order given', () => {
    const short = fc.string({ unit: fc.constantFrom('a', '0', '!', '-', ' ', 'é'), maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(short, short)), (pairs) => {
        assert.equal(canonicalQuery(pairs.toReversed()), canonicalQuery(pairs));
      }),
    );
  });
});

describe('bodyHash', () => {
  it('is SHA-256 of the bytes, and of nothing for no body', () => {
    assert.equal(bodyHash(Buffer.alloc(0)), EMPTY_BODY_HASH);
    assert.equal(EMPTY_BODY_HASH, '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    assert.equal(bodyHash(Buffer.from('abc')), 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});
