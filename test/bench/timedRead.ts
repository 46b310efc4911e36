import type { Context } from '../../src/operation/operation.ts';
import { Cursors } from '../../src/platform/codec/cursor.ts';
import type { Db, QueryOptions, Statement } from '../../src/platform/postgres/postgres.ts';

/** A read whose statements are timed on a large database. */
export interface TimedRead {
  readonly title: string;
  /** The target of the median database time, in milliseconds. */
  readonly atMostMs: number;
  run(ctx: Context): Promise<unknown>;
}

/** Reads of one kind, measured one after another. */
export interface DataScenario {
  readonly name: string;
  readonly title: string;
  reads(db: Db): Promise<readonly TimedRead[]> | readonly TimedRead[];
}

interface Sent {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly options: QueryOptions | undefined;
}

/** Adds up the time during which statements run, and records them. Statements of the same time count once. */
export class TimedDb implements Db {
  readonly #db: Db;
  #running = 0;
  #startedAt = 0;
  elapsedMs = 0;
  sent: Sent[] = [];

  constructor(db: Db) {
    this.#db = db;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[] = [], options?: QueryOptions) {
    this.sent.push({ statement, values, options });
    if (this.#running++ === 0) this.#startedAt = performance.now();
    try {
      return await this.#db.query<R>(statement, values, options);
    } finally {
      if (--this.#running === 0) this.elapsedMs += performance.now() - this.#startedAt;
    }
  }
}

const CURSORS = new Cursors('a secret for measurements');

/** The part of the context that anonymous reads use. */
export function anonymousContext(db: Db): Context {
  const context: Pick<Context, 'caller' | 'config' | 'db' | 'cursors' | 'now' | 'shared'> = {
    caller: null,
    config: { karmaHalfLifeDays: 30 } as Context['config'],
    db,
    cursors: CURSORS,
    now: Date.now(),
    shared: (_what, work) => work(context as Context),
  };
  return context as Context;
}
