import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { type IJsonResult, parseAnswer, parseIJson } from '../../src/platform/codec/ijson.ts';
import { scaleWait } from '../support/waits.ts';

function parse(text: string): IJsonResult {
  return parseIJson(Buffer.from(text));
}

function nestedObjects(depth: number, innermost: string): string {
  return `${'{"a":'.repeat(depth)}${innermost}${'}'.repeat(depth)}`;
}

/** JSON text in many spellings: escapes, blanks, number forms. */
const spellings = fc.letrec<{ value: string; string: string }>((tie) => ({
  string: fc
    .array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => JSON.stringify(text).slice(1, -1)),
        fc.constantFrom(
          '\\"',
          '\\\\',
          '\\/',
          '\\b',
          '\\n',
          '\\u00e9',
          '\\u0041',
          '\\uD83D\\ude00',
          '\\uffff',
          '😀',
          ':',
          '{',
        ),
      ),
      { maxLength: 5 },
    )
    .map((parts) => `"${parts.join('')}"`),
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom('true', 'false', 'null', '0', '-1', '1.50', '1E5', '1e-400', '-2.5e+3', '123456789012345678901'),
    tie('string'),
    fc.array(tie('value'), { maxLength: 5 }).map((items) => `[ ${items.join(' ,\n')}]`),
    fc
      .uniqueArray(fc.tuple(tie('string'), tie('value')), {
        maxLength: 12,
        selector: ([key]) => JSON.parse(key) as string,
      })
      .map((entries) => `{${entries.map(([key, value]) => `${key}\t: ${value}`).join(', ')}\r\n}`),
  ),
}));

describe('parseIJson', () => {
  it('agrees with JSON.parse on I-JSON, however it is spelled', () => {
    fc.assert(
      fc.property(spellings.value, (text) => {
        assert.deepEqual(parse(text), { ok: true, value: JSON.parse(text) });
      }),
      { numRuns: 1000 },
    );
  });

  it('never accepts what JSON.parse refuses, and never throws', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'"\\{}[]:,0-1eEu.tn d8\u0000é'), maxLength: 12 });
    const cut = fc.tuple(spellings.value, fc.nat(), fc.nat(), noise).map(([text, from, length, insert]) => {
      const at = from % (text.length + 1);
      return text.slice(0, at) + insert + text.slice(at + (length % 4));
    });
    fc.assert(
      fc.property(fc.oneof(noise, cut), (text) => {
        const result = parse(text);
        // As text, because JSON.parse keeps -0; from bytes, because a cut may have split a surrogate pair.
        if (result.ok) assert.equal(JSON.stringify(result.value), JSON.stringify(JSON.parse(`${Buffer.from(text)}`)));
      }),
      { numRuns: 3000 },
    );
  });

  const faults: [string, string, string | undefined][] = [
    ['nothing', '', undefined],
    ['two values', '{} {}', undefined],
    ['a trailing comma', '{"a":1,}', undefined],
    ['a byte-order mark', '\ufeff{}', undefined],
    ['a duplicate key', '{"title":1,"body":2,"title":3}', 'title'],
    ['a duplicate key that is escaped', '{"title":1,"t\\u0069tle":3}', 'title'],
    ['a duplicate key deep down', '{"identity":{"client":{"a":[0,{},{"b":1,"b":2}]}}}', 'identity.client.a[2].b'],
    ['a duplicate __proto__', '{"a":{"__proto__":1,"__proto__":2}}', 'a.__proto__'],
    ['a duplicate empty key', '{"":1,"":2}', undefined],
    ['a duplicate under an empty key', '{"":{"a":1,"a":2}}', undefined],
    ['a duplicate in a root array', '[{"a":1,"a":2}]', undefined],
    ['a duplicate whose name may not be shown', '{"<b>":1,"<b>":2}', undefined],
    ['a duplicate whose path is too long', `{"${'a'.repeat(65)}":1,"${'a'.repeat(65)}":1}`, undefined],
    ['a number that overflows', '{"award":1E400}', 'award'],
    ['a negative number that overflows', '{"a":[0,-1e309]}', 'a[1]'],
    ['a number that overflows without an exponent', `{"a":1${'0'.repeat(309)}}`, 'a'],
    ['an escaped U+0000', '{"title":"x\\u0000"}', 'title'],
    ['a raw U+0000', '{"title":"x\0"}', undefined],
    ['an escaped U+0000 in a key', '{"a":{"b":1,"x\\u0000":2}}', 'a'],
    ['an escaped U+0000 in a key of the root', '{"a":1,"x\\u0000":2}', undefined],
    ['a lone high surrogate', '{"title":"\\ud83d"}', 'title'],
    ['a lone low surrogate', '{"title":"\\uDE00"}', 'title'],
    ['two high surrogates', '{"title":"\\ud83d\\ud83d\\ude00"}', 'title'],
    ['a pair the wrong way round', '{"title":"\\ude00\\ud83d"}', 'title'],
    ['a high surrogate before another escape', '{"title":"\\ud83d\\n"}', 'title'],
    ['a high surrogate before a raw character', '{"title":"\\ud83d😀"}', 'title'],
    ['a lone surrogate in a key', '{"a":[{"\\udfff":1}]}', 'a[0]'],
    ['a fault after a nested value', '{"a":{"b":[1,[2]]},"c":"\\ud800"}', 'c'],
    ['a backslash outside a string', '{"a":\\"b"}', undefined],
    ['a string without an end', '{"a":"b', undefined],
    ['an escaped string without an end', '{"a":"b\\"', undefined],
    ['an escape at the end', '"\\', undefined],
    ['a broken unicode escape', '{"a":"\\u00g0"}', undefined],
    ['a closing bracket too many', '{}}', undefined],
    ['a key in an array', '{"a":["b":1]}', undefined],
  ];
  for (const [what, text, field] of faults) {
    it(`refuses ${what}`, () => {
      const result = parse(text);
      assert.equal(result.ok, false);
      if (field !== undefined) assert.deepEqual(result, { ok: false, field });
      else if (!text.includes('["b":')) assert.deepEqual(result, { ok: false });
    });
  }

  it('refuses bytes that are not strict UTF-8', () => {
    for (const hex of ['ff', 'c3', 'c080', 'eda080', 'f4908080', 'efbbbf', '80']) {
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
      const isMark = hex === 'efbbbf';
      assert.equal(parseIJson(bytes).ok, isMark, hex);
    }
    assert.deepEqual(parseIJson(Buffer.from('fffe7b007d00', 'hex')), { ok: false });
  });

  it('accepts 64 levels and not 65, of arrays and of objects; 128 for answers', () => {
    assert.equal(parse('['.repeat(64) + ']'.repeat(64)).ok, true);
    assert.equal(parse('['.repeat(65) + ']'.repeat(65)).ok, false);
    assert.equal(parse(nestedObjects(64, 'null')).ok, true);
    assert.equal(parse(nestedObjects(64, '{}')).ok, false);
    const answer = (depth: number) => parseAnswer(Buffer.from(nestedObjects(depth, 'null')));
    assert.deepEqual([answer(128).ok, answer(129).ok], [true, false]);
    assert.equal(parse(`[${'[],'.repeat(1000)}[]]`).ok, true);
  });

  it('reads every negative zero as 0', () => {
    const result = parse('{"a":-0,"b":[-0.0,-0e5,-1e-400,-0.5,-5],"c":{"__proto__":-0,"d":"-0"}}');
    assert.ok(result.ok);
    const value = result.value as { a: number; b: number[]; c: object };
    assert.deepEqual([value.a, ...value.b], [0, 0, 0, 0, -0.5, -5]);
    assert.deepEqual(Object.entries(value.c), [
      ['__proto__', 0],
      ['d', '-0'],
    ]);
    assert.deepEqual(parse('-0'), { ok: true, value: 0 });
  });

  it('keeps __proto__ and constructor as ordinary properties', () => {
    const result = parse('{"__proto__":{"polluted":true},"constructor":1}');
    assert.ok(result.ok);
    const value = result.value as Record<string, unknown>;
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal(value.polluted, undefined);
  });

  it('finds a duplicate among many keys, and accepts many different keys', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `"k${index}":${index}`);
    assert.equal(parse(`{${keys.join(',')}}`).ok, true);
    for (const again of [0, 7, 8, 9, 4999]) {
      assert.deepEqual(parse(`{${keys.join(',')},"k${again}":0}`), { ok: false, field: `k${again}` });
    }
  });

  it('takes linear time on half a megabyte of anything', function () {
    this.timeout(20_000);
    const size = 500_000;
    const bodies = ['[', '{"a":', '"', '\\', '"\\', '"a"', '-0,', '1e9,', ' ', '"\\u0041":', '{', '}', ',', '[1],'].map(
      (unit) => unit.repeat(size / unit.length),
    );
    for (const body of [...bodies, `[${'-0,'.repeat(size / 3)}0]`, `["${'\\n'.repeat(size / 2)}"]`, '1'.repeat(size)]) {
      const startedAt = performance.now();
      parse(body);
      // The slowest takes 40 ms; a quadratic scan would take minutes.
      assert.ok(performance.now() - startedAt < scaleWait(2_000), body.slice(0, 12));
    }
  });
});
