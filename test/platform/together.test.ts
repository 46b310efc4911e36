import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Together } from '../../src/platform/together.ts';

describe('questions asked together', () => {
  it('are no more than so many, and the next wait for those before', async () => {
    const sizes: number[] = [];
    const together = new Together<number, number>(
      async (questions) => {
        sizes.push(questions.length);
        await sleep(10);
        return questions;
      },
      { most: 3 },
    );
    const first = [1, 2, 3, 4].map((question) => together.ask(question));
    await nextTurn();
    const next = [5, 6].map((question) => together.ask(question));
    assert.deepEqual(await Promise.all([...first, ...next]), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(sizes, [3, 1, 2]);
    assert.equal(await together.ask(7), 7);
  });

  it('wait for those before no longer than they have patience', async () => {
    const pending: (() => void)[] = [];
    const together = new Together<number, number>(
      async (questions) => {
        if (questions.includes(1)) await new Promise<void>((resolve) => pending.push(resolve));
        return questions;
      },
      { most: 3, patienceMs: 5 },
    );
    const stuck = together.ask(1);
    await nextTurn();
    assert.deepEqual(await Promise.all([together.ask(2), together.ask(3)]), [2, 3]);
    assert.equal(await together.ask(4), 4);
    pending[0]!();
    assert.equal(await stuck, 1);
  });

  it('fail together where all came to the same, and are asked again afterwards', async () => {
    let isLost = true;
    const together = new Together<number, number>(
      async (questions) => {
        if (isLost) throw new Error('lost');
        return questions;
      },
      { most: 3 },
    );
    const settled = await Promise.allSettled([together.ask(1), together.ask(2)]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    isLost = false;
    assert.equal(await together.ask(3), 3);
  });
});
