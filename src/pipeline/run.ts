import { LRUCache } from 'lru-cache';
import type { Verdict } from '../checker/index.ts';
import type { Config } from '../config.ts';
import { forbidden, invalid } from '../operation/errors.ts';
import { type Caller, type CheckTask, type Context, logRuleOf, type Operation } from '../operation/operation.ts';
import { fieldOf, validate } from '../operation/schemas.ts';
import type { Cursors } from '../platform/codec/cursor.ts';
import type { Clock } from '../platform/postgres/clock.ts';
import type { Db, Postgres, Statement } from '../platform/postgres/postgres.ts';
import type { Replica } from '../platform/postgres/replica.ts';
import type { Semaphore } from '../platform/postgres/semaphore.ts';
import type { SingleFlight } from '../platform/singleFlight.ts';
import { newId } from '../protocol/ids.ts';
import type { AdmissionControl } from './admission.ts';
import type { AgentDirectory, Credentials } from './authenticate.ts';
import type { ConcurrencyLimit } from './concurrencyLimit.ts';
import { StatementLog } from './statementLog.ts';
import type { VersionedCache } from './versionedCache.ts';

/** Everything the pipeline works with; made once by the composition root. */
export interface Kernel {
  readonly config: Config;
  readonly clock: Clock;
  readonly db: Postgres;
  /** For reads of nobody in particular, where one is configured. */
  readonly replica: Replica | undefined;
  /** The database of the index of search, where it has one of its own. */
  readonly searchIndex: Postgres | undefined;
  readonly gate: AdmissionControl;
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
  /** Aborted when the process is told to stop: what waits only for something to happen then ends its waiting. */
  readonly stopping: AbortSignal;
  /** Aborts when the process was asked to stop, while it still serves. */
  readonly draining: AbortSignal;
  /** Checks every answer against its declared schema; always on in tests. */
  readonly checkOutputs: boolean;
  /** Called for every request whose proxy sent something else than an address of its caller. */
  readonly onUnreadableAddress: () => void;
  /** Told of every fault that became `internal` or `unavailable`. */
  readonly onFault: (error: unknown, requestId: string) => void;
  /** Told of every statement that took over 250 ms, by its name. */
  readonly onSlow: (statement: string, ms: number, requestId: string) => void;
}

/** A request as both faces, REST and MCP, hand it over. */
export interface OperationRequest {
  readonly requestId: string;
  /** The trace that its caller counts it to. */
  readonly traceId?: string | undefined;
  readonly address: string;
  /** Until when the answer must have everything, unix milliseconds; undefined where it may be a moment behind. */
  readonly asOf?: number | undefined;
  /** The exact bytes that were sent, and the headers that sign them. */
  readonly credentials: Credentials;
  /** The flat input; throws a Refusal when the bytes are no such thing. */
  readonly input: () => object;
}

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** The text that a signature verified, the signature, and the key that verified it, with its number; both in base64url. */
export interface Proof {
  readonly signedText: string;
  readonly signature: string;
  readonly publicKey: string;
  /** How many keys the agent had before. */
  readonly keyEpoch: number;
}

/** Who asks, after the signature was verified: what a write is admitted under. */
export interface SignedRequest extends Proof {
  readonly caller: Caller;
  readonly nonce: string;
  readonly signedAtMs: number;
}

/** A database that reads are asked of, and what it is called where answers of several are told apart. */
export interface Server {
  readonly name: 'primary' | 'replica';
  readonly db: Db;
}

const MAX_INPUT_CHARACTERS = 1_048_576;
/** Validated inputs of reads by operation and raw input. A repeated request skips the schema, which takes 8 % of a cached read. */
const readInputs = new LRUCache<string, object>({
  maxSize: MAX_INPUT_CHARACTERS,
  sizeCalculation: (_input, key) => key.length,
});

function validInput(op: Operation, raw: object): object {
  const { value, error } = validate(op.input, raw);
  if (error) {
    const [first] = error.details;
    throw invalid(fieldOf(first?.path ?? []), first?.type);
  }
  return value as object;
}

/** One request on its way through the pipeline: its time, its headers, and what its handler may touch. */
export class Run {
  readonly kernel: Kernel;
  readonly request: OperationRequest;
  /** The time of the request, unix milliseconds. */
  readonly now: number;
  /** Headers of the answer. */
  readonly headers: Record<string, string> = {};
  signed: SignedRequest | null = null;
  /** True from the moment a write's COMMIT is sent until the database reports that it failed (docs/errors#failed-writes). */
  commitMayFollow = false;
  readonly statements: StatementLog;
  readonly #startedAt = performance.now();
  readonly #isWrite: boolean;

  constructor(kernel: Kernel, { kind }: Operation, request: OperationRequest) {
    this.kernel = kernel;
    this.request = request;
    this.#isWrite = kind === 'write';
    this.now = kernel.clock.now();
    this.statements = new StatementLog((name, ms) => kernel.onSlow(name, ms, request.requestId));
  }

  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** The flat input as the schema takes it; throws `invalid_request` with the offending field. */
  validInput(op: Operation): object {
    const raw = this.request.input();
    if (op.kind !== 'read') return validInput(op, raw);
    const key = `${op.name} ${JSON.stringify(raw)}`;
    const earlier = readInputs.get(key);
    if (earlier) return earlier;
    const input = Object.freeze(validInput(op, raw));
    readInputs.set(key, input);
    return input;
  }

  /** Who is not the operator is `forbidden` to use its operations (docs/start#who-may-call-what, docs/errors). */
  requireOperator(caller: Caller): void {
    if (caller.agentId !== this.kernel.config.operatorAgentId) throw forbidden('not the operator');
  }

  /** What a handler is given; `db` is the pool's, or the operation's own transaction, which begins with `opening`. */
  context(db: Db, opening?: Statement): Context {
    return this.#contextOf(this.signed?.caller ?? null, this.now, this.statements.watch(db, opening), this.primary);
  }

  /** The same for a read. */
  readContext(server: Server): Context {
    return this.#contextOf(this.signed?.caller ?? null, this.now, this.statements.watch(server.db), server);
  }

  /** The same for what others share, who may have asked later: nobody's, and at this moment. */
  sharedContext(server: Server): Context {
    return this.#contextOf(null, this.kernel.clock.now(), this.statements.watch(server.db), server);
  }

  get primary(): Server {
    return { name: 'primary', db: this.kernel.db };
  }

  #contextOf(caller: Caller | null, now: number, db: Db, server: Server): Context {
    const { kernel, statements } = this;
    const { address } = this.request;
    const context: Context = {
      caller,
      db,
      outside: statements.watch(kernel.db),
      searchIndex: kernel.searchIndex ? statements.watch(kernel.searchIndex) : db,
      alone: statements.watch(kernel.db.alone),
      shared: <T>(what: string, work: (ctx: Context) => Promise<T>) =>
        kernel.singleFlight.run(`${server.name} ${what}`, () => work(this.sharedContext(server))) as Promise<T>,
      now,
      aheadMs: kernel.clock.aheadMs,
      address,
      config: kernel.config,
      cursors: kernel.cursors,
      newId: (prefix) => newId(prefix, now),
      check: (task) => kernel.checker.check(task, { goesFirst: this.#isWrite }),
      allowances: async () =>
        caller ? kernel.gate.allowances(caller.agentId, now) : kernel.gate.unusedAllowances(now),
      rebuildReceipt: async (name, facts) => {
        const operation = kernel.operations.get(name);
        if (operation?.kind !== 'write') throw new Error(`${name} is no write`);
        return operation.receipt(context, facts);
      },
      logRule: (name) => logRuleOf(kernel.operations.get(name)),
    };
    return context;
  }
}
