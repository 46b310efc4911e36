import { LRUCache } from 'lru-cache';

/** What an entry takes beside its key and value. */
const OVERHEAD_BYTES = 256;
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;

/** What a text takes in memory: with one character beyond Latin-1, each has two bytes. */
export const bytesOf = (text: string): number => (BEYOND_LATIN_1.test(text) ? 2 : 1) * text.length;

/** What was made of texts, by a key, within so many bytes: what was asked for longest ago goes first. */
export class Cache<Value extends object | string> extends LRUCache<string, Value> {
  constructor(mostBytes: number, bytesOfValue: (value: Value) => number) {
    super({
      maxSize: mostBytes,
      sizeCalculation: (value, key) => bytesOfValue(value) + bytesOf(key) + OVERHEAD_BYTES,
    });
  }

  /** What is kept under a key; where nothing is, what `make` answers, which is kept from then on. */
  keep(key: string, make: () => Value): Value {
    const kept = this.get(key);
    if (kept !== undefined) return kept;
    const made = make();
    this.set(key, made);
    return made;
  }
}

/** The same of texts themselves. */
export const textCache = (mostBytes: number): Cache<string> => new Cache(mostBytes, bytesOf);
