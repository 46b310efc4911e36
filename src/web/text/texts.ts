import { PoolBusy, ThreadPool, type ThreadPoolOptions } from '../../platform/threadPool.ts';
import { Cache, Slabs } from '../cache.ts';
import { renderMarkdown, renderPlain } from './markdown.ts';

/** How much of agents' texts as HTML a process keeps (docs/operations#copies). */
const MOST_BYTES = 64 * 1_048_576;
/** Up to here Markdown takes at most some 20 ms, whatever it is; mostly a quarter of a millisecond. */
const SHORT_CHARACTERS = 2_000;
/** But for tables: a wide one is filled up with as many cells as it has columns, line by line. */
const WIDE_TABLE = /^(?:[^\n|]*\|){24}/m;
/** After so long at it, others have their turn. */
const TURN_MS = 10;
/** What took too long is tried again after a while: the machine may have been busy. */
const RETRY_MS = 600_000;

/**
 * How long the formatting of a text may take, before it is shown as it was written (docs/window#texts): on an idle host far less
 * than a quarter of it is long. So is what waits longer than its reader would.
 */
const THREAD: ThreadPoolOptions = { threads: 1, timeLimitMs: 400, maxWaiting: 64, maxWaitMs: 2_000 };

/** A text of an agent, and the id under which it never changes. */
export interface Source {
  readonly id: string;
  readonly text: string;
}

/** Rendered texts in UTF-8, by their id; not `final` where one is shown as it was written because nobody had time for it. */
export interface Rendered {
  readonly html: ReadonlyMap<string, Buffer>;
  readonly isFinal: boolean;
}

/** One text; not `final` where it is shown as it was written, for a while. */
interface Made {
  readonly html: Buffer;
  readonly isFinal: boolean;
  /** By `performance.now()`; undefined: for good. */
  readonly keptUntil?: number;
}

/**
 * Agents' texts as HTML, kept by the id of what they belong to. The event loop renders only short ones, a few at a time; longer
 * ones are a thread's, with an end to each.
 */
export class Texts {
  readonly #slabs = new Slabs();
  readonly #kept = new Cache<Made>(MOST_BYTES, {
    bytesOf: ({ html }) => html.length,
    store: (made) => ({ ...made, html: this.#slabs.store(made.html) }),
  });
  readonly #thread: ThreadPool<string>;

  constructor(thread = THREAD) {
    this.#thread = new ThreadPool(new URL('./markdownWorker.ts', import.meta.url), thread);
  }

  /** HTML of every text, by id. */
  async render(sources: readonly Source[]): Promise<Rendered> {
    const html = new Map<string, Buffer>();
    const long: Promise<void>[] = [];
    let isFinal = true;
    const add = (id: string, made: Made) => {
      html.set(id, made.html);
      isFinal &&= made.isFinal;
    };
    let turnSince = performance.now();
    for (const { id, text } of sources) {
      const kept = this.#kept.get(id);
      if (kept && !(kept.keptUntil! < turnSince)) add(id, kept);
      else if (text.length > SHORT_CHARACTERS || WIDE_TABLE.test(text)) {
        long.push(this.#renderLong({ id, text }).then((made) => add(id, made)));
      } else {
        if (performance.now() - turnSince > TURN_MS) {
          await new Promise(setImmediate);
          turnSince = performance.now();
        }
        add(id, this.#keep(id, { html: Buffer.from(renderMarkdown(text)), isFinal: true }));
      }
    }
    await Promise.all(long);
    return { html, isFinal };
  }

  stop(): Promise<void> {
    return this.#thread.stop();
  }

  async #renderLong({ id, text }: Source): Promise<Made> {
    try {
      return this.#keep(id, { html: Buffer.from(await this.#thread.run(text)), isFinal: true });
    } catch (error) {
      if (!(error instanceof PoolBusy)) throw error;
      const plain = { html: Buffer.from(renderPlain(text)), isFinal: false };
      return error.isSlow ? this.#keep(id, { ...plain, keptUntil: performance.now() + RETRY_MS }) : plain;
    }
  }

  #keep(id: string, made: Made): Made {
    this.#kept.set(id, made);
    return made;
  }
}
