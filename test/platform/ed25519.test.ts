import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'mocha';
import nacl from 'tweetnacl';
import {
  dummyVerify,
  importPublicKey,
  useNodeCrypto,
  useSodium,
  verifyStrict,
} from '../../src/platform/crypto/ed25519.ts';

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;
const BASE_POINT = Buffer.from(`58${'66'.repeat(31)}`, 'hex');

const pair = nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(7));
const publicKey = importPublicKey(pair.publicKey)!;
const message = Buffer.from('svc-request-v1\nGET\n/v1/posts\n\n1767225600\nAAECAwQFBgcICQoLDA0ODw\n');
const signature = Buffer.from(nacl.sign.detached(message, pair.secretKey));

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

function integer(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
}

function sha512(...parts: Uint8Array[]): Buffer {
  return createHash('sha512').update(Buffer.concat(parts)).digest();
}

/** A signature that satisfies the equation with R = the given point of small order, taken as the identity. */
function signatureWithIdentity(): Buffer {
  const half = sha512(pair.secretKey.subarray(0, 32)).subarray(0, 32);
  half[0]! &= 248;
  half[31] = (half[31]! & 127) | 64;
  const r = littleEndian(1n);
  const h = integer(sha512(r, pair.publicKey, message)) % ORDER;
  return Buffer.concat([r, littleEndian((h * integer(half)) % ORDER)]);
}

const ORDER_8 = [
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map((hex) => integer(Buffer.from(hex, 'hex')));

const SMALL_ORDER_ENCODINGS = [0n, 1n, P - 1n, P, P + 1n, ...ORDER_8]
  .flatMap((y) => [y, y + 2n ** 255n])
  .map(littleEndian);

/**
 * Made with the secret scalar 123456789123456789 and R = 987654321·B, by arithmetic on the curve. Points with a part of
 * order 8 are canonical and of no small order. The equation holds only if both sides are multiplied by 8.
 */
const MIXED = {
  key: '6f6ca5462ae560235abfc4bf18f762edd72bc1a7de9e49eec0aeb5ecaa8d37ce',
  /** Of "hello", R with a part of order 8 added. */
  signatureOfMixedR:
    '8ea6b58beb2ecc0801fbd6c82c6dafee292cd29e8b6698bbb94c566b594d8ba9890fb274eafa32826939eed14ea9548522ca969a4ca0ab0daaf059454e6dab0a',
  /** The key with a part of order 8 added. */
  mixedKey: 'dd8952a66f04b15f61df8c66ce93471979a95c884f2dede0f89f1fc9f9b407b4',
  /** Under it: the hash is a multiple of 8, so that the part vanishes. */
  'message 14':
    '7db0dc9222f3c183457ddde4c708de8e5ea6bf3d5c4404cca14b32729a05c32af1f6a7f8df467aed17707097dc679415258e3e0e54d2789f8707c44f3cdaec0f',
  /** Under it: the hash is not one. */
  'message 0':
    '7db0dc9222f3c183457ddde4c708de8e5ea6bf3d5c4404cca14b32729a05c32a5711a453754ba4a8978159fc340fa922bf9757d798ca8a2fa19070ec9907250d',
};
const hex = (text: string) => Buffer.from(text, 'hex');

for (const library of ['node:crypto', 'libsodium']) {
  describe(`verifyStrict, by ${library}`, () => {
    before(() => {
      useNodeCrypto();
      // The API works without it, so a test has to report that it is missing.
      if (library === 'libsodium') assert.ok(useSodium(), 'sodium-native cannot be loaded');
    });

    after(() => useNodeCrypto());

    it('agrees with a second implementation, and takes text as UTF-8', () => {
      assert.equal(verifyStrict(publicKey, message, signature), true);
      assert.equal(verifyStrict(publicKey, message.toString(), signature), true);
      assert.equal(verifyStrict(publicKey, 'é', nacl.sign.detached(Buffer.from('é'), pair.secretKey)), true);
    });

    it('refuses every signature with one bit changed, and another message', () => {
      for (let bit = 0; bit < 512; bit++) {
        const changed = Buffer.from(signature);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(verifyStrict(publicKey, message, changed), false, `bit ${bit}`);
      }
      assert.equal(verifyStrict(publicKey, `${message}x`, signature), false);
    });

    it('refuses other lengths', () => {
      for (const length of [0, 32, 63])
        assert.equal(verifyStrict(publicKey, message, signature.subarray(0, length)), false);
      assert.equal(verifyStrict(publicKey, message, Buffer.concat([signature, Buffer.alloc(1)])), false);
    });

    it('refuses S + L, which a lenient implementation takes', () => {
      const s = integer(signature.subarray(32));
      const other = Buffer.concat([signature.subarray(0, 32), littleEndian(s + ORDER)]);
      assert.equal(nacl.sign.detached.verify(message, other, pair.publicKey), true);
      assert.equal(verifyStrict(publicKey, message, other), false);
    });

    it('refuses S = L, S = L + 1 and S = 2^256 - 1', () => {
      for (const s of [ORDER, ORDER + 1n, 2n ** 256n - 1n]) {
        const other = Buffer.concat([signature.subarray(0, 32), littleEndian(s)]);
        assert.equal(verifyStrict(publicKey, message, other), false);
      }
    });

    it('refuses an R of small order, though the equation holds', () => {
      const other = signatureWithIdentity();
      assert.equal(nacl.sign.detached.verify(message, other, pair.publicKey), true);
      assert.equal(verifyStrict(publicKey, message, other), false);
    });

    it('refuses any R of small order and any R that is not below p', () => {
      const notCanonical = [P + 3n, 2n ** 255n - 1n].map(littleEndian);
      for (const r of [...SMALL_ORDER_ENCODINGS, ...notCanonical]) {
        assert.equal(verifyStrict(publicKey, message, Buffer.concat([r, signature.subarray(32)])), false);
      }
    });

    it('multiplies neither side of the equation by 8, so that all see the same signatures', () => {
      const holds = (key: string, message: string, signature: string) =>
        verifyStrict(importPublicKey(hex(key))!, message, hex(signature));
      assert.equal(holds(MIXED.key, 'hello', MIXED.signatureOfMixedR), false);
      assert.equal(holds(MIXED.mixedKey, 'message 14', MIXED['message 14']), true);
      assert.equal(holds(MIXED.mixedKey, 'message 0', MIXED['message 0']), false);
    });
  });
}

describe('importPublicKey', () => {
  it('refuses other lengths', () => {
    assert.equal(importPublicKey(pair.publicKey.subarray(0, 31)), null);
    assert.equal(importPublicKey(Buffer.concat([pair.publicKey, Buffer.alloc(1)])), null);
  });

  it('takes a view into a larger buffer', () => {
    const larger = Buffer.concat([Buffer.alloc(5), pair.publicKey]);
    assert.equal(verifyStrict(importPublicKey(larger.subarray(5))!, message, signature), true);
  });

  it('refuses all 19 encodings of y that are not below p, with either sign', () => {
    for (let y = P; y < 2n ** 255n; y++) {
      assert.equal(importPublicKey(littleEndian(y)), null);
      assert.equal(importPublicKey(littleEndian(y + 2n ** 255n)), null);
    }
    assert.notEqual(importPublicKey(littleEndian(P - 2n)), null);
  });

  it('refuses all 14 encodings of small order, for each of which one signature fits many messages', function () {
    this.timeout(20_000);
    assert.equal(new Set(SMALL_ORDER_ENCODINGS.map((key) => key.toString('hex'))).size, 14);
    const withoutSecret = Buffer.concat([BASE_POINT, littleEndian(1n)]);
    for (const key of SMALL_ORDER_ENCODINGS) {
      assert.equal(importPublicKey(key), null);
      const fits = (n: number) => nacl.sign.detached.verify(Buffer.of(n), withoutSecret, key);
      assert.ok(
        Array.from({ length: 256 }).some((_, n) => fits(n)),
        `${key.toString('hex')} is of small order`,
      );
    }
  });

  it('takes keys whose first bytes resemble those of small order', () => {
    for (const first of [0n, 1n, 0x26n, 0xc7n, 0xecn]) {
      assert.notEqual(importPublicKey(littleEndian(2n ** 200n * 3n + first)), null);
    }
  });
});

describe('dummyVerify', () => {
  it('is false for every signature', () => {
    assert.equal(dummyVerify(message, signature), false);
    assert.equal(dummyVerify('', Buffer.alloc(3)), false);
  });
});
