import assert from 'node:assert/strict';
import { WrittenPositions } from '../../src/platform/postgres/replica.ts';

describe('positions that a primary has written', () => {
  it('show what a replica has replayed, and since when it lags', () => {
    const written = new WrittenPositions();
    for (const [atMs, position] of [
      [0, 10n],
      [1_000, 20n],
      [2_000, 30n],
    ] as const)
      written.note({ atMs, position });
    assert.equal(written.reach(9n), undefined);
    assert.deepEqual(written.reach(25n), { hasUntilMs: 1_000, behindSinceMs: 2_000 });
    assert.deepEqual(written.reach(30n), { hasUntilMs: 2_000, behindSinceMs: undefined });
    written.note({ atMs: 3_000, position: 30n });
    assert.deepEqual(written.reach(), { hasUntilMs: 3_000, behindSinceMs: undefined });
    assert.equal(written.count, 1);
  });

  it('are bounded while a replica is away, with the same precision', () => {
    const written = new WrittenPositions();
    const days = 3;
    for (let second = 0; second <= days * 86_400; second++)
      written.note({ atMs: second * 1_000, position: BigInt(second) });
    assert.ok(written.count <= 1_024, `${written.count}`);
    /** As it seems for a replica that has come so far. */
    const secondsBehind = (second: number) => days * 86_400 - written.reach(BigInt(second))!.behindSinceMs! / 1_000;
    for (const [second, least, most] of [
      [0, days * 86_400 * 0.95, days * 86_400],
      [86_400, 86_400 * 1.9, 86_400 * 2],
      [days * 86_400 - 30, 29, 29],
    ] as const) {
      const seconds = secondsBehind(second);
      assert.ok(least <= seconds && seconds <= most, `${second}: ${seconds}`);
    }
  });
});
