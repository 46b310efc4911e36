import assert from 'node:assert/strict';
import { inTime } from '../../src/platform/inTime.ts';

const never = new Promise<string>(() => {});

describe('what is waited for at most so long', () => {
  it('is answered, or fails, as it does in time', async () => {
    assert.equal(await inTime(Promise.resolve('answer'), 60_000, assert.fail), 'answer');
    await assert.rejects(inTime(Promise.reject(new Error('no')), 60_000, assert.fail), { message: 'no' });
  });

  it('is what stands in its place when it is late', async () => {
    assert.equal(await inTime(never, 1, () => 'late'), 'late');
    const refuse = () => {
      throw new Error('timed out');
    };
    await assert.rejects(inTime(never, 1, refuse), { message: 'timed out' });
  });
});
