import assert from 'node:assert/strict';
import { type CachedResponse, type ResponseSource, VersionedCache } from '../../src/pipeline/versionedCache.ts';
import { SingleFlight } from '../../src/platform/singleFlight.ts';

const finished = (text: string): CachedResponse => ({ text: Buffer.from(text), tag: `W/"${text}"`, ids: [] });
/** A source whose versions come one after the other, the last again and again; counts how often it made an answer. */
function sourceOf(versions: (string | null)[], text = 'text') {
  const source = {
    made: 0,
    version: async () => (versions.length > 1 ? versions.shift()! : versions[0]!),
    compute: async () => {
      source.made += 1;
      return finished(`${text} ${source.made}`);
    },
  };
  return source;
}
const textOf = async (cache: VersionedCache, source: ResponseSource, key = 'k') =>
  (await cache.get(key, source))?.text.toString();
/** Somebody has asked before. */
async function asked(cache: VersionedCache, key = 'k'): Promise<void> {
  assert.equal(await cache.get(key, sourceOf(['0'])), undefined);
}

describe('cache', () => {
  let cache: VersionedCache;
  beforeEach(async () => {
    cache = new VersionedCache();
    await asked(cache);
  });

  it('are used while the version is the same, and computed again when it changes', async () => {
    const source = sourceOf(['1', '1', '1', '1', '2', '2', '2']);
    const texts = [];
    for (let n = 0; n < 5; n++) texts.push(await textOf(cache, source));
    assert.deepEqual(texts, ['text 1', 'text 1', 'text 1', 'text 2', 'text 2']);
  });

  it('are not kept of what was asked for once, or is not to be kept', async () => {
    const source = sourceOf([null]);
    assert.equal(await textOf(cache, source), undefined);
    assert.equal(await textOf(cache, source), undefined);
    assert.deepEqual([source.made, cache.bytes], [0, 0]);
  });

  it('are not kept when the version changed while they were made, so that one that comes back finds nothing', async () => {
    const source = sourceOf(['1', '2', '1', '1', '1']);
    assert.equal(await textOf(cache, source), 'text 1');
    assert.equal(cache.bytes, 0);
    // A server that took over without the change says the version before.
    assert.equal(await textOf(cache, source), 'text 2');
    assert.equal(await textOf(cache, source), 'text 2');
  });

  it('are not returned after the row became invisible', async () => {
    assert.equal(await textOf(cache, sourceOf(['1'])), 'text 1');
    assert.equal(await textOf(cache, sourceOf([null])), undefined);
    assert.equal(await textOf(cache, sourceOf(['2', null])), undefined);
  });

  it('take no more than 32 MB, and none of them more than 288 KiB', async () => {
    const large = 'x'.repeat(250_000);
    for (let n = 0; n < 200; n++) {
      await asked(cache, `${n}`);
      await textOf(cache, sourceOf(['1'], large), `${n}`);
    }
    assert.ok(cache.bytes > 25_000_000 && cache.bytes <= 32 * 1_048_576, String(cache.bytes));
    const last = sourceOf(['1'], large);
    await textOf(cache, last, '199');
    assert.equal(last.made, 0);
    const before = cache.bytes;
    await asked(cache, 'too large');
    assert.ok(await textOf(cache, sourceOf(['1'], 'x'.repeat(296_000)), 'too large'));
    assert.equal(cache.bytes, before);
  });

  it('are not asked for the version of one that was too large the last time', async () => {
    const source = sourceOf(['1'], 'x'.repeat(300_000));
    assert.match((await textOf(cache, source))!, /^x+ 1$/);
    assert.equal(await textOf(cache, source), undefined);
    assert.equal(source.made, 1);
  });
});

describe('joined work', () => {
  /** Work that ends when the test says so; `begun` counts what has begun. */
  function works() {
    const begun: ((value: number) => void)[] = [];
    const work = () => new Promise<number>((resolve) => begun.push(resolve));
    return { begun, work };
  }

  it('is never what is under way: one at most is, and one waits, for all who came meanwhile', async () => {
    const joined = new SingleFlight<number>();
    const { begun, work } = works();
    const first = joined.run('k', work);
    const others = [joined.run('k', work), joined.run('k', work), joined.run('k', work)];
    const elsewhere = joined.run('l', work);
    assert.equal(begun.length, 2);
    begun[0]!(1);
    assert.equal(await first, 1);
    await new Promise(setImmediate);
    assert.equal(begun.length, 3);
    const late = joined.run('k', work);
    begun[2]!(2);
    assert.deepEqual(await Promise.all(others), [2, 2, 2]);
    await new Promise(setImmediate);
    begun[3]!(3);
    begun[1]!(4);
    assert.deepEqual([await late, await elsewhere, begun.length], [3, 4, 4]);
  });

  it('that fails fails for those who shared it, and not for the next', async () => {
    const joined = new SingleFlight<number>();
    const failing = joined.run('k', () => Promise.reject(new Error('lost')));
    const next = joined.run('k', async () => 2);
    await assert.rejects(failing, /lost/);
    assert.equal(await next, 2);
    assert.equal(await joined.run('k', async () => 3), 3);
  });
});
