import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, CounterName } from '../config.ts';
import { WRITE_DEADLINE_MS } from '../platform/admission.ts';
import { CheckerBusy, type CheckerPool } from '../platform/checkerPool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Cursors } from '../platform/cursor.ts';
import { newId } from '../platform/ids.ts';
import {
  brokenConstraint,
  type Db,
  isDefiniteFailure,
  isPostgresUnavailable,
  isRetryable,
  type Postgres,
  raised,
  sql,
  sqlState,
  type Transaction,
} from '../platform/postgres.ts';
import { toTimestamp } from '../platform/rfc3339.ts';
import { isFieldName } from '../platform/text.ts';
import type { AdmissionGate, AdmissionRequest, Admitted } from './admission.ts';
import { type AgentDirectory, authenticate, type Credentials } from './authenticate.ts';
import { forbidden, invalid, Refusal, raisedRefusal, unauthorized, unavailable } from './errors.ts';
import type {
  Caller,
  Context,
  Effect,
  Operation,
  PreviewOperation,
  RateLimit,
  ReadOperation,
  UnsignedWriteOperation,
  WriteOperation,
} from './operation.ts';

/** Everything the pipeline works with; made once by the composition root. */
export interface Kernel {
  readonly config: Config;
  readonly clock: Clock;
  readonly db: Postgres;
  /** For anonymous lists and search; the primary itself where no replica is configured. */
  readonly replica: Db;
  readonly gate: AdmissionGate;
  readonly directory: AgentDirectory;
  readonly cursors: Cursors;
  readonly checker: Pick<CheckerPool, 'check'>;
  readonly operations: ReadonlyMap<string, Operation>;
  /** Checks every answer against its declared schema; always on in tests. */
  readonly checkOutputs: boolean;
  /** Told of every fault that became `internal` or `unavailable`. */
  readonly onFault: (error: unknown, requestId: string) => void;
}

/** A request as both faces, REST and MCP, hand it over. */
export interface OperationRequest {
  readonly requestId: string;
  readonly address: string;
  /** The signed bytes and headers; null where the face has none. */
  readonly credentials: Credentials | null;
  /** The flat input; throws a Refusal when the bytes are no such thing. */
  readonly input: () => object;
}

export interface OperationResponse {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId: string | undefined;
}

const ENTER_WRITE = sql('write.enter', 'SELECT enter_write($1)');
const RECORD_WRITE = sql('write.record', 'SELECT record_write($1, $2)');
const ACCEPT_WRITE = sql('write.accept', 'SELECT accept_write($1, $2)');

/** Between tries after a deadlock; how often is bounded by time alone. */
const MAX_RETRY_PAUSE_MS = 200;
/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;

/**
 * The one pipeline: authentication, nonce, counter, validation, transaction, receipt, error mapping, output check.
 * Answers in the order of contract 2 and never throws.
 */
export async function execute(kernel: Kernel, op: Operation, request: OperationRequest): Promise<OperationResponse> {
  const run = new Run(kernel, op, request);
  try {
    const { status, body } = await run.answer();
    if (kernel.checkOutputs) checkOutput(op, body);
    return { status, body, headers: run.headers, agentId: run.agentId };
  } catch (error) {
    const refusal = run.refusal(error);
    const headers = { ...run.headers, ...refusal.headers };
    return { status: refusal.status, body: refusal.body, headers, agentId: run.agentId };
  }
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Who asks, after the nonce was spent: what a write needs to be admitted under. */
interface SignedRequest {
  readonly caller: Caller;
  readonly nonce: string;
  readonly signedAtMs: number;
}

class Run {
  readonly #kernel: Kernel;
  readonly #op: Operation;
  readonly #request: OperationRequest;
  readonly #now: number;
  readonly #startedAt = performance.now();
  readonly headers: Record<string, string> = {};
  #signed: SignedRequest | null = null;

  constructor(kernel: Kernel, op: Operation, request: OperationRequest) {
    this.#kernel = kernel;
    this.#op = op;
    this.#request = request;
    this.#now = kernel.clock.now();
  }

  get agentId(): string | undefined {
    return this.#signed?.caller.agentId;
  }

  async answer(): Promise<Answer> {
    const op = this.#op;
    this.#signed = await this.#authenticate();
    switch (op.kind) {
      case 'read':
        return this.#read(op);
      case 'unsigned-write':
        return this.#writeUnsigned(op);
      case 'write':
        return this.#write(op, this.#signed!, false);
      case 'preview':
        return this.#write(op.of, this.#signed!, true);
    }
  }

  /** Signature and, for reads, the nonce. Writes spend theirs together with their counter. */
  async #authenticate(): Promise<SignedRequest | null> {
    const { auth, kind } = this.#op;
    const { credentials } = this.#request;
    if (auth === 'public' || auth === 'registration-proof') return null;
    const result = credentials
      ? await authenticate(credentials, this.#now, this.#kernel.directory)
      : ({ kind: 'anonymous' } as const);
    if (result.kind === 'signed') {
      if (kind !== 'read' || (await this.#spendForRead(result))) return result;
    }
    if (auth !== 'optional-signature') throw unauthorized();
    if (result.kind !== 'anonymous') this.headers['x-svc-auth'] = 'declined';
    return null;
  }

  /** False when the nonce was seen before. Without Redis reads go on unchecked (contract 3). */
  async #spendForRead({ caller, nonce }: SignedRequest): Promise<boolean> {
    const request = { ...this.#admissionOf(caller, nonce), counter: null, spend: true, reserve: false };
    const admitted = await this.#kernel.gate.admit(request).catch((error: unknown) => {
      if (error instanceof Refusal && error.token === 'unavailable') return undefined;
      throw error;
    });
    return admitted !== null;
  }

  async #read(op: ReadOperation): Promise<Answer> {
    if (op.auth === 'operator') this.#requireOperator(this.#signed!.caller);
    const input = this.#validInput();
    const db = op.replica && !this.#signed ? this.#kernel.replica : this.#kernel.db;
    return { status: op.status, body: await op.handle(this.#context(db), input) };
  }

  async #writeUnsigned(op: UnsignedWriteOperation): Promise<Answer> {
    const input = this.#validInput();
    return { status: op.status, body: await op.handle(this.#context(this.#kernel.db.alone), input) };
  }

  /** A signed write, or its preview: the same steps, rolled back. */
  async #write(op: WriteOperation, signed: SignedRequest, isPreview: boolean): Promise<Answer> {
    const checked = this.#tryInput();
    const counter = checked instanceof Refusal ? null : op.counter;
    const mode = { counter, spend: !isPreview, reserve: !isPreview && op.alwaysFree !== true };
    let admitted = await this.#admit(signed, mode);
    try {
      if (op.auth === 'operator') this.#requireOperator(signed.caller);
      if (checked instanceof Refusal) throw checked;
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#attempt(op, signed, checked, admitted, isPreview);
        if (!(outcome instanceof Error)) return await this.#settled(op, signed, admitted, outcome, isPreview);
        if (this.#elapsedMs() > LAST_FLUSH_MS) throw unavailable();
        if (sqlState(outcome) === 'AFFEN') admitted = await this.#admit(signed, mode);
        else await sleep(Math.random() * Math.min(10 * attempt, MAX_RETRY_PAUSE_MS));
      }
    } catch (error) {
      // Refused on being admitted again: another request owns the nonce now, and the charge under it.
      const isForeign = error instanceof Refusal && error.token === 'unauthorized';
      const definite = !isForeign && (error instanceof Refusal || isDefiniteFailure(error));
      if (definite && mode.reserve && counter && admitted.reserved) await this.#giveBack(signed, counter);
      throw await this.#refusedWrite(op, signed, admitted, error, isPreview);
    }
  }

  /** One try in one transaction. Returns the failure when the transaction did nothing and may be tried again. */
  async #attempt(op: WriteOperation, signed: SignedRequest, input: object, admitted: Admitted, isPreview: boolean) {
    const admission = (effect?: Effect<object>) => this.#admissionJson(op, signed, admitted, isPreview, effect);
    const tx = this.#kernel.db.transaction(ENTER_WRITE, () => [admission()]);
    try {
      const effect = await op.decide(this.#context(tx), input);
      const rateLimit = this.#rateLimit(op, admitted, effect, isPreview);
      if (this.#elapsedMs() > LAST_FLUSH_MS) throw unavailable();
      const facts = JSON.stringify({ ...effect.facts, rateLimit });
      const rows = await this.#finish(tx, effect, [admission(effect), facts], isPreview);
      return { effect, rateLimit, rows };
    } catch (error) {
      await tx.abandon();
      if (isRetryable(error) || sqlState(error) === 'AFFEN') return error as Error;
      throw error;
    }
  }

  /** Effect, receipt and COMMIT in one flush; a write of a single statement is that statement alone. */
  async #finish(tx: Transaction, effect: Effect<object>, accepted: readonly unknown[], isPreview: boolean) {
    const { statement, values = [] } = effect;
    if (!tx.started && !isPreview) {
      return this.#kernel.db.alone.query<Record<string, unknown>>(statement ?? ACCEPT_WRITE, [...accepted, ...values]);
    }
    const last = statement ?? RECORD_WRITE;
    return tx.finish<Record<string, unknown>>(last, [...accepted, ...values], isPreview ? 'ROLLBACK' : 'COMMIT');
  }

  async #settled(
    op: WriteOperation,
    signed: SignedRequest,
    admitted: Admitted,
    { effect, rateLimit, rows }: { effect: Effect<object>; rateLimit: RateLimit | undefined; rows: readonly object[] },
    isPreview: boolean,
  ): Promise<Answer> {
    const outcome = isPreview ? undefined : await this.#outcome(effect);
    const output = outcome?.body ?? effect.present(rows as readonly Record<string, unknown>[]);
    const status = outcome?.status ?? effect.status ?? op.status;
    if (!rateLimit) return { status: isPreview ? 200 : status, body: output };
    this.#showRateLimit(rateLimit);
    if (isPreview) {
      const allowance = this.#kernel.gate.rateLimit(rateLimit.name, admitted.counter, this.#now);
      return { status: 200, body: { ...output, rateLimit, allowance } };
    }
    if (effect.free && !op.alwaysFree && admitted.reserved) await this.#giveBack(signed, rateLimit.name);
    return { status, body: { ...output, rateLimit } };
  }

  /** What came of a committed write. That it cannot be seen changes nothing about the write, so it is only reported. */
  async #outcome(effect: Effect<object>): Promise<Answer | undefined> {
    return effect.awaitOutcome?.(this.#kernel.db).catch((error: unknown) => {
      this.#kernel.onFault(error, this.#request.requestId);
      return undefined;
    });
  }

  async #admit({ caller, nonce }: SignedRequest, mode: Pick<AdmissionRequest, 'counter' | 'spend' | 'reserve'>) {
    const admitted = await this.#kernel.gate.admit({ ...this.#admissionOf(caller, nonce), ...mode });
    if (!admitted) throw unauthorized();
    return admitted;
  }

  #admissionOf(caller: Caller, nonce: string) {
    return { agentId: caller.agentId, nonce, requestId: this.#request.requestId, nowMs: this.#now };
  }

  async #giveBack({ caller, nonce }: SignedRequest, counter: CounterName): Promise<void> {
    await this.#kernel.gate.giveBack(caller.agentId, counter, nonce);
  }

  /** What `accept_write` checks and stores (migration 0003). */
  #admissionJson(
    op: WriteOperation,
    { caller, nonce, signedAtMs }: SignedRequest,
    { fence, reserved }: Admitted,
    isPreview: boolean,
    effect?: Effect<object>,
  ): string {
    return JSON.stringify({
      agentId: caller.agentId,
      nonce,
      signedAt: toTimestamp(signedAtMs),
      at: toTimestamp(this.#now),
      operation: op.name,
      counter: op.alwaysFree || effect?.free ? null : op.counter,
      reserved,
      fence,
      status: effect?.status ?? op.status,
      preview: isPreview,
    });
  }

  /** The counter as it is after the act. */
  #rateLimit(
    op: WriteOperation,
    admitted: Admitted,
    effect: Effect<object>,
    isPreview: boolean,
  ): RateLimit | undefined {
    if (!op.counter) return undefined;
    const free = op.alwaysFree === true || effect.free === true;
    const { used, oldestMs } = admitted.counter;
    const counted = isPreview || op.alwaysFree || !admitted.reserved ? used : used - 1;
    const after = free ? counted : counted + 1;
    const state = { used: after, oldestMs: after === 0 ? null : (oldestMs ?? this.#now) };
    return this.#kernel.gate.rateLimit(op.counter, state, this.#now);
  }

  #showRateLimit({ name, limit, remaining, resetAt }: RateLimit): void {
    this.headers['x-svc-ratelimit-name'] = name;
    this.headers['x-svc-ratelimit-limit'] = String(limit);
    this.headers['x-svc-ratelimit-remaining'] = String(remaining);
    this.headers['x-svc-ratelimit-reset'] = String(Math.ceil(Date.parse(resetAt) / 1_000));
  }

  /**
   * The refusal of a write in the order of contract 2: a replay that Redis had forgotten and a suspension go before
   * whatever else was found. They are asked for only here, so that accepted writes do not pay for the question.
   */
  async #refusedWrite(
    op: WriteOperation,
    signed: SignedRequest,
    admitted: Admitted,
    error: unknown,
    isPreview: boolean,
  ) {
    const mapped = this.#mapFailure(op, error, admitted);
    if (!(mapped instanceof Refusal) || mapped.token === 'unavailable' || mapped.token === 'unauthorized')
      return mapped;
    const facts = await this.#kernel.directory.refusalFacts(signed.caller.agentId, signed.nonce);
    if (facts.replayed && !isPreview) return unauthorized();
    return facts.suspended ? forbidden() : mapped;
  }

  #mapFailure(op: WriteOperation | UnsignedWriteOperation, error: unknown, admitted?: Admitted): unknown {
    if (error instanceof Refusal) return error;
    const constraint = brokenConstraint(error);
    const declared = constraint === undefined ? undefined : op.constraints?.[constraint];
    if (declared) return declared();
    const refusal = raisedRefusal(raised(error));
    if (refusal?.token !== 'rate_limited' || op.kind !== 'write' || !op.counter || !admitted) return refusal ?? error;
    const rateLimit = this.#kernel.gate.rateLimit(op.counter, admitted.counter, this.#now);
    this.#showRateLimit(rateLimit);
    return new Refusal('rate_limited', { retryAfterSeconds: (Date.parse(rateLimit.resetAt) - this.#now) / 1_000 });
  }

  #requireOperator(caller: Caller): void {
    if (caller.agentId !== this.#kernel.config.operatorAgentId) throw forbidden();
  }

  #tryInput(): object | Refusal {
    try {
      return this.#validInput();
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #validInput(): object {
    const { value, error } = this.#op.input.validate(this.#request.input());
    if (!error) return value as object;
    const [detail] = error.details;
    throw invalid(fieldOf(detail?.path ?? []));
  }

  #context(db: Db): Context {
    const { kernel, now } = { kernel: this.#kernel, now: this.#now };
    const { requestId, address } = this.#request;
    const caller = this.#signed?.caller ?? null;
    const context: Context = {
      caller,
      db,
      outside: kernel.db,
      now,
      address,
      config: kernel.config,
      cursors: kernel.cursors,
      newId: (prefix) => newId(prefix, now),
      check: (task) =>
        kernel.checker.check(task).catch((error: unknown) => {
          throw error instanceof CheckerBusy ? unavailable() : error;
        }),
      allowances: async () =>
        caller ? kernel.gate.allowances(caller.agentId, requestId, now) : kernel.gate.unusedAllowances(now),
      rebuildReceipt: async (name, facts) => {
        const operation = kernel.operations.get(name);
        if (operation?.kind !== 'write') throw new Error(`${name} is no write`);
        return operation.receipt(context, facts);
      },
    };
    return context;
  }

  #elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** What the caller is told of an error; faults are reported on the way. */
  refusal(error: unknown): Refusal {
    const op = this.#op.kind === 'unsigned-write' ? this.#op : undefined;
    const mapped = op ? this.#mapFailure(op, error) : error;
    if (mapped instanceof Refusal && mapped.token !== 'unavailable') return mapped;
    this.#kernel.onFault(mapped, this.#request.requestId);
    if (mapped instanceof Refusal) return mapped;
    return isPostgresUnavailable(mapped) ? unavailable() : new Refusal('internal');
  }
}

/** The path of an offending property as `field` shows it: `rules[2].when`, or nothing when it is no such name. */
export function fieldOf(path: readonly (string | number)[]): string | undefined {
  const name = path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
  return isFieldName(name) ? name : undefined;
}

function checkOutput(op: PreviewOperation | Operation, body: object): void {
  const { error } = op.output.validate(JSON.parse(JSON.stringify(body)));
  if (error) throw new Error(`${op.name} answered what its schema does not allow: ${error.message}`);
}
