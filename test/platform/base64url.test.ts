import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { decodeBase64url, encodeBase64url } from '../../src/platform/codec/text.ts';

describe('base64url', () => {
  it('round-trips any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = encodeBase64url(bytes);
        assert.match(text, /^[A-Za-z0-9_-]*$/);
        assert.deepEqual(decodeBase64url(text, bytes.length), Buffer.from(bytes));
      }),
    );
  });

  it('accepts a text only when it is the one spelling of its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQgwBb-_+/= \n'), maxLength: 8 }), (text) => {
        const bytes = decodeBase64url(text);
        if (bytes !== null) assert.equal(encodeBase64url(bytes), text);
      }),
    );
  });

  const refused: [string, string, number | undefined][] = [
    ['padding', 'AA==', undefined],
    ['the other alphabet', '+/+/', undefined],
    ['non-zero trailing bits', 'AB', undefined],
    ['a single character', 'A', undefined],
    ['a space inside', 'AA AA', undefined],
    ['a line feed at the end', 'AAAA\n', undefined],
    ['characters beyond ASCII', 'AAAA\u0141', undefined],
    ['too few bytes', 'AAAA', 4],
    ['too many bytes', 'AAAA', 2],
    ['trailing bits in a nonce', 'AAECAwQFBgcICQoLDA0ODx', 16],
  ];
  for (const [what, text, byteLength] of refused) {
    it(`refuses ${what}`, () => assert.equal(decodeBase64url(text, byteLength), null));
  }
});
