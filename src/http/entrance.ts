/** So long at most others wait for newcomers, until each of them may begin a request. */
const MOST_MS = 10;

/**
 * Node takes in one connection a turn of the event loop. While every turn is long, because hundreds of connections have a
 * request in it, a thousand newcomers would wait for a thousand of them, unheard: so while they come, nobody who was
 * there before begins anything, and turns are short.
 */
export class Entrance {
  #closesAt: number | undefined;
  #hasCome = false;
  readonly #waiting = new Set<() => void>();

  /** A connection was taken in; more may be behind it. */
  come(): void {
    this.#hasCome = true;
    if (this.#closesAt !== undefined) return;
    this.#closesAt = performance.now() + MOST_MS;
    setImmediate(() => this.#look());
  }

  /** True when a request may begin; else `wake` is called once, soon, when it should ask again. */
  isFree(wake: () => void): boolean {
    if (this.#closesAt === undefined) return true;
    this.#waiting.add(wake);
    return false;
  }

  /** Does not wait any more. */
  leave(wake: () => void): void {
    this.#waiting.delete(wake);
  }

  /** Nobody has come in the last turn, or others have waited long enough. */
  #look(): void {
    if (this.#hasCome && performance.now() < this.#closesAt!) {
      this.#hasCome = false;
      setImmediate(() => this.#look());
      return;
    }
    this.#closesAt = undefined;
    this.#hasCome = false;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
