import pg from 'pg';
import { isDemoted, NothingSent, sqlState } from './errors.ts';
import { asQuery } from './pipelinedPool.ts';
import { KeyedMutex, Semaphore } from './semaphore.ts';
import type { ConnectionConfig, Statement, StatementMode } from './statement.ts';

/** For a key and a connection together. */
const WAIT_MS = 4_000;
/** Several seconds of work. Further callers get `Busy`. */
const MAX_WAITING = 1_024;
/** Half of the writes under way, to leave room for others (docs/growing#one-thing-that-everybody-wants). */
export const MAX_WAITING_FOR_A_KEY = 128;

/** A connection for one caller until it is released. Released with an error, it is closed. */
export interface Connection {
  readonly client: pg.PoolClient;
  query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<pg.QueryResult<R>>;
  release(error?: Error): void;
}

interface TakeOptions {
  readonly key?: string | undefined;
  readonly waitMs?: number;
}

/** A pool of connections for one caller at a time. Callers with the same key wait in memory for each other. */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #mode: StatementMode;
  readonly #address: () => Promise<string>;
  readonly #permits: Semaphore;
  readonly #keys = new KeyedMutex(MAX_WAITING_FOR_A_KEY);

  constructor({ statements, address, ...config }: ConnectionConfig, max: number) {
    this.#mode = statements;
    this.#address = address;
    this.#pool = new pg.Pool({ ...config, max });
    this.#permits = new Semaphore(max, MAX_WAITING);
    // The pool replaces broken connections. Without listeners, the error of an idle or a used one would end the
    // process.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[], options: TakeOptions = {}) {
    const { query, release } = await this.take(options);
    try {
      const { rows } = await query<R>(statement, values);
      release();
      return rows;
    } catch (error) {
      release(sqlState(error) === undefined ? (error as Error) : undefined);
      throw error;
    }
  }

  /** Throws `Busy` when there are too many, or none in time. */
  async take({ key, waitMs = WAIT_MS }: TakeOptions = {}): Promise<Connection> {
    const deadline = performance.now() + waitMs;
    const unlock = key === undefined ? undefined : await this.#keys.acquire(key, waitMs);
    let releasePermit: (() => void) | undefined;
    try {
      releasePermit = await this.#permits.acquire(deadline - performance.now());
      const client = await this.#connect().catch((error: unknown) => {
        throw new NothingSent(error);
      });
      let demotion: Error | undefined;
      const release = (error = demotion) => {
        client.release(error);
        releasePermit!();
        unlock?.();
      };
      const query = <R extends object>(statement: Statement, values: readonly unknown[]) =>
        client.query<R>(asQuery(this.#mode, statement, values)).catch((error: unknown) => {
          if (isDemoted(error)) demotion = error;
          throw error;
        });
      return { client, query, release };
    } catch (error) {
      releasePermit?.();
      unlock?.();
      throw error;
    }
  }

  /** An idle connection, else a new one. */
  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.idleCount === 0) this.#pool.options.connectionString = await this.#address();
    return this.#pool.connect();
  }

  get usage(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#permits.waiting };
  }

  get waitingForKeys(): number {
    return this.#keys.waiting;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
