import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { readAnswer } from '../../src/platform/codec/answer.ts';

describe('the body of an answer', () => {
  it('is read as far as it may be, and let go of beyond', async () => {
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
