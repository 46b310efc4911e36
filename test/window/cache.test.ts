import assert from 'node:assert/strict';
import { Cache, textCache } from '../../src/window/cache.ts';

describe('a cache of the pages', () => {
  it('makes what is not kept once, and keeps it', () => {
    const cache = textCache(10_000);
    let made = 0;
    const ask = () => cache.keep('key', () => `made ${++made}`);
    assert.deepEqual([ask(), ask()], ['made 1', 'made 1']);
    // Nothing at all is something too.
    cache.keep('empty', () => '');
    assert.equal(
      cache.keep('empty', () => 'again'),
      '',
    );
  });

  it('takes no more than its bytes, keys and all; what was asked for longest ago goes first', () => {
    const cache = textCache(4_000);
    const text = 'x'.repeat(1_000);
    for (const key of ['a', 'b', 'c']) cache.keep(key, () => text);
    cache.keep('a', () => 'made again');
    cache.keep('d', () => text);
    assert.deepEqual([...cache.keys()].toSorted(), ['a', 'c', 'd']);
    assert.equal(cache.get('a'), text);
    cache.keep('k'.repeat(2_000), () => '');
    assert.ok(cache.calculatedSize <= 4_000, String(cache.calculatedSize));
    assert.equal(cache.keep('long', () => 'x'.repeat(3_900)).length, 3_900);
    assert.equal(cache.has('long'), false);
  });

  it('counts two bytes for each character where one is beyond Latin-1', () => {
    const cache = textCache(4_000);
    for (const key of ['a', 'b', 'c']) cache.keep(key, () => `${'é'.repeat(999)}…`);
    assert.deepEqual([...cache.keys()], ['c']);
  });

  it('counts what it is told of a value', () => {
    const cache = new Cache<{ size: number }>(10_000, ({ size }) => size);
    for (let n = 0; n < 10; n++) cache.set(`${n}`, { size: 1_000 });
    assert.equal(cache.size, 7);
  });
});
