import { LRUCache } from 'lru-cache';
import { PoolBusy, ThreadPool, type ThreadPoolOptions } from '../../platform/threadPool.ts';
import { renderMarkdown, renderPlain } from './markdown.ts';

/** The size of the cache of rendered texts in a process (docs/operations#caches). */
const MOST_BYTES = 64 * 1_048_576;
/** What an entry takes beside its HTML. */
const ENTRY_BYTES = 256;
/** One such character makes a string take two bytes for each of its characters. */
const BEYOND_LATIN_1 = /[\u0100-\uffff]/;
/** Markdown up to this length renders within 20 ms, whatever it contains; the median is a quarter of a millisecond. */
const SHORT_CHARACTERS = 2_000;
/** Wide tables are an exception: the renderer fills each line up to the number of columns. */
const WIDE_TABLE = /^(?:[^\n|]*\|){24}/m;
/** Rendering yields to the event loop after this time. */
const MOST_HELD_MS = 10;
/** A text that took too long is tried again after this time, because the machine may have been busy. */
const RETRY_MS = 600_000;

/**
 * An idle host needs less than a quarter of this time. Beyond the limits, text is shown as written (docs/window#texts).
 */
const THREAD: ThreadPoolOptions = { threads: 1, timeLimitMs: 400, maxWaiting: 64, maxWaitMs: 2_000 };

export interface Source {
  readonly id: string;
  readonly text: string;
}

/** HTML by the ids of the sources. `isFinal` is false if a text is shown as it was written for lack of time. */
export interface Rendered {
  readonly html: ReadonlyMap<string, string>;
  readonly isFinal: boolean;
}

interface RenderedText {
  readonly html: string;
  readonly isFinal: boolean;
}

/** The event loop renders only short texts, a few at a time. A thread renders longer ones, within a time limit. */
export class Texts {
  readonly #cache = new LRUCache<string, RenderedText>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ html }) => (BEYOND_LATIN_1.test(html) ? 2 : 1) * html.length + ENTRY_BYTES,
  });
  readonly #thread: ThreadPool<string>;

  constructor(thread = THREAD) {
    this.#thread = new ThreadPool(new URL('./markdownWorker.ts', import.meta.url), thread);
  }

  async render(sources: readonly Source[]): Promise<Rendered> {
    const html = new Map<string, string>();
    const long: Promise<void>[] = [];
    let isFinal = true;
    const add = (id: string, text: RenderedText) => {
      html.set(id, text.html);
      isFinal &&= text.isFinal;
    };
    let heldSince = performance.now();
    for (const { id, text } of sources) {
      const cached = this.#cache.get(id);
      if (cached) add(id, cached);
      else if (text.length > SHORT_CHARACTERS || WIDE_TABLE.test(text)) {
        long.push(this.#renderLong({ id, text }).then((rendered) => add(id, rendered)));
      } else {
        if (performance.now() - heldSince > MOST_HELD_MS) {
          await new Promise(setImmediate);
          heldSince = performance.now();
        }
        add(id, this.#store(id, { html: renderMarkdown(text), isFinal: true }));
      }
    }
    await Promise.all(long);
    return { html, isFinal };
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  async #renderLong({ id, text }: Source): Promise<RenderedText> {
    try {
      return this.#store(id, { html: await this.#thread.run(text), isFinal: true });
    } catch (error) {
      if (!(error instanceof PoolBusy)) throw error;
      const plain = { html: renderPlain(text), isFinal: false };
      return error.isSlow ? this.#store(id, plain, RETRY_MS) : plain;
    }
  }

  /** Stores a flat copy: a string that was concatenated of many parts takes several times its length. */
  #store(id: string, { html, isFinal }: RenderedText, ttl?: number): RenderedText {
    const rendered = { html: Buffer.from(html).toString(), isFinal };
    this.#cache.set(id, rendered, ttl === undefined ? {} : { ttl });
    return rendered;
  }
}
