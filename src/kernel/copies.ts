import { LRUCache } from 'lru-cache';
import { Joined } from '../platform/joined.ts';
import type { Context, SignedContext } from './operation.ts';

/** What one process keeps, texts and all (docs/operations#copies). The largest page of a thread fits. */
const MOST_BYTES = 32 * 1_048_576;
const MOST_BYTES_EACH = 288 * 1_024;
/** What a copy takes beside its text and its key. */
const OVERHEAD_BYTES = 1_024;
const BYTES_OF_ID = 64;
/** Keys of what was asked for once: a read that nobody repeats costs nothing more than without copies. */
const MOST_ASKED_ONCE = 10_000;

/** How finished answers to an operation are kept and checked. */
export interface CopyRules<Input = object, Answer = object> {
  /**
   * One statement that says which version of the answer an anonymous caller gets: another one whenever anything in it may be
   * another. Null where none may be kept: nobody sees it, or the clock changes it.
   */
  version(ctx: Context, input: Input): Promise<string | null>;
  /** Where an answer to a signed caller may differ: by what it has on some of the ids in it, once it has it for ever. */
  readonly own?: {
    idsIn(answer: Answer): readonly string[];
    has(ctx: SignedContext, ids: readonly string[]): Promise<boolean>;
  };
}

/** A finished answer as anonymous callers get it. */
export interface Finished {
  /** JSON in UTF-8. */
  readonly text: Buffer;
  /** Its weak `ETag`. */
  readonly tag: string;
  /** Those on which a signed caller may have something of its own. */
  readonly ids: readonly string[];
  /** For who waited while it was made; not kept. */
  readonly made?: Made;
}

/** An answer before it is bytes. */
export interface Made {
  /** What its JSON says, as plain values; whoever reads it changes nothing in it. */
  readonly body: object;
  readonly json: string;
}

/** How an answer comes about; all of it is asked of one server. */
export interface Source {
  /** One statement; null where no copy may be kept. */
  version(): Promise<string | null>;
  finish(): Promise<Finished>;
}

interface Kept extends Omit<Finished, 'made'> {
  readonly version: string;
}

/**
 * Finished answers as anonymous callers get them, each kept as long as its version is the same. The version is asked for before each
 * use and never kept, and so decides too who may see it; when it is another, the answer is made anew. It is kept only
 * where the version was the same before and after it was made, so a copy is what that version stands for and nothing else,
 * whichever server says so later. Nothing of a signed caller is ever in it.
 */
export class Copies {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MOST_BYTES,
    maxEntrySize: MOST_BYTES_EACH,
    sizeCalculation: ({ text, ids }, key) => text.length + 2 * key.length + ids.length * BYTES_OF_ID + OVERHEAD_BYTES,
  });
  readonly #askedOnce = new LRUCache<string, true>({ max: MOST_ASKED_ONCE });
  readonly #joined = new Joined<Finished | undefined>();

  /** The answer under a key (operation, server, input); undefined where the caller has to make it by itself. */
  async answer(key: string, source: Source): Promise<Finished | undefined> {
    if (!this.#kept.has(key) && !this.#askedOnce.has(key)) {
      this.#askedOnce.set(key, true);
      return undefined;
    }
    return this.#joined.ask(key, () => this.#look(key, source));
  }

  /** How many bytes it holds. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  async #look(key: string, source: Source): Promise<Finished | undefined> {
    const version = await source.version();
    if (version === null) {
      // The next one does not ask in vain.
      this.#askedOnce.delete(key);
      return undefined;
    }
    const kept = this.#kept.get(key);
    if (kept?.version === version) return kept;
    const finished = await source.finish();
    const after = await source.version();
    if (after === null) return undefined;
    const { text, tag, ids } = finished;
    if (after === version) {
      this.#kept.set(key, { text, tag, ids, version });
      // Of what is too large to be kept, the next one does not ask in vain either.
      if (!this.#kept.has(key)) this.#askedOnce.delete(key);
    }
    return finished;
  }
}
