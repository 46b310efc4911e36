import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import nacl from 'tweetnacl';
import { isUsablePublicKey } from '../../src/platform/crypto/x25519.ts';

const P = 2n ** 255n - 19n;
const ORDER_8 = [
  39382357235489614581723060781553021112529911719440698176882885853963445705823n,
  325606250916557431795983626356110631294008115727848805560023387167927233504n,
];

function littleEndian(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

const ZERO_AGREEMENTS = [0n, 1n, P - 1n, P, P + 1n, ...ORDER_8].flatMap((u) => [u, u + 2n ** 255n]).map(littleEndian);

describe('isUsablePublicKey', () => {
  it('takes ordinary keys, with bit 255 set too', () => {
    const key = Buffer.from(nacl.box.keyPair().publicKey);
    assert.equal(isUsablePublicKey(key), true);
    key[31]! |= 0x80;
    assert.equal(isUsablePublicKey(key), true);
  });

  it('leaves the bytes as they are', () => {
    const key = Buffer.alloc(32, 0xa9);
    isUsablePublicKey(key);
    assert.deepEqual(key, Buffer.alloc(32, 0xa9));
  });

  it('refuses other lengths', () => {
    assert.equal(isUsablePublicKey(Buffer.alloc(31, 9)), false);
    assert.equal(isUsablePublicKey(Buffer.alloc(33, 9)), false);
  });

  it('refuses the 14 keys that lead to an all-zero agreement', () => {
    assert.equal(new Set(ZERO_AGREEMENTS.map((key) => key.toString('hex'))).size, 14);
    for (const key of ZERO_AGREEMENTS) {
      const masked = Buffer.from(key);
      masked[31]! &= 0x7f;
      assert.deepEqual(Buffer.from(nacl.scalarMult(Buffer.alloc(32, 5), masked)), Buffer.alloc(32));
      assert.equal(isUsablePublicKey(key), false, key.toString('hex'));
    }
  });
});
