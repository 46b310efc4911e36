import type { Verdict } from '../checker/index.ts';
import type { Config } from '../config.ts';
import { forbidden, invalid } from '../operation/errors.ts';
import { type CheckTask, type Context, logRuleOf, type Operation } from '../operation/operation.ts';
import { fieldOf, validate } from '../operation/schemas.ts';
import type { Cursors } from '../platform/codec/cursor.ts';
import type { Clock } from '../platform/postgres/clock.ts';
import type { Db, Postgres, Statement } from '../platform/postgres/postgres.ts';
import type { Replica } from '../platform/postgres/replica.ts';
import type { Semaphore } from '../platform/postgres/semaphore.ts';
import type { SingleFlight } from '../platform/singleFlight.ts';
import type { Span, Tracing } from '../platform/tracing.ts';
import { newId } from '../protocol/ids.ts';
import type { AdmissionControl } from './admission.ts';
import type { AgentDirectory, Credentials, SignedRequest } from './authenticate.ts';
import type { ConcurrencyLimit } from './execute.ts';
import type { VersionedCache } from './versionedCache.ts';

export type CheckOutput = (op: Operation, body: object, text: string, status: number) => void;

export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly db: Postgres;
  /** For unsigned reads, where one is configured. */
  readonly replica: Replica | undefined;
  readonly searchIndex: Postgres | undefined;
  readonly admission: AdmissionControl;
  readonly concurrency: ConcurrencyLimit;
  readonly searches: Semaphore;
  readonly cache: VersionedCache;
  readonly singleFlight: SingleFlight<unknown>;
  readonly directory: AgentDirectory;
  readonly cursors: Cursors;
  /** The name of this forum in the ids of its feeds. */
  readonly feedName: string;
  readonly checker: { check(task: CheckTask, options: { goesFirst: boolean }): Promise<Verdict> };
  readonly operations: ReadonlyMap<string, Operation>;
  /** Undefined unless the configuration names a collector of traces. */
  readonly tracing: Tracing | undefined;
  /** Aborts when the process stops. Whatever waits for an event then stops waiting. */
  readonly stopping: AbortSignal;
  /** Aborts when the process was asked to stop, while it still serves. */
  readonly draining: AbortSignal;
  /** Checks each response against its declaration, in tests. */
  readonly checkOutput: CheckOutput | undefined;
  /** Called for every request for which the proxy sent no readable address. */
  readonly onUnreadableAddress: () => void;
  /** Called for every request of a blocked address, with the reason of the block. */
  readonly onBlocked: (reason: string, requestId: string) => void;
  /** Called for every error that becomes `internal` or `unavailable`. */
  readonly onFault: (error: unknown, requestId: string) => void;
  /** Called for every statement that took over 250 ms, with its name. */
  readonly onSlow: (statement: string, ms: number, requestId: string) => void;
}

export interface OperationRequest {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  /** Undefined for a request that is not traced. */
  readonly span?: Span | undefined;
  readonly address: string;
  /** The response contains everything until this time, in Unix milliseconds. Undefined: it may be a moment old. */
  readonly asOf?: number | undefined;
  readonly credentials: Credentials;
  /** The flat input. Throws a Refusal if the bytes have none. */
  readonly input: () => object;
}

/** A database that answers reads. Its name distinguishes cached responses. */
export interface Server {
  readonly name: 'primary' | 'replica';
  readonly db: Db;
}

/** After this time a statement gets a warning of its own in the log (docs/operations#the-log). */
const SLOW_MS = 250;

export class Run {
  readonly services: Services;
  readonly request: OperationRequest;
  readonly primary: Server;
  readonly now: number;
  readonly startedAt = performance.now();
  readonly headers: Record<string, string> = {};
  signed: SignedRequest | null = null;
  /** True from when a COMMIT is sent until the database reports its failure (docs/errors#failed-writes). */
  commitMayFollow = false;
  /** Statements of the handler and the write, without the lookup of the signer and loads of counters. */
  statements = 0;
  statementMs = 0;
  readonly #isWrite: boolean;

  constructor(services: Services, { kind }: Operation, request: OperationRequest) {
    this.services = services;
    this.request = request;
    this.primary = { name: 'primary', db: services.db };
    this.now = services.clock.now();
    this.#isWrite = kind === 'write';
  }

  validInput(op: Operation, raw = this.request.input()): object {
    const { value, error } = validate(op.input, raw);
    if (error) {
      const [first] = error.details;
      throw invalid(fieldOf(first?.path ?? []), first?.type);
    }
    return value as object;
  }

  /** Throws `forbidden` unless the caller is the operator (docs/access#who-may-call-what). */
  requireOperator(): void {
    if (this.signed?.caller.agentId !== this.services.config.operatorAgentId) throw forbidden('not the operator');
  }

  /** Measures work that was just begun, if the request is traced. */
  traced<T>(name: string, work: Promise<T>, attributes?: Readonly<Record<string, string>>): Promise<T> {
    return this.request.span?.during(name, work, attributes) ?? work;
  }

  /** Counts and times a statement that was just sent, and counts `opening` if that was sent along. */
  async timed<T>(name: string, answer: Promise<T>, opening?: Statement): Promise<T> {
    this.statements += opening ? 2 : 1;
    const sentAt = performance.now();
    try {
      return await this.traced('statement', answer, { 'db.query.summary': name });
    } finally {
      const ms = performance.now() - sentAt;
      this.statementMs += ms;
      // This includes time in which the process itself was busy.
      if (ms > SLOW_MS) this.services.onSlow(name, ms, this.request.requestId);
    }
  }

  /** Returns a `Db` whose statements are counted. `opening` is sent with the first one. */
  watch(db: Db, opening?: Statement): Db {
    let unsent = opening;
    return {
      origin: db.origin ?? db,
      query: (statement, values, options) => {
        const sentAlong = unsent;
        unsent = undefined;
        return this.timed(statement.name, db.query(statement, values, options), sentAlong);
      },
    };
  }

  /** `db` is a pool, or a write's transaction, which begins with `opening`. A shared context has no caller. */
  context(server = this.primary, { isShared = false, db = server.db, opening }: ContextOptions = {}): Context {
    const { services } = this;
    const signed = isShared ? null : this.signed;
    const now = isShared ? services.clock.now() : this.now;
    const watched = this.watch(db, opening);
    const context: Context = {
      caller: signed?.caller ?? null,
      db: watched,
      primary: this.watch(services.db),
      searchIndex: services.searchIndex ? this.watch(services.searchIndex) : watched,
      shared: <T>(what: string, work: (ctx: Context) => Promise<T>) =>
        services.singleFlight.run(`${server.name} ${what}`, () =>
          work(this.context(server, { isShared: true })),
        ) as Promise<T>,
      now,
      aheadMs: services.clock.aheadMs,
      address: this.request.address,
      config: services.config,
      cursors: services.cursors,
      newId: (prefix) => newId(prefix, now),
      check: (task) => services.checker.check(task, { goesFirst: this.#isWrite }),
      allowances: () => services.admission.allowances(signed, now),
      youngUntilMs: () => services.admission.limitOf('posts', signed, now).youngUntilMs,
      rebuildReceipt: async (name, facts) => {
        const operation = services.operations.get(name);
        if (operation?.kind !== 'write') throw new Error(`${name} is not a write`);
        return operation.receipt(context, facts);
      },
      logRule: (name) => logRuleOf(services.operations.get(name)),
    };
    return context;
  }

  /** Returns a response as JSON. */
  textOf(op: Operation, body: object, status: number = op.status): string {
    const text = JSON.stringify(body);
    this.services.checkOutput?.(op, body, text, status);
    return text;
  }
}

interface ContextOptions {
  readonly isShared?: boolean;
  readonly db?: Db;
  readonly opening?: Statement;
}
