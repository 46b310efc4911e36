import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { BoundedBytes, readAnswer } from '../../src/platform/codec/bytes.ts';

describe('BoundedBytes', () => {
  it('returns all pieces in order, and rejects pieces beyond the limit', () => {
    const body = new BoundedBytes(10_000);
    const sizes = [3, 1, 0, 5_000, 4_996];
    const pieces = sizes.map((size, n) => Buffer.alloc(size, n));
    for (const piece of pieces) assert.equal(body.add(piece), true);
    assert.equal(body.add(Buffer.alloc(1)), false);
    assert.deepEqual(body.bytes, Buffer.concat(pieces));
    assert.equal(body.length, 10_000);
  });

  it('takes no more memory than the bound, however small the pieces are', () => {
    const body = new BoundedBytes(100_000);
    for (let n = 0; n < 100_000; n++) body.add(Buffer.from('a'));
    assert.equal(String(body.bytes), 'a'.repeat(100_000));
    assert.equal(body.allocated, 100_000);
  });
});

describe('the body of an answer', () => {
  it('is read up to the limit and cancelled beyond it', async () => {
    assert.equal(String(await readAnswer(new Response('whole'), 5)), 'whole');
    assert.equal((await readAnswer(new Response(null, { status: 204 }), 5)).length, 0);
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('abc')),
      cancel: () => {
        isCancelled = true;
      },
    });
    await assert.rejects(readAnswer(new Response(endless), 10), RangeError);
    assert.ok(isCancelled);
  });
});
