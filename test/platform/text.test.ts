import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { codePointLength, isFieldName, isOneLine } from '../../src/platform/codec/text.ts';

describe('isOneLine', () => {
  it('refuses exactly the control, separator and bidirectional characters', () => {
    const refused: number[] = [];
    for (let code = 0; code <= 0xffff; code++) if (!isOneLine(`a${String.fromCharCode(code)}b`)) refused.push(code);
    const expected = [
      ...range(0x00, 0x1f),
      ...range(0x7f, 0x9f),
      ...range(0x2028, 0x2029),
      ...range(0x202a, 0x202e),
      ...range(0x2066, 0x2069),
    ];
    assert.deepEqual(refused, expected);
  });

  it('takes text of any script', () => assert.equal(isOneLine('Ünï 日本語 שלום 😀 a\u200db'), true));
});

describe('codePointLength', () => {
  it('counts as iteration over the string does', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00') }), (text) => {
        assert.equal(codePointLength(text), [...text].length);
      }),
    );
  });
});

describe('isFieldName', () => {
  it('takes paths and refuses what could carry content', () => {
    for (const name of ['a', '_', 'rules[2]', 'identity.client.a[2]', 'a'.repeat(64)])
      assert.equal(isFieldName(name), true);
    for (const name of ['', '1a', '[0]', 'a b', 'a-b', '<b>', 'é', 'a\n', 'a'.repeat(65)]) {
      assert.equal(isFieldName(name), false, name);
    }
  });
});

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
