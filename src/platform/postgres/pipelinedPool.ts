import pg from 'pg';
import { socketOf } from '../../dependencies/internals.ts';
import { isDemoted, NothingSent } from './errors.ts';
import { isPooled } from './pooler.ts';
import type { ConnectionConfig, Statement, StatementMode } from './statement.ts';

/** A connection without an answer for this long gets no further statements while another one has room. */
const SLOW_MS = 40;
const CHECK_MS = 500;
/** Later than a statement's time limit. Checks are counted, not milliseconds, in case this process itself was busy. */
const SILENT_CHECKS = 12;
/** Statements of one tick of the event loop that share a connection: PostgreSQL wakes one process instead of four. */
const SHARED_IN_A_TICK = 4;
/** While every connection is slow, this many times as many may be open. */
const SPARE_FACTOR = 2;

export function asQuery(mode: StatementMode, statement: Statement, values: readonly unknown[]): pg.QueryConfig {
  const { name, text, unprepared } = statement;
  const query = { text, values: values as unknown[] };
  return mode === 'named' && !unprepared ? { name, ...query } : query;
}

/**
 * Connections that many requests share; a statement goes to the one with the fewest unanswered ones. That takes half
 * the CPU of pooled connections, but everything behind a slow statement waits.
 */
export class PipelinedPool {
  readonly #config: ConnectionConfig;
  readonly #limit: number;
  readonly #maxAgeMs: number;
  #connections: PipelinedConnection[] = [];
  #shared: PipelinedConnection | undefined;
  #isClosed = false;

  /** A connection that leaves a statement unanswered for `maxAgeMs` is closed. */
  constructor(config: ConnectionConfig, connections: number, maxAgeMs: number) {
    this.#config = config;
    this.#limit = connections;
    this.#maxAgeMs = maxAgeMs;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    const shared = this.#shared;
    if (shared?.sendsAtOnce && shared.sentAt.length < SHARED_IN_A_TICK && !shared.isSlow())
      return shared.query(statement, values);
    if (!shared) setImmediate(() => (this.#shared = undefined));
    this.#shared = this.#leastBusy();
    return this.#shared.query(statement, values);
  }

  get behind(): number {
    return this.#connections.reduce((sum, { sentAt }) => sum + Math.max(0, sentAt.length - 1), 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  /** An idle connection, else a new one, else the one with the fewest unanswered statements. Slow ones come last. */
  #leastBusy(): PipelinedConnection {
    let least: PipelinedConnection | undefined;
    let leastSlow: PipelinedConnection | undefined;
    this.#connections = this.#connections.filter(({ isOpen }) => isOpen);
    for (const connection of this.#connections) {
      const waiting = connection.sentAt.length;
      if (connection.isSlow()) {
        if (!leastSlow || waiting < leastSlow.sentAt.length) leastSlow = connection;
      } else if (!least || waiting < least.sentAt.length) least = connection;
    }
    const limit = least ? this.#limit : this.#limit * SPARE_FACTOR;
    const best = least ?? leastSlow;
    if (best && (best.sentAt.length === 0 || this.#connections.length >= limit)) return best;
    if (this.#isClosed) throw new Error('Client was closed and is not queryable');
    const connection = new PipelinedConnection(this.#config, this.#maxAgeMs);
    this.#connections.push(connection);
    return connection;
  }
}

/**
 * Pipelines statements; those of one tick leave in one system call. Through a pooler each waits for the answer before:
 * PgBouncer 1.18 may send the rest of a statement to another session. A late statement ends the connection.
 */
class PipelinedConnection {
  /** Undefined until the address is found. */
  #client: pg.Client | undefined;
  readonly #mode: StatementMode;
  readonly #maxAgeMs: number;
  readonly #connected: Promise<pg.Client>;
  readonly #checks: NodeJS.Timeout;
  /** When each unanswered statement was sent, the oldest first, by the monotonic clock. */
  readonly sentAt: number[] = [];
  isOpen = true;
  /** True if the next statement leaves with the others of this tick. */
  sendsAtOnce = false;
  #lastAnswerAt = 0;
  #silentChecks = 0;
  /** Through a pooler: settles with the statement before. */
  #previous: Promise<unknown> | undefined;
  #isCorked = false;

  constructor(config: ConnectionConfig, maxAgeMs: number) {
    this.#mode = config.statements;
    this.#maxAgeMs = maxAgeMs;
    this.#checks = setInterval(() => this.#check(), CHECK_MS).unref();
    this.#connected = this.#connect(config).catch((error: unknown) => {
      this.#end();
      this.#destroy();
      throw new NothingSent(error);
    });
    this.#connected.catch(() => {});
  }

  isSlow(): boolean {
    return this.sentAt.length > 0 && performance.now() - Math.max(this.sentAt[0]!, this.#lastAnswerAt) > SLOW_MS;
  }

  async query<R extends object>(statement: Statement, values: readonly unknown[]): Promise<R[]> {
    if (this.sentAt.length === 0) this.#silentChecks = 0;
    this.sentAt.push(performance.now());
    const query = asQuery(this.#mode, statement, values);
    try {
      const client = await this.#connected;
      if (!this.#previous) {
        this.#corkThisTick(client);
        return (await client.query<R>(query)).rows;
      }
      const answer = this.#previous.then(() => client.query<R>(query));
      this.#previous = answer.catch(() => {});
      return (await answer).rows;
    } catch (error) {
      if (isDemoted(error)) void this.close();
      throw error;
    } finally {
      // Answers come in the order of the statements.
      this.sentAt.shift();
      this.#silentChecks = 0;
      this.#lastAnswerAt = performance.now();
    }
  }

  /** Takes no more statements, and closes once the sent ones are answered. */
  async close(): Promise<void> {
    this.isOpen = false;
    this.sendsAtOnce = false;
    await this.#client?.end().catch(() => {});
    this.#end();
  }

  async #connect({ query_timeout: _perStatement, address, ...config }: ConnectionConfig): Promise<pg.Client> {
    const client = new pg.Client({ ...config, connectionString: await address() });
    if (!this.isOpen) throw new Error('Client was closed and is not queryable');
    this.#client = client;
    client.on('error', () => this.#end());
    client.on('end', () => this.#end());
    await client.connect();
    if (await isPooled(client)) this.#previous = Promise.resolve();
    else this.sendsAtOnce = this.isOpen;
    return client;
  }

  #check(): void {
    const [oldest] = this.sentAt;
    if (oldest === undefined) return;
    this.#silentChecks += 1;
    if (this.#silentChecks > SILENT_CHECKS || performance.now() - oldest > this.#maxAgeMs) this.#destroy();
  }

  #destroy(): void {
    if (this.#client) socketOf(this.#client).destroy();
  }

  #corkThisTick(client: pg.Client): void {
    if (this.#isCorked) return;
    const socket = socketOf(client);
    this.#isCorked = true;
    socket.cork();
    setImmediate(() => {
      this.#isCorked = false;
      socket.uncork();
    });
  }

  #end(): void {
    this.isOpen = false;
    this.sendsAtOnce = false;
    clearInterval(this.#checks);
  }
}
