/** Requests sent ahead that are worked on at a time, of all connections together. */
const MAX_AHEAD = 16;

/**
 * Who sends requests before the answer to the last one came takes turns with all others who do so: however many
 * connections do it, somebody who sends one request finds at most `MAX_AHEAD` of theirs before it.
 */
export class Turns {
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  /** True when a request sent ahead may begin; else `wake` is called once, later, when it should ask again. */
  isFree(wake: () => void): boolean {
    if (this.#taken < MAX_AHEAD) return true;
    this.#waiting.add(wake);
    return false;
  }

  take(): void {
    this.#taken += 1;
  }

  release(): void {
    this.#taken -= 1;
    this.wakeNext();
  }

  /** Whoever was woken calls it in turn, as it may have had no use for the place. */
  wakeNext(): void {
    const [wake] = this.#taken < MAX_AHEAD ? this.#waiting : [];
    if (wake === undefined) return;
    this.#waiting.delete(wake);
    wake();
  }

  /** Does not wait any more. */
  leave(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}
