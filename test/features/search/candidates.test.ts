import assert from 'node:assert/strict';
import { above, Candidates } from '../../../src/features/search/indexedPieces.ts';

/** Ids of posts in blocks that overlap, the newest block first. */
const BLOCKS = [
  ['p5', 'p7', 'p9'],
  ['p3', 'p6', 'p8'],
  ['p1', 'p2', 'p4'],
];

describe('the posts that segments name', () => {
  /** The posts that are settled with batches of this size, and the lowest position after each. */
  function settled(atOnce: number, { before = '~', end = '', rest = null as string | null } = {}) {
    const matches = BLOCKS.map((ids, block) => ({ block, newest: ids.at(-1)!, places: () => [2, 1, 0] }));
    const candidates = new Candidates({ matches, rest }, { before, end });
    const pieces = [];
    do {
      const taken = candidates.take(atOnce).map(({ block, place }) => BLOCKS[block]![place]!);
      pieces.push(candidates.settle(taken));
    } while (!candidates.isEmpty);
    return pieces;
  }
  const sorted = (ids: readonly string[]) => ids.toSorted().toReversed();
  const all = BLOCKS.flat();

  it('come newest first, each once, in batches of any size', () => {
    for (const atOnce of [1, 2, 3, 4, 5, 9]) {
      let from = '~';
      for (const { postIds, next } of settled(atOnce)) {
        assert.deepEqual(
          sorted(postIds),
          sorted(all.filter((id) => id < from && id >= next)),
          `${atOnce} below ${from}`,
        );
        from = next;
      }
      assert.equal(from, '');
    }
  });

  it('exclude posts that were compared before, and posts below the requested range', () => {
    for (const atOnce of [1, 2, 9]) {
      const pieces = settled(atOnce, { before: 'p7', end: 'p3' });
      assert.deepEqual(sorted(pieces.flatMap(({ postIds }) => postIds)), ['p6', 'p5', 'p4', 'p3'], `${atOnce}`);
      assert.equal(pieces.at(-1)!.next, 'p3');
      for (const { next } of pieces) assert.ok(next <= 'p7');
    }
  });

  it('exclude posts below those that an unread segment may contain', () => {
    for (const atOnce of [1, 2, 9]) {
      const pieces = settled(atOnce, { rest: 'p4' });
      assert.deepEqual(sorted(pieces.flatMap(({ postIds }) => postIds)), ['p9', 'p8', 'p7', 'p6', 'p5'], `${atOnce}`);
      assert.equal(pieces.at(-1)!.next, above('p4'));
    }
  });
});
