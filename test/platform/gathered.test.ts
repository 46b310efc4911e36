import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { Gathered } from '../../src/platform/codec/gathered.ts';

describe('bytes that are gathered', () => {
  it('are all that came, in order, up to the bound', () => {
    const gathered = new Gathered(10_000);
    const sizes = [3, 1, 0, 5_000, 4_996];
    const pieces = sizes.map((size, n) => Buffer.alloc(size, n));
    for (const piece of pieces) assert.equal(gathered.add(piece), true);
    assert.equal(gathered.add(Buffer.alloc(1)), false);
    assert.deepEqual(gathered.bytes(), Buffer.concat(pieces));
    assert.equal(gathered.length, 10_000);
  });

  it('leave the first piece as it is, which is of a buffer of somebody else', () => {
    const whole = Buffer.from('abcdef');
    const gathered = new Gathered(10);
    gathered.add(whole.subarray(0, 2));
    assert.equal(gathered.bytes().buffer, whole.buffer);
    gathered.add(Buffer.from('X'));
    assert.deepEqual([String(gathered.bytes()), String(whole)], ['abX', 'abcdef']);
  });

  it('stand in one buffer, within the bound, in whatever pieces they come', () => {
    const gathered = new Gathered(100_000);
    for (let n = 0; n < 100_000; n++) gathered.add(Buffer.from('a'));
    assert.equal(String(gathered.bytes()), 'a'.repeat(100_000));
    assert.equal(gathered.bytes().buffer.byteLength, 100_000);
  });
});
