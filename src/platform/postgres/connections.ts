import pg from 'pg';
import { NothingSent } from './lane.ts';
import { MAX_WAITING_FOR_A_TURN, Slots, Turns } from './slots.ts';
import { sqlState } from './sqlState.ts';
import { asQuery, type ConnectionConfig, type Statement, type StatementMode } from './statement.ts';

/** In all, for a turn and for a connection. */
const WAIT_MS = 4_000;
/** Several seconds of work; who comes then is told at once that there is too much. */
const MAX_WAITING = 1_024;

/** A connection that nobody else uses until it is released; with an error it is closed instead of used again. */
export interface Connection {
  readonly client: pg.PoolClient;
  query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<pg.QueryResult<R>>;
  release(error?: Error): void;
}

export interface TakeOptions {
  /** Names what the statements may wait for. */
  readonly turn?: string | undefined;
  /** For a turn and a connection together. */
  readonly waitMs?: number;
}

/**
 * Connections for one at a time. Who waits for the same thing waits for its turn first, in memory: of those one at most
 * has a connection, however many there are and however long that takes.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #mode: StatementMode;
  readonly #slots: Slots;
  readonly #turns = new Turns(MAX_WAITING_FOR_A_TURN);

  constructor({ statements, ...config }: ConnectionConfig, max: number) {
    this.#mode = statements;
    this.#pool = new pg.Pool({ ...config, max });
    this.#slots = new Slots(max, MAX_WAITING);
    // A connection that breaks is replaced by the pool; without listeners it would end the process: the pool's own for
    // idle ones, the connection's for one that a transaction holds (whose statements are rejected anyway).
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** One statement on a connection of its own; as `take`. */
  async query<R extends object>(
    statement: Statement,
    values: readonly unknown[],
    options: TakeOptions = {},
  ): Promise<R[]> {
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
  async take({ turn, waitMs = WAIT_MS }: TakeOptions = {}): Promise<Connection> {
    const deadline = performance.now() + waitMs;
    const endTurn = turn === undefined ? undefined : await this.#turns.enter(turn, waitMs);
    let leave: (() => void) | undefined;
    try {
      leave = await this.#slots.enter(deadline - performance.now());
      const client = await this.#pool.connect().catch((error: unknown) => {
        throw new NothingSent(error);
      });
      const release = (error?: Error) => {
        client.release(error);
        leave!();
        endTurn?.();
      };
      const query = <R extends object>(statement: Statement, values: readonly unknown[]) =>
        client.query<R>(asQuery(this.#mode, statement, values));
      return { client, query, release };
    } catch (error) {
      leave?.();
      endTurn?.();
      throw error;
    }
  }

  /** Connections in use, idle, and requests waiting for one. */
  get usage(): { total: number; idle: number; waiting: number } {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#slots.waiting };
  }

  /** Those who wait in memory for their turn. */
  get waitingForTurns(): number {
    return this.#turns.waiting;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
