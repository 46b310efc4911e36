import type { Socket } from 'node:net';
import pg from 'pg';
import { awakeMs } from '../awake.ts';
import { isPooled } from './pooler.ts';
import { type ConnectionConfig, rowsOf, type Statement, type StatementMode } from './statement.ts';

/** No connection could be had, for the reason in `cause`: the statement never left this process. */
export class NothingSent extends Error {
  constructor(cause: unknown) {
    super('no connection to send the statement on', { cause });
    this.name = 'NothingSent';
  }
}

/** Nothing was answered for so long: who came now would wait for somebody else. */
const SLOW_MS = 40;
/** What the server's own time limit leaves unanswered: the server is gone, or the way to it. */
const SILENCE_MS = 6_000;
const WATCH_MS = 500;

/**
 * A connection on which each statement follows the others without waiting for their answers; what one turn of the event
 * loop sends travels in one system call. Through a pooler each waits for the answer to the one before: PgBouncer 1.18 gives
 * the session away at an answer, and what of the next statement it has not read by then it sends to another session. A late statement is for the server to cancel, and ends nothing else. One that
 * breaks, falls silent, or leaves a statement unanswered for `mostMs` rejects what is on it and is not to be used again.
 */
export class Lane {
  readonly #client: pg.Client;
  readonly #ready: Promise<void>;
  readonly #mode: StatementMode;
  readonly #mostMs: number;
  readonly #watch: NodeJS.Timeout;
  /** When each statement that is not yet answered was sent, the oldest first; by the monotonic clock. */
  readonly #sent: number[] = [];
  /** When an answer last came, or the first of these was sent; by `awakeMs`. */
  #heardAt = awakeMs();
  /** Settles with the last statement that was handed in; undefined where none needs to wait. */
  #answered: Promise<unknown> | undefined;
  #isCorked = false;
  #isConnected = false;
  #isOpen = true;
  #isRetired = false;

  constructor({ query_timeout: _ofOneStatement, statements, ...config }: ConnectionConfig, mostMs: number) {
    this.#client = new pg.Client(config);
    this.#mode = statements;
    this.#mostMs = mostMs;
    this.#watch = setInterval(() => this.#endSilence(), WATCH_MS);
    this.#watch.unref();
    const ended = () => this.#ended();
    this.#client.on('error', ended);
    this.#client.on('end', ended);
    this.#ready = this.#connect();
    this.#ready.catch(() => {
      ended();
      this.#stream.destroy();
    });
  }

  /** Whether it may be sent on. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#isRetired;
  }

  /** What is handed in now leaves with the rest of this turn. False until it is connected, and through a pooler. */
  get sendsAhead(): boolean {
    return this.#isConnected && !this.#answered;
  }

  /** Statements sent and not yet answered. */
  get waiting(): number {
    return this.#sent.length;
  }

  /** Resolves when it can be sent on; rejects with the reason why it never will. */
  get opened(): Promise<void> {
    return this.#ready;
  }

  /** How long the oldest unanswered statement has been waiting, in milliseconds; 0 without one. */
  get oldestMs(): number {
    const [oldest] = this.#sent;
    return oldest === undefined ? 0 : performance.now() - oldest;
  }

  get isSlow(): boolean {
    return this.#sent.length > 0 && awakeMs() - this.#heardAt > SLOW_MS;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    if (this.#sent.length === 0) this.#heardAt = awakeMs();
    this.#sent.push(performance.now());
    try {
      await this.#ready.catch((error: unknown) => {
        throw new NothingSent(error);
      });
      return await this.#send<R>(statement, values);
    } finally {
      // They are answered in the order in which they were sent.
      this.#sent.shift();
      this.#heardAt = awakeMs();
      if (this.#isRetired && this.#sent.length === 0) void this.close();
    }
  }

  async #connect(): Promise<void> {
    await this.#client.connect();
    if (await isPooled(this.#client)) this.#answered = Promise.resolve();
    this.#isConnected = true;
  }

  #send<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    if (!this.#answered) {
      this.#corkThisTurn();
      return rowsOf<R>(this.#client, this.#mode, statement, values);
    }
    const answer = this.#answered.then(() => rowsOf<R>(this.#client, this.#mode, statement, values));
    this.#answered = answer.catch(() => {});
    return answer;
  }

  /** Takes nothing more, and closes when all that was sent is answered. */
  retire(): void {
    this.#isRetired = true;
    if (this.#sent.length === 0) void this.close();
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
    this.#ended();
  }

  #ended(): void {
    this.#isOpen = false;
    clearInterval(this.#watch);
  }

  #endSilence(): void {
    if (this.#sent.length === 0) return;
    const isSilent = awakeMs() - this.#heardAt > SILENCE_MS;
    if (isSilent || this.oldestMs > this.#mostMs) this.#stream.destroy();
  }

  /** Holds back what is written until the end of this turn. */
  #corkThisTurn(): void {
    if (this.#isCorked) return;
    const stream = this.#stream;
    this.#isCorked = true;
    stream.cork();
    setImmediate(() => {
      this.#isCorked = false;
      stream.uncork();
    });
  }

  /** The driver keeps its socket there. */
  get #stream(): Socket {
    return (this.#client as unknown as { connection: { stream: Socket } }).connection.stream;
  }
}
