import type { Db, QueryOptions, Statement } from '../platform/postgres/postgres.ts';

/** After how long a statement has a warning of its own in the log (docs/operations#the-log). */
const SLOW_MS = 250;

/**
 * Counts the statements of one operation and their time: those of its handler and of its write. The lookup of the signer and
 * loads of counters are not included.
 */
export class StatementLog {
  readonly #onSlow: (name: string, ms: number) => void;
  #count = 0;
  #ms = 0;

  /** `onSlow` is called for each statement of more than 250 ms. This includes time in which the process itself was busy. */
  constructor(onSlow: (name: string, ms: number) => void) {
    this.#onSlow = onSlow;
  }

  /** The number of statements that were sent. */
  get count(): number {
    return this.#count;
  }

  /** The sum of their times in milliseconds, also of those that ran at the same time. */
  get ms(): number {
    return this.#ms;
  }

  /** Returns a `Db` whose statements are counted. `opening` is sent with the first one. */
  watch(db: Db, opening?: Statement): Db {
    return new WatchedDb(this, db, opening);
  }

  /** Counts a statement, and another one if it is sent along. */
  async time<T>(name: string, send: () => Promise<T>, alongWith?: Statement): Promise<T> {
    this.#count += alongWith ? 2 : 1;
    const sentAt = performance.now();
    try {
      return await send();
    } finally {
      const ms = performance.now() - sentAt;
      this.#ms += ms;
      if (ms > SLOW_MS) this.#onSlow(name, ms);
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
