/**
 * While connections come in, nobody who was there before begins a request for so many turns, which are short once what was
 * under way is done, unless the newcomers ask for what is dear; and then for as long as requests began before, but no longer
 * than this.
 */
const LEAST_TURNS = 256;
const MOST_MS = 50;
/** No more turns begin after so long, whatever the newcomers ask for. */
const MOST_TURNS_MS = 250;

/**
 * Node takes in one connection a turn of the event loop. While every turn is long, because hundreds of connections have a
 * request in it, a thousand newcomers would wait for a thousand turns, unheard: so while they come, no request begins but
 * the first of each of them, one after the other, and turns are short.
 */
export class Entrance {
  #isClosed = false;
  #openedAt = 0;
  #hasCome = false;
  readonly #waiting = new Set<() => void>();

  /** A connection was taken in; more may be behind it. */
  come(): void {
    this.#hasCome = true;
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The rest of this turn is still what was begun before.
    setImmediate(() => {
      const now = performance.now();
      const turnsUntilMs = now + MOST_TURNS_MS;
      this.#look({ turns: LEAST_TURNS, turnsUntilMs, untilMs: now + Math.min(MOST_MS, now - this.#openedAt) });
    });
  }

  /** True when a request, not the first of its connection, may begin; else `wake` is called once, soon, when it should ask again. */
  isFree(wake: () => void): boolean {
    if (!this.#isClosed) return true;
    this.#waiting.add(wake);
    return false;
  }

  /** Does not wait any more. */
  leave(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  /** At the end of each turn in which others waited. */
  #look(closed: { readonly turns: number; readonly turnsUntilMs: number; readonly untilMs: number }): void {
    const { turns, turnsUntilMs, untilMs } = closed;
    const now = performance.now();
    if (this.#hasCome && (now < untilMs || (turns > 0 && now < turnsUntilMs))) {
      this.#hasCome = false;
      setImmediate(() => this.#look({ ...closed, turns: turns - 1 }));
    } else {
      this.#open();
    }
  }

  /** Nobody has come in the last turn, or others have waited long enough. */
  #open(): void {
    this.#isClosed = false;
    this.#openedAt = performance.now();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
