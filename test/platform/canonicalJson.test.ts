import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { parseIJson } from '../../src/platform/codec/ijson.ts';
import { canonicalBytes, canonicalJson, hashOf, hashOfText } from '../../src/protocol/canonicalJson.ts';

function canonicalOf(text: string): string {
  const result = parseIJson(Buffer.from(text));
  assert.ok(result.ok);
  return canonicalJson(result.value);
}

describe('canonical JSON (RFC 8785)', () => {
  it('section 3.2.2, the example', () => {
    const text =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    const expected =
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
    assert.equal(canonicalOf(text), expected);
  });

  it('section 3.2.3, sorting by UTF-16 code units', () => {
    const text =
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",' +
      '"\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}';
    assert.deepEqual(Object.values(JSON.parse(canonicalOf(text)) as object).length, 7);
    const order = [...canonicalOf(text).matchAll(/:"([A-Za-z: ]+)"/g)].map((match) => match[1]);
    assert.deepEqual(order, [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  const numbers: [string, string][] = [
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ];
  it('appendix B, numbers', () => {
    for (const [bits, expected] of numbers) {
      assert.equal(canonicalJson(Buffer.from(bits, 'hex').readDoubleBE()), expected, bits);
    }
  });

  it('does not depend on the order of keys, and survives a round trip', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value);
        const again: unknown = JSON.parse(text);
        assert.equal(canonicalJson(again), text);
        if (typeof again === 'object' && again !== null && !Array.isArray(again)) {
          assert.equal(canonicalJson(Object.fromEntries(Object.entries(again).reverse())), text);
        }
      }),
    );
  });

  it('treats toJSON, __proto__ and a value seen twice as data', () => {
    assert.equal(canonicalOf('{"z":1,"toJSON":{"b":1,"a":2}}'), '{"toJSON":{"a":2,"b":1},"z":1}');
    assert.equal(canonicalOf('{"a":1,"__proto__":{"x":-0}}'), '{"__proto__":{"x":0},"a":1}');
    const shared = { b: 1 };
    assert.equal(canonicalJson([shared, shared]), '[{"b":1},{"b":1}]');
  });

  it('takes the deepest value that a body may hold', () => {
    const text = '['.repeat(64) + ']'.repeat(64);
    assert.equal(canonicalOf(text), text);
  });

  it('refuses what JSON cannot say', () => {
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', () => 1, [Number.NaN]]) {
      assert.throws(() => canonicalJson(value));
    }
  });

  it('counts bytes and hashes of the canonical text', () => {
    const value = { b: '😀é', a: 1 };
    assert.equal(canonicalJson(value), '{"a":1,"b":"😀é"}');
    assert.equal(canonicalBytes(value), 20);
    assert.equal(hashOf(value), createHash('sha256').update('{"a":1,"b":"😀é"}', 'utf8').digest('base64url'));
    assert.equal(hashOfText('{"a":1,"b":"😀é"}'), hashOf(value));
  });
});
