/**
 * How many wait for one row: half of what may be under way, so that one target leaves room for others
 * (docs/growing#one-thing-that-everybody-wants).
 */
export const MAX_WAITING_FOR_A_TURN = 128;

/** There was no room, or none in time. Nothing was begun. */
export class Busy extends Error {
  override name = 'Busy';
}

interface Waiting {
  readonly enter: () => void;
  readonly timer: NodeJS.Timeout | undefined;
}

/** So many at a time; the others wait in order, in memory, so many at most. */
export class Slots {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiting>();
  #free: number;

  constructor(count: number, maxWaiting = Number.POSITIVE_INFINITY) {
    this.#free = count;
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Enters, after at most `waitMs` if that is given; what it returns leaves again. Throws `Busy`. */
  async enter(waitMs?: number): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(waitMs);
    return () => this.#leave();
  }

  #turn(waitMs: number | undefined): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) throw new Busy('too many are waiting');
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(waiting);
        reject(new Busy('no room in time'));
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      const waiting: Waiting = { enter: resolve, timer };
      this.#waiting.add(waiting);
    });
  }

  /** Whoever waits longest takes the place over. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    clearTimeout(next.timer);
    next.enter();
  }
}

/** One at a time for each key. */
export class Turns {
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, { readonly slots: Slots; users: number }>();

  /** `maxWaiting` for the same key. */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, { slots }) => sum + slots.waiting, 0);
  }

  /** As `Slots.enter`. */
  async enter(key: string, waitMs: number): Promise<() => void> {
    const queue = this.#queues.get(key) ?? { slots: new Slots(1, this.#maxWaiting), users: 0 };
    this.#queues.set(key, queue);
    queue.users += 1;
    const forget = () => {
      queue.users -= 1;
      if (queue.users === 0) this.#queues.delete(key);
    };
    try {
      const leave = await queue.slots.enter(waitMs);
      return () => {
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  }
}
