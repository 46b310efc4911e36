import pg from 'pg';
import { NothingSent, StatementLanes } from './lanes.ts';
import { SESSION_SETTINGS } from './session.ts';
import type { Db, QueryOptions, Statement } from './statement.ts';

export { type Db, pageOf, type QueryOptions, type Statement, sql } from './statement.ts';

const CONNECT_TIMEOUT_MS = 3_000;
const JOB_ATTEMPTS = 5;

export interface PostgresOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Connections that reads share, beside those of the pool; without, every statement has one of the pool to itself. */
  readonly lanes?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
}

/** A database with the time limits of contract 3: lanes that reads share, and a pool for what needs a connection. */
export class Postgres implements Db {
  readonly #pool: pg.Pool;
  readonly #reads: StatementLanes | undefined;
  readonly #writes: StatementLanes | undefined;
  /** Every statement on a connection to itself: for those that may wait long for locks. */
  readonly alone: Db;
  /** For writes of a single statement, which hold their locks no longer than it takes: lanes apart from those of reads. */
  readonly writes: Db;

  constructor(options: PostgresOptions) {
    const config = {
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // A host that vanished without a word would otherwise hold a request for ever.
      query_timeout: SESSION_SETTINGS.statement_timeout + 1_000,
      keepAlive: true,
      pipeline: true,
    } as pg.ClientConfig;
    this.#reads = options.lanes ? new StatementLanes(config, options.lanes) : undefined;
    this.#writes = options.lanes ? new StatementLanes(config, options.lanes) : undefined;
    this.writes = {
      query: (statement, values = []) =>
        this.#writes ? this.#writes.query(statement, values) : this.#execute(statement, values),
    };
    this.alone = { query: (statement, values = []) => this.#execute(statement, values) };
    this.#pool = new pg.Pool({ ...config, max: options.maxConnections });
    // A connection that breaks is replaced by the pool; without listeners it would end the process: the pool's own for
    // idle ones, the connection's for one that a transaction holds (whose statements are rejected anyway).
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  async query<R extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
    options?: QueryOptions,
  ): Promise<R[]> {
    if (options) return this.#queryWithin(statement, values, options);
    return this.#reads ? this.#reads.query<R>(statement, values) : this.#execute<R>(statement, values);
  }

  async #execute<R extends object>({ name, text }: Statement, values: readonly unknown[]): Promise<R[]> {
    return (await this.#pool.query<R>({ name, text, values: values as unknown[] })).rows;
  }

  /** A read-only transaction of its own, in one flush, so that the limit ends with it whatever happens. */
  async #queryWithin<R extends object>(
    statement: Statement,
    values: readonly unknown[],
    options: QueryOptions,
  ): Promise<R[]> {
    const client = await this.#pool.connect();
    try {
      const begun = client.query({ text: 'BEGIN READ ONLY' });
      const { answer, sent } = sendWithin<R>(client, statement, values, options);
      await inOrder([begun, ...sent, client.query({ text: 'COMMIT' })]);
      client.release();
      return (await answer).rows;
    } catch (error) {
      // Once the server has answered, COMMIT has ended the transaction; otherwise nobody knows the connection's state.
      client.release(sqlState(error) === undefined ? (error as Error) : undefined);
      throw error;
    }
  }

  /** A transaction that begins with its first statement; `opening` is sent along with BEGIN in the same flush. */
  transaction(opening: Statement, openingValues: () => readonly unknown[]): Transaction {
    return new Transaction(this.#pool, opening, openingValues);
  }

  /**
   * Runs `work` in a transaction of its own, for what is no operation: jobs and checks. Tried again on serialization
   * failures and deadlocks, so `work` must have no effects but those in the database. `snapshot` reads everything as of
   * one moment and writes nothing.
   */
  async inTransaction<T>(work: (db: Db) => Promise<T>, { snapshot = false } = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#pool.connect();
      try {
        await client.query({ text: snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN' });
        const result = await work({
          query: async (statement, values = []) => (await send(client, statement, values)).rows as never,
        });
        await client.query({ text: 'COMMIT' });
        client.release();
        return result;
      } catch (error) {
        const lost = await client.query({ text: 'ROLLBACK' }).then(
          () => undefined,
          (reason: Error) => reason,
        );
        client.release(lost);
        if (!isRetryable(error) || attempt === JOB_ATTEMPTS) throw error;
      }
    }
  }

  /** Connections in use, idle, and requests waiting for one. */
  get usage(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  async close(): Promise<void> {
    await this.#reads?.close();
    await this.#writes?.close();
    await this.#pool.end();
  }
}

interface Begun {
  readonly client: pg.PoolClient;
  /** Settles when BEGIN and the opening statement are answered. */
  readonly opened: Promise<unknown>;
}

/**
 * One transaction on one connection. It costs nothing until its first statement; BEGIN, the opening statement and that
 * first one travel together, and so do the last statement and COMMIT. Ends with `finish` or `abandon`.
 */
export class Transaction implements Db {
  readonly #pool: pg.Pool;
  readonly #opening: Statement;
  readonly #openingValues: () => readonly unknown[];
  #begun: Promise<Begun> | undefined;

  constructor(pool: pg.Pool, opening: Statement, openingValues: () => readonly unknown[]) {
    this.#pool = pool;
    this.#opening = opening;
    this.#openingValues = openingValues;
  }

  get started(): boolean {
    return this.#begun !== undefined;
  }

  async query<R extends object>(
    statement: Statement,
    values: readonly unknown[] = [],
    options?: QueryOptions,
  ): Promise<R[]> {
    const { client, opened } = await this.#begin();
    if (options) {
      const { answer, sent } = sendWithin<R>(client, statement, values, options);
      await inOrder([opened, ...sent]);
      return (await answer).rows;
    }
    const answer = send<R>(client, statement, values);
    await inOrder([opened, answer]);
    return (await answer).rows;
  }

  /**
   * Sends the last statement and COMMIT (or ROLLBACK, for a preview) in one flush and returns the statement's rows.
   * Throws when COMMIT was answered as a rollback, which a pipeline reports without an error of its own.
   */
  async finish<R extends object>(
    statement: Statement,
    values: readonly unknown[],
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<R[]> {
    const { client, opened } = await this.#begin();
    const answer = send<R>(client, statement, values);
    const ended = client.query({ text: end });
    await inOrder([opened, answer, ended]);
    const { command } = await ended;
    if (command !== end) throw new Error(`${end} was answered by ${command}`);
    this.#begun = undefined;
    client.release();
    return (await answer).rows;
  }

  /** Rolls back whatever was begun and gives the connection back; never throws. */
  async abandon(): Promise<void> {
    const begun = await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    if (!begun) return;
    try {
      await begun.client.query({ text: 'ROLLBACK' });
      begun.client.release();
    } catch (error) {
      begun.client.release(error as Error);
    }
  }

  #begin(): Promise<Begun> {
    this.#begun ??= this.#pool.connect().then((client) => {
      const opened = inOrder([client.query({ text: 'BEGIN' }), send(client, this.#opening, this.#openingValues())]);
      opened.catch(() => {});
      return { client, opened };
    });
    return this.#begun;
  }
}

function send<R extends object>(client: pg.PoolClient, statement: Statement, values: readonly unknown[]) {
  return client.query<R>({ name: statement.name, text: statement.text, values: values as unknown[] });
}

/** Unnamed and planned for its very values; in a transaction, whose time limit is put back afterwards. */
function sendWithin<R extends object>(
  client: pg.PoolClient,
  { text }: Statement,
  values: readonly unknown[],
  { timeoutMs }: QueryOptions,
) {
  const limit = Math.max(1, Math.ceil(timeoutMs));
  const limited = client.query({
    text: `SET LOCAL statement_timeout = ${limit}; SET LOCAL plan_cache_mode = force_custom_plan`,
  });
  const answer = client.query<R>({ text, values: values as unknown[] });
  const restored = client.query({
    text: `SET LOCAL statement_timeout = ${SESSION_SETTINGS.statement_timeout}; SET LOCAL plan_cache_mode = ${SESSION_SETTINGS.plan_cache_mode}`,
  });
  return { answer, sent: [limited, answer, restored] };
}

/**
 * Waits for all, then throws the first failure in the order sent: it is the cause, what follows it in the pipeline
 * only says that the transaction is aborted.
 */
async function inOrder(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** The SQLSTATE of a database error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** The name of the constraint that a database error broke. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.constraint : undefined;
}

/** SQLSTATE, COLUMN and HINT of an error that an SQL function raised; all undefined for anything else. */
export function raised(error: unknown): {
  state: string | undefined;
  column: string | undefined;
  hint: string | undefined;
} {
  const { code, column, hint } = error instanceof pg.DatabaseError ? error : ({} as Partial<pg.DatabaseError>);
  return { state: code, column, hint };
}

/** True when a statement was cancelled because its time was over. */
export function isTimeout(error: unknown): boolean {
  return sqlState(error) === '57014';
}

/** Serialization failure or deadlock: the transaction did nothing and may be tried again. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error);
  return state === '40001' || state === '40P01';
}

/** Connection, resource, operator-intervention and time-out classes: the database could not serve, whatever was asked. */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|55P03|25P0[34]|58)/;

/** True when Postgres cannot be reached, is going away or ran out of time or resources (contract 2, `unavailable`). */
export function isPostgresUnavailable(error: unknown): boolean {
  if (error instanceof NothingSent) return isPostgresUnavailable(error.cause);
  const state = sqlState(error);
  if (state !== undefined) return UNAVAILABLE_STATES.test(state);
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENETUN|ENOENT)/.test(code)) return true;
  return /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/i.test(
    error.message,
  );
}

/** How the driver names a connection that it sends nothing on any more. */
const NOT_QUERYABLE = /is not queryable$/;

/**
 * True when a statement that commits by itself, or a last statement with its COMMIT, surely left nothing behind: the
 * database said so itself before any COMMIT could count, or nothing was sent at all.
 */
export function isDefiniteFailure(error: unknown): boolean {
  if (error instanceof NothingSent) return true;
  const state = sqlState(error);
  if (state !== undefined) return !/^(08|57P)/.test(state);
  return error instanceof Error && NOT_QUERYABLE.test(error.message);
}
