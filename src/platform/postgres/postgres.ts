import type pg from 'pg';
import { BatchedWrites, type BatchRow, resultsOf, type WriteResult } from './batchedWrites.ts';
import { type Connection, Connections } from './connections.ts';
import { isRetryable, sqlState } from './errors.ts';
import { PipelinedPool } from './pipelinedPool.ts';
import { currentUrl } from './primary.ts';
import { SESSION_SETTINGS } from './session.ts';
import type { ConnectionConfig, Db, QueryOptions, Statement, StatementMode } from './statement.ts';

export * from './errors.ts';
export * from './statement.ts';
export type { WriteResult };

/** How long connecting may take (docs/operations#time-limits). */
const CONNECT_TIMEOUT_MS = 3_000;
const JOB_ATTEMPTS = 5;
/** A connection of reads that leaves a statement unanswered for so long is closed. */
const READ_MAX_AGE_MS = 9_000;
/** Each search takes a core of the database. Further searches wait in memory. */
const SEARCH_CONNECTIONS = 4;

export interface PostgresOptions {
  readonly url: string;
  readonly maxConnections: number;
  /** Connections that reads share, beside those of the pool. Without them, each read has a pooled connection. */
  readonly readConnections?: number;
  readonly writeConnections?: number;
  readonly statements?: StatementMode;
  readonly applicationName: string;
}

/** Reads and writes share pipelined connections; transactions and searches do not (docs/operations#time-limits). */
export class Postgres implements Db {
  readonly #pool: Connections;
  readonly #searches: Connections;
  readonly #reads: PipelinedPool | undefined;
  readonly #writes: BatchedWrites;

  constructor(options: PostgresOptions) {
    const config: ConnectionConfig & { pipeline: true } = {
      statements: options.statements ?? 'named',
      address: currentUrl(options.url),
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      // A lost host would otherwise hold a request for ever.
      query_timeout: SESSION_SETTINGS.statement_timeout + 1_000,
      keepAlive: true,
      pipeline: true,
    };
    const { maxConnections, readConnections, writeConnections = 1 } = options;
    this.#pool = new Connections(config, maxConnections);
    this.#searches = new Connections(config, Math.min(SEARCH_CONNECTIONS, maxConnections));
    this.#reads = readConnections ? new PipelinedPool(config, readConnections, READ_MAX_AGE_MS) : undefined;
    this.#writes = new BatchedWrites(config, writeConnections, this.#pool);
  }

  /** Commits one write in a batch. `key` is the row that it locks. Throws `Busy` when too many writes wait for it. */
  async write(statement: Statement, json: string, key: string): Promise<WriteResult> {
    return this.#writes.write(statement, json, key);
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[] = [], options?: QueryOptions) {
    if (options?.timeoutMs !== undefined) return this.#queryWithin<R>(statement, values, options);
    if (!this.#reads || options?.ownConnection) return this.#pool.query<R>(statement, values);
    return this.#reads.query<R>(statement, values);
  }

  /** A read-only transaction of its own, in one flush: the limit ends with it. */
  async #queryWithin<R extends object>(statement: Statement, values: readonly unknown[], options: QueryOptions) {
    const { client, query, release } = await this.#searches.take();
    try {
      const begun = client.query({ text: `BEGIN READ ONLY; ${limits(options)}` });
      const answer = query<R>(statement, values);
      await inOrder([begun, answer, client.query({ text: 'COMMIT' })]);
      release();
      return (await answer).rows;
    } catch (error) {
      // Once the server has answered, COMMIT has ended the transaction; otherwise nobody knows the connection's state.
      release(sqlState(error) === undefined ? (error as Error) : undefined);
      throw error;
    }
  }

  /** Begins with its first statement; `opening` is sent along with BEGIN. Those with the same `key` wait in memory. */
  transaction(opening: Statement, openingValues: readonly unknown[], key?: string): Transaction {
    return new Transaction(() => this.#pool.take({ key }), { opening, openingValues });
  }

  /**
   * Repeats `work` after serialization failures and deadlocks, so it must have no other effects. Throws if `work`
   * ignored a failed statement. `snapshot` reads everything as of one moment and writes nothing.
   */
  async inTransaction<T>(work: (db: Db) => Promise<T>, { snapshot = false, attempts = JOB_ATTEMPTS } = {}): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const begin = snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY' : 'BEGIN';
      const tx = new Transaction(() => this.#pool.take(), { begin });
      try {
        const result = await work(tx);
        await tx.commit();
        return result;
      } catch (error) {
        await tx.abandon();
        if (!isRetryable(error) || attempt === attempts) throw error;
      }
    }
  }

  get usage(): { total: number; idle: number; waiting: number } {
    return this.#pool.usage;
  }

  get writesWaiting(): { onConnection: number; forBatch: number; forRow: number } {
    const { onConnection, forBatch, forRow } = this.#writes.waiting;
    return { onConnection, forBatch, forRow: forRow + this.#pool.waitingForKeys };
  }

  async close(): Promise<void> {
    await this.#reads?.close();
    await this.#writes.close();
    await this.#pool.close();
    await this.#searches.close();
  }
}

interface TransactionStart {
  readonly begin?: string;
  readonly opening?: Statement;
  readonly openingValues?: readonly unknown[];
}

/** BEGIN travels with the first statement, COMMIT with the last. End it with `finish`, `commit` or `abandon`. */
export class Transaction implements Db {
  readonly #take: () => Promise<Connection>;
  readonly #start: TransactionStart;
  /** `opened` settles when BEGIN and the opening statement are answered. */
  #begun: Promise<Connection & { readonly opened: Promise<unknown> }> | undefined;
  started = false;

  constructor(take: () => Promise<Connection>, start: TransactionStart) {
    this.#take = take;
    this.#start = start;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[] = [], options?: QueryOptions) {
    const { client, query, opened } = await this.#begin();
    if (options?.timeoutMs !== undefined) {
      const limited = client.query({ text: limits(options) });
      const answer = query<R>(statement, values);
      await inOrder([opened, limited, answer, client.query({ text: USUAL_LIMITS })]);
      return (await answer).rows;
    }
    const answer = query<R>(statement, values);
    await inOrder([opened, answer]);
    return (await answer).rows;
  }

  /** Sends the write that ends the transaction and COMMIT (or ROLLBACK, for a preview) in one flush. */
  async finish(statement: Statement, json: string, end: 'COMMIT' | 'ROLLBACK'): Promise<WriteResult> {
    const { client, query, opened, release } = await this.#begin();
    const answer = query<BatchRow>(statement, [`[${json}]`, false]);
    const ended = client.query({ text: end });
    await inOrder([opened, answer, ended]);
    requireEnd(await ended, end);
    this.#begun = undefined;
    release();
    return resultsOf((await answer).rows)[0]!;
  }

  async commit(): Promise<void> {
    const begun = await this.#begun;
    if (!begun) return;
    requireEnd(await begun.client.query({ text: 'COMMIT' }), 'COMMIT');
    this.#begun = undefined;
    begun.release();
  }

  /** Rolls back what was begun and releases the connection. Never throws. */
  async abandon(): Promise<void> {
    const begun = await this.#begun?.catch(() => undefined);
    this.#begun = undefined;
    if (!begun) return;
    try {
      await begun.client.query({ text: 'ROLLBACK' });
      begun.release();
    } catch (error) {
      begun.release(error as Error);
    }
  }

  #begin() {
    this.started = true;
    this.#begun ??= this.#take().then((connection) => {
      const { begin = 'BEGIN', opening, openingValues = [] } = this.#start;
      const sent: Promise<unknown>[] = [connection.client.query({ text: begin })];
      if (opening) sent.push(connection.query(opening, openingValues));
      const opened = inOrder(sent);
      opened.catch(() => {});
      return { opened, ...connection };
    });
    return this.#begun;
  }
}

/** A time limit until the transaction ends, and plans for the given values. */
const limits = ({ timeoutMs = 0, keepsPlan }: QueryOptions): string =>
  [
    `SET LOCAL statement_timeout = ${Math.max(1, Math.ceil(timeoutMs))}`,
    ...(keepsPlan ? [] : ['SET LOCAL plan_cache_mode = force_custom_plan']),
  ].join('; ');

const USUAL_LIMITS = `SET LOCAL statement_timeout = ${SESSION_SETTINGS.statement_timeout}; SET LOCAL plan_cache_mode = ${SESSION_SETTINGS.plan_cache_mode}`;

/** Waits for all, then throws the first failure in the order sent: later ones only say that all is aborted. */
async function inOrder(promises: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** Throws if a transaction ended otherwise: after a failed statement, COMMIT rolls back without an error. */
function requireEnd({ command }: pg.QueryResult, end: 'COMMIT' | 'ROLLBACK'): void {
  if (command !== end) throw new Error(`${end} was answered by ${command}`);
}
