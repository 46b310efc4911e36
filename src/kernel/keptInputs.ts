import { LRUCache } from 'lru-cache';
import type { KeptInput } from './run.ts';

const MOST_KEPT = 4_096;
/** In characters: longer ones are hardly ever sent twice. */
const LONGEST_KEY = 256;

/** Inputs of reads that were found valid, by a text that tells all of them: who sends it again is asked nothing. */
export class KeptInputs {
  readonly #kept = new LRUCache<string, KeptInput>({ max: MOST_KEPT });

  /** Where the input of this text is kept, or will be; undefined for what is too long. */
  under(key: string): KeptInput | undefined {
    if (key.length > LONGEST_KEY) return undefined;
    const kept = this.#kept.get(key) ?? {};
    if (kept.valid === undefined) this.#kept.set(key, kept);
    return kept;
  }
}
