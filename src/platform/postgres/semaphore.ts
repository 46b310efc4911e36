/** There was no room, or none in time. The work was not begun. */
export class Busy extends Error {
  override name = 'Busy';
}

/** Lets a number of callers work at a time. Further callers wait in order, in memory, up to a limit. */
export class Semaphore {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(permits: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#free = permits;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves with a function that releases the permit. Throws `Busy` when too many wait, or after `waitMs`. */
  async acquire(waitMs?: number): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(waitMs);
    return () => {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free += 1;
    };
  }

  #wait(waitMs: number | undefined): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) throw new Busy('too many are waiting');
    return new Promise((resolve, reject) => {
      const enter = () => {
        this.#waiting.delete(enter);
        clearTimeout(timer);
        resolve();
      };
      const giveUp = () => {
        this.#waiting.delete(enter);
        reject(new Busy('no room in time'));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      this.#waiting.add(enter);
    });
  }
}

export class KeyedMutex {
  readonly #maxWaiting: number;
  readonly #locks = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return [...this.#locks.values()].reduce((sum, { semaphore }) => sum + semaphore.waiting, 0);
  }

  async acquire(key: string, waitMs: number): Promise<() => void> {
    const lock = this.#locks.get(key) ?? { semaphore: new Semaphore(1, this.#maxWaiting), users: 0 };
    this.#locks.set(key, lock);
    lock.users += 1;
    const leave = (release?: () => void) => {
      release?.();
      lock.users -= 1;
      if (lock.users === 0) this.#locks.delete(key);
    };
    try {
      const release = await lock.semaphore.acquire(waitMs);
      return () => leave(release);
    } catch (error) {
      leave();
      throw error;
    }
  }
}
