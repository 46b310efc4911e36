import pg from 'pg';
import { socketOf } from '../../dependencies/internals.ts';
import { isPooled } from './pooler.ts';
import { asQuery, type ConnectionConfig, type Statement, type StatementMode } from './statement.ts';

/** No connection could be had, for the reason in `cause`: the statement never left this process. */
export class NothingSent extends Error {
  constructor(cause: unknown) {
    super('no connection to send the statement on', { cause });
    this.name = 'NothingSent';
  }
}

/** A connection without an answer for so long gets no further statements while another one has room. */
const SLOW_MS = 40;
const WATCH_MS = 500;
/**
 * The time limit of the server ends every statement before this. A connection that is silent for so many checks has lost its server.
 * Checks are counted, not milliseconds, so that a process that was busy itself does not close its connections.
 */
const SILENT_CHECKS = 12;
/** Statements of one tick of the event loop that share a connection: PostgreSQL wakes one process instead of four. */
const SHARED_IN_A_TICK = 4;

/** While every connection is slow, so many times as many may be open. */
const SPARE_FACTOR = 2;

interface PipelinedPoolOptions {
  readonly connections: number;
  /** A connection that leaves a statement unanswered for so long is closed. */
  readonly maxAgeMs: number;
}

/**
 * A few connections that many requests share. Each statement goes to the connection with the fewest unanswered statements, without
 * waiting for their answers. A read costs half the CPU of one on a pooled connection of its own. It is only for statements that hold
 * no one up for long: those behind a slow statement wait with it. A connection that ends is replaced with the next statement.
 */
export class PipelinedPool {
  readonly #config: ConnectionConfig;
  readonly #options: PipelinedPoolOptions;
  #connections: PipelinedConnection[] = [];
  /** The connection of this tick. */
  #shared: PipelinedConnection | undefined;
  #isClosed = false;

  constructor(config: ConnectionConfig, options: PipelinedPoolOptions) {
    this.#config = config;
    this.#options = options;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    return this.#choose().query<R>(statement, values);
  }

  /** Statements that wait behind others on their connections. */
  get behind(): number {
    return this.#connections.reduce((sum, { unanswered }) => sum + Math.max(0, unanswered - 1), 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #choose(): PipelinedConnection {
    const shared = this.#shared;
    if (shared?.sendsAtOnce && !shared.isSlow && shared.unanswered < SHARED_IN_A_TICK) return shared;
    if (!shared) setImmediate(() => (this.#shared = undefined));
    this.#shared = this.#leastBusy();
    return this.#shared;
  }

  /** An idle connection, else a new one, else the one with the fewest unanswered statements. */
  #leastBusy(): PipelinedConnection {
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    const quick = this.#connections.filter(({ isSlow }) => !isSlow);
    const best = (quick.length > 0 ? quick : this.#connections).reduce<PipelinedConnection | undefined>(
      (least, each) => (least && least.unanswered <= each.unanswered ? least : each),
      undefined,
    );
    const limit = quick.length > 0 ? this.#options.connections : this.#options.connections * SPARE_FACTOR;
    if (best && (best.unanswered === 0 || this.#connections.length >= limit)) return best;
    if (this.#isClosed) throw new Error('Client was closed and is not queryable');
    const connection = new PipelinedConnection(this.#config, this.#options.maxAgeMs);
    this.#connections.push(connection);
    return connection;
  }
}

/**
 * A connection on which each statement follows the others at once; the statements of one tick leave in one system call. Through a pooler
 * each statement waits for the answer to the one before: PgBouncer 1.18 hands the session over at an answer, and sends the rest of the next
 * statement to another session. A statement that is late is cancelled by the server. A connection that breaks, is silent, or
 * leaves a statement unanswered for `maxAgeMs` rejects its statements and is not used again.
 */
class PipelinedConnection {
  readonly #client: pg.Client;
  readonly #mode: StatementMode;
  readonly #maxAgeMs: number;
  readonly #connected: Promise<void>;
  readonly #watch: NodeJS.Timeout;
  /** When each unanswered statement was sent, the oldest first, by the monotonic clock. */
  readonly #sentAt: number[] = [];
  #lastAnswerAt = 0;
  #silentChecks = 0;
  /** Through a pooler: settles with the statement before. */
  #previous: Promise<unknown> | undefined;
  #isConnected = false;
  #isCorked = false;
  #isOpen = true;

  constructor({ query_timeout: _perStatement, statements, ...config }: ConnectionConfig, maxAgeMs: number) {
    this.#client = new pg.Client(config);
    this.#mode = statements;
    this.#maxAgeMs = maxAgeMs;
    this.#watch = setInterval(() => this.#check(), WATCH_MS).unref();
    const end = () => this.#end();
    this.#client.on('error', end);
    this.#client.on('end', end);
    this.#connected = this.#connect();
    this.#connected.catch(() => {
      end();
      socketOf(this.#client).destroy();
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** A statement that is passed now leaves with the others of this tick. */
  get sendsAtOnce(): boolean {
    return this.#isOpen && this.#isConnected && !this.#previous;
  }

  get unanswered(): number {
    return this.#sentAt.length;
  }

  get isSlow(): boolean {
    return this.#sentAt.length > 0 && performance.now() - Math.max(this.#sentAt[0]!, this.#lastAnswerAt) > SLOW_MS;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    if (this.#sentAt.length === 0) this.#silentChecks = 0;
    this.#sentAt.push(performance.now());
    try {
      await this.#connected.catch((error: unknown) => {
        throw new NothingSent(error);
      });
      return await this.#send<R>(statement, values);
    } finally {
      // Answers come in the order of the statements.
      this.#sentAt.shift();
      this.#silentChecks = 0;
      this.#lastAnswerAt = performance.now();
    }
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
    this.#end();
  }

  async #connect(): Promise<void> {
    await this.#client.connect();
    if (await isPooled(this.#client)) this.#previous = Promise.resolve();
    this.#isConnected = true;
  }

  #send<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const rows = () =>
      new Promise<R[]>((resolve, reject) => {
        void this.#client.query<R>(asQuery(this.#mode, statement, values), (error, result) =>
          error ? reject(error) : resolve(result.rows),
        );
      });
    if (!this.#previous) {
      this.#corkThisTick();
      return rows();
    }
    const answer = this.#previous.then(rows);
    this.#previous = answer.catch(() => {});
    return answer;
  }

  #check(): void {
    const [oldest] = this.#sentAt;
    if (oldest === undefined) return;
    this.#silentChecks += 1;
    if (this.#silentChecks > SILENT_CHECKS || performance.now() - oldest > this.#maxAgeMs)
      socketOf(this.#client).destroy();
  }

  #corkThisTick(): void {
    if (this.#isCorked) return;
    const socket = socketOf(this.#client);
    this.#isCorked = true;
    socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      socket.uncork();
    });
  }

  #end(): void {
    this.#isOpen = false;
    clearInterval(this.#watch);
  }
}
