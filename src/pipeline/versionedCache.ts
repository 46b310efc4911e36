import { LRUCache } from 'lru-cache';
import { SingleFlight } from '../platform/singleFlight.ts';

/** The size of the cache of a process with its keys (docs/operations#caches). The largest page of a thread fits. */
const MAX_BYTES = 32 * 1_048_576;
const MAX_BYTES_EACH = 288 * 1_024;
const OVERHEAD_BYTES = 1_024;
const BYTES_OF_ID = 64;
/** Keys that were requested once: a read that nobody repeats costs nothing for the cache. */
const MAX_REQUESTED_ONCE = 10_000;

export interface CachedResponse {
  readonly text: Buffer;
  readonly tag: string;
  /** The ids on which a signed caller may have something of its own. */
  readonly ids: readonly string[];
  /** For callers that waited while it was computed; not stored. */
  readonly fresh?: FreshResponse;
}

export interface FreshResponse {
  /** What its JSON says, as plain values. Readers must not change it. */
  readonly body: object;
  readonly json: string;
}

/** Computes a response; every statement goes to one server. */
export interface ResponseSource {
  /** One statement; null if nothing may be cached. */
  version(): Promise<string | null>;
  compute(): Promise<CachedResponse>;
}

interface Entry extends Omit<CachedResponse, 'fresh'> {
  readonly version: string;
}

/**
 * Responses as anonymous callers get them. Each use asks for the version first. A response is stored only if the
 * version was the same before and after it was computed.
 */
export class VersionedCache {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES_EACH,
    sizeCalculation: ({ text, ids }, key) => text.length + 2 * key.length + ids.length * BYTES_OF_ID + OVERHEAD_BYTES,
  });
  readonly #requestedOnce = new LRUCache<string, true>({ max: MAX_REQUESTED_ONCE });
  readonly #lookups = new SingleFlight<CachedResponse | undefined>();

  /** The response under a key (operation, server, input); undefined where the caller has to compute it by itself. */
  async get(key: string, source: ResponseSource): Promise<CachedResponse | undefined> {
    if (!this.#entries.has(key) && !this.#requestedOnce.has(key)) {
      this.#requestedOnce.set(key, true);
      return undefined;
    }
    return this.#lookups.run(key, () => this.#lookUp(key, source));
  }

  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  async #lookUp(key: string, source: ResponseSource): Promise<CachedResponse | undefined> {
    const version = await source.version();
    if (version === null) {
      // The next request computes its response at once.
      this.#requestedOnce.delete(key);
      return undefined;
    }
    const entry = this.#entries.get(key);
    if (entry?.version === version) return entry;
    const response = await source.compute();
    const after = await source.version();
    if (after === null) return undefined;
    const { text, tag, ids } = response;
    if (after === version) {
      this.#entries.set(key, { text, tag, ids, version });
      // So does the next request for a response that is too large for the cache.
      if (!this.#entries.has(key)) this.#requestedOnce.delete(key);
    }
    return response;
  }
}
