import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readBody } from '../../src/platform/codec/body.ts';

describe('the body of an answer', () => {
  it('is read as far as it may be, and let go of beyond', async () => {
    assert.equal(String(await readBody(new Response('whole'), 5)), 'whole');
    assert.equal((await readBody(new Response(null, { status: 204 }), 5)).length, 0);
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('abc')),
      cancel: () => {
        isCancelled = true;
      },
    });
    await assert.rejects(readBody(new Response(endless), 10), RangeError);
    assert.ok(isCancelled);
  });
});
