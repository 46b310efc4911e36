import { awakeMs } from '../platform/awake.ts';
import type { Db, QueryOptions, Statement } from '../platform/postgres/postgres.ts';

/** After how long a statement has a warning of its own in the log (docs/operations#the-log). */
const SLOW_MS = 250;

/**
 * What the statements of one operation cost: those of its handler and of its write. Looking up who signed and loading
 * counters again are not among them.
 */
export class StatementLog {
  readonly #onSlow: (name: string, ms: number) => void;
  #count = 0;
  #ms = 0;

  /** `onSlow` is told of what took over 250 ms, by the time in which this process would have heard the answer. */
  constructor(onSlow: (name: string, ms: number) => void) {
    this.#onSlow = onSlow;
  }

  /** How many statements were sent. */
  get count(): number {
    return this.#count;
  }

  /** Milliseconds until they were answered, each by itself: those that were sent together are added up. */
  get ms(): number {
    return this.#ms;
  }

  /** The same with every statement counted; `opening` travels along with the first one. */
  watch(db: Db, opening?: Statement): Db {
    return new WatchedDb(this, db, opening);
  }

  /** Counts a statement, with another that travels along. */
  async time<T>(name: string, send: () => Promise<T>, alongWith?: Statement): Promise<T> {
    this.#count += alongWith ? 2 : 1;
    const sentAt = performance.now();
    const sentAwake = awakeMs();
    try {
      return await send();
    } finally {
      const ms = performance.now() - sentAt;
      this.#ms += ms;
      if (awakeMs() - sentAwake > SLOW_MS) this.#onSlow(name, ms);
    }
  }
}

class WatchedDb implements Db {
  readonly #log: StatementLog;
  readonly #db: Db;
  #opening: Statement | undefined;

  constructor(log: StatementLog, db: Db, opening: Statement | undefined) {
    this.#log = log;
    this.#db = db;
    this.#opening = opening;
  }

  get origin(): Db {
    return this.#db.origin ?? this.#db;
  }

  query<R extends object>(statement: Statement, values?: readonly unknown[], options?: QueryOptions): Promise<R[]> {
    const opening = this.#opening;
    this.#opening = undefined;
    return this.#log.time(statement.name, () => this.#db.query<R>(statement, values, options), opening);
  }
}
