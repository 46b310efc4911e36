import assert from 'node:assert/strict';
import { withTimeout } from '../../src/platform/withTimeout.ts';

const never = new Promise<string>(() => {});

describe('withTimeout', () => {
  it('resolves or rejects as the work does in time', async () => {
    assert.equal(await withTimeout(Promise.resolve('answer'), 60_000, assert.fail), 'answer');
    await assert.rejects(withTimeout(Promise.reject(new Error('no')), 60_000, assert.fail), { message: 'no' });
  });

  it('returns the result of `late` after the limit', async () => {
    assert.equal(await withTimeout(never, 1, () => 'late'), 'late');
    const refuse = () => {
      throw new Error('timed out');
    };
    await assert.rejects(withTimeout(never, 1, refuse), { message: 'timed out' });
  });
});
