import assert from 'node:assert/strict';
import { bytesCache, Cache, textCache } from '../../src/web/cache.ts';

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

  it('takes no more than its bytes, keys and all; of what was asked for lately nothing goes', () => {
    const cache = textCache(4_000);
    const text = 'x'.repeat(400);
    const areKept = (...keys: string[]) => keys.map((key) => cache.get(key) !== undefined);
    for (const key of ['a', 'b', 'c']) cache.keep(key, () => text);
    assert.deepEqual(areKept('a', 'b'), [true, true]);
    // Three to a half: the second begins with d, the third with f, and b was asked for in the second.
    for (const key of ['d', 'b', 'e', 'f']) cache.keep(key, () => text);
    assert.deepEqual(areKept('a', 'b', 'c'), [false, true, false]);
    assert.equal(cache.keep('long', () => 'x'.repeat(3_000)).length, 3_000);
    cache.keep('k'.repeat(3_000), () => '');
    assert.deepEqual(areKept('long', 'k'.repeat(3_000), 'b'), [false, false, true]);
  });

  it('has what was put there last', () => {
    const cache = textCache(4_000);
    for (let n = 0; n < 20; n++) cache.set('a', `${n}`.repeat(500));
    assert.equal(cache.get('a'), '19'.repeat(500));
    cache.set('a', 'x'.repeat(3_000));
    assert.equal(cache.get('a'), undefined);
  });

  it('counts two bytes for each character where one is beyond Latin-1', () => {
    const keptOf = (text: string) => {
      const cache = textCache(40_000);
      for (let n = 0; n < 100; n++) cache.set(`${n}`, text);
      return Array.from({ length: 100 }, (_, n) => `${n}`).filter((key) => cache.get(key) !== undefined).length;
    };
    const [narrow, wide] = [keptOf('é'.repeat(1_000)), keptOf(`${'é'.repeat(999)}…`)];
    assert.ok(narrow <= 32 && wide <= 18, `${narrow}, ${wide}`);
    assert.ok(narrow > 1.5 * wide, `${narrow}, ${wide}`);
  });

  it('counts what it is told of a value', () => {
    const cache = new Cache<{ size: number }>(10_000, { bytesOf: ({ size }) => size });
    for (let n = 0; n < 20; n++) cache.set(`${n}`, { size: 1_000 });
    const kept = Array.from({ length: 20 }, (_, n) => cache.get(`${n}`)).filter((value) => value !== undefined);
    assert.ok(kept.length >= 3 && kept.length <= 7, String(kept.length));
  });

  it('keeps bytes of its own, short and long, as long as they are asked for', () => {
    const cache = bytesCache(1_000_000);
    const contentOf = (n: number) => `${n} `.repeat(n % 10 === 0 ? 20_000 : 200);
    const given = Buffer.from(contentOf(0));
    cache.set('0', given);
    given.fill(0);
    // Much more than it takes; the first ten are asked for all the time.
    for (let n = 1; n < 2_000; n++) {
      cache.set(`${n}`, Buffer.from(contentOf(n)));
      for (let often = 0; often < Math.min(10, n); often++) cache.get(`${often}`);
    }
    for (let n = 0; n < 10; n++) assert.equal(cache.get(`${n}`)?.toString(), contentOf(n));
    assert.equal(cache.get('1999')?.toString(), contentOf(1_999));
    assert.equal(cache.get('500'), undefined);
  });
});
