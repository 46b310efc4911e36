/** What an entry takes beside its key and value. */
const OVERHEAD_BYTES = 256;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

/** What a text takes in memory: with one character beyond Latin-1, each has two bytes. */
const bytesOf = (text: string): number => (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;

const SLAB_BYTES = 262_144;

/**
 * Memory for bytes that a cache keeps: in large pieces, because a piece of its own costs each 600 bytes more. One goes when nothing in it
 * is kept any more: what a cache goes on keeping is copied out of the half that goes.
 */
export class Slabs {
  #slab = Buffer.allocUnsafeSlow(0);
  #at = 0;

  /** A copy. */
  store(bytes: Buffer): Buffer {
    if (bytes.length > SLAB_BYTES / 4) return copyOf(bytes);
    if (this.#at + bytes.length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#at = 0;
    }
    const stored = this.#slab.subarray(this.#at, this.#at + bytes.length);
    stored.set(bytes);
    this.#at += bytes.length;
    return stored;
  }
}

/** In memory of their own, of which nothing else keeps more alive. */
export function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

interface CacheOptions<Value> {
  readonly bytesOf: (value: Value) => number;
  /** Makes of a value one that may be kept: as it comes, and again when what it stands with goes. */
  readonly store?: (value: Value) => Value;
}

/**
 * What was made of texts, by a key, within so many bytes. In two halves, the one that is being filled and the one that was before:
 * when the one is full the other goes, but for what was asked for since. A page asks for a hundred entries; to order each by when it
 * was asked for last takes twenty times as long as to find it.
 */
export class Cache<Value extends object | string> {
  readonly #halfBytes: number;
  readonly #bytesOfValue: (value: Value) => number;
  readonly #store: (value: Value) => Value;
  #filled = new Map<string, Value>();
  #before = new Map<string, Value>();
  #filledBytes = 0;

  constructor(mostBytes: number, { bytesOf, store = (value) => value }: CacheOptions<Value>) {
    this.#halfBytes = mostBytes / 2;
    this.#bytesOfValue = bytesOf;
    this.#store = store;
  }

  get(key: string): Value | undefined {
    const found = this.#filled.get(key);
    if (found !== undefined) return found;
    const before = this.#before.get(key);
    if (before !== undefined) this.set(key, before);
    return before;
  }

  /** What is larger than a half is not kept. */
  set(key: string, value: Value): void {
    const former = this.#filled.get(key);
    if (former !== undefined) this.#filledBytes -= this.#bytesOf(key, former);
    this.#filled.delete(key);
    this.#before.delete(key);
    const bytes = this.#bytesOf(key, value);
    if (bytes > this.#halfBytes) return;
    if (this.#filledBytes + bytes > this.#halfBytes) {
      this.#before = this.#filled;
      this.#filled = new Map();
      this.#filledBytes = 0;
    }
    this.#filled.set(key, this.#store(value));
    this.#filledBytes += bytes;
  }

  /** What is kept under a key; where nothing is, what `make` answers, which is kept from then on. */
  keep(key: string, make: () => Value): Value {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(key, made);
    return made;
  }

  #bytesOf(key: string, value: Value): number {
    return bytesOf(key) + this.#bytesOfValue(value) + OVERHEAD_BYTES;
  }
}

/** The same of texts themselves. */
export const textCache = (mostBytes: number): Cache<string> => new Cache(mostBytes, { bytesOf });

/** The same of bytes. */
export function bytesCache(mostBytes: number): Cache<Buffer> {
  const slabs = new Slabs();
  return new Cache(mostBytes, { bytesOf: ({ length }) => length, store: (bytes) => slabs.store(bytes) });
}
