import { setTimeout as sleep } from 'node:timers/promises';
import type { CounterName } from '../config.ts';
import { WRITE_DEADLINE_MS } from '../platform/admission.ts';
import {
  brokenConstraint,
  isDefiniteFailure,
  isRetryable,
  raised,
  sql,
  sqlState,
  type Transaction,
} from '../platform/postgres.ts';
import { toTimestamp } from '../platform/rfc3339.ts';
import type { Admitted } from './admission.ts';
import { forbidden, Refusal, raisedRefusal, unauthorized, unavailable } from './errors.ts';
import type { Effect, Operation, RateLimit, UnsignedWriteOperation, WriteOperation } from './operation.ts';
import type { Answer, Run, SignedRequest } from './run.ts';

const ENTER_WRITE = sql('write.enter', 'SELECT enter_write($1)');
const RECORD_WRITE = sql('write.record', 'SELECT record_write($1, $2)');
const ACCEPT_WRITE = sql('write.accept', 'SELECT accept_write($1, $2)');

/** `accept_write` says so when the counters were rebuilt after the admission (migration 0003). */
const ADMITTED_BEFORE_REBUILD = 'AFFEN';
/** Between tries after a deadlock; how often is bounded by time alone. */
const MAX_RETRY_PAUSE_MS = 200;
/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;

interface Committed {
  readonly effect: Effect<object>;
  readonly rateLimit: RateLimit | undefined;
  readonly rows: readonly Record<string, unknown>[];
}

/**
 * A signed write, or its preview: the same steps, rolled back. Nonce and counter are one call to Redis; what the handler
 * decides, the receipt and COMMIT are one flush; a refusal gives its charge back (contract 2 to 4).
 */
export class SignedWrite {
  readonly #run: Run;
  readonly #op: WriteOperation;
  /** Whose input and output are declared: the write itself, or its preview. */
  readonly #declared: Operation;
  readonly #signed: SignedRequest;
  readonly #isPreview: boolean;

  constructor(run: Run, declared: Operation, op: WriteOperation, signed: SignedRequest) {
    this.#run = run;
    this.#declared = declared;
    this.#op = op;
    this.#signed = signed;
    this.#isPreview = declared.kind === 'preview';
  }

  async answer(): Promise<Answer> {
    const input = this.#tryInput();
    // What the schema refuses spends its nonce and touches no counter.
    const counter = input instanceof Refusal ? null : this.#op.counter;
    let admitted = await this.#admit(counter);
    try {
      if (this.#op.auth === 'operator') this.#run.requireOperator(this.#signed.caller);
      if (input instanceof Refusal) throw input;
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#attempt(input, admitted);
        if (!(outcome instanceof Error)) return await this.#settled(outcome, admitted);
        if (this.#run.elapsedMs > LAST_FLUSH_MS) throw unavailable();
        if (sqlState(outcome) === ADMITTED_BEFORE_REBUILD) admitted = await this.#admit(counter);
        else await sleep(Math.random() * Math.min(10 * attempt, MAX_RETRY_PAUSE_MS));
      }
    } catch (error) {
      // Refused on being admitted again: another request owns the nonce now, and the charge under it.
      const isForeign = error instanceof Refusal && error.token === 'unauthorized';
      const isDefinite = error instanceof Refusal || isDefiniteFailure(error);
      if (counter && isDefinite && !isForeign) await this.#giveBack(counter, admitted);
      throw await this.#refusal(error, admitted);
    }
  }

  #tryInput(): object | Refusal {
    try {
      return this.#run.validInput(this.#declared);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  get #reserves(): boolean {
    return !this.#isPreview && this.#op.alwaysFree !== true;
  }

  async #admit(counter: CounterName | null): Promise<Admitted> {
    const { kernel, request, now } = this.#run;
    const { caller, nonce } = this.#signed;
    const admitted = await kernel.gate.admit({
      agentId: caller.agentId,
      nonce,
      requestId: request.requestId,
      nowMs: now,
      counter,
      spend: !this.#isPreview,
      reserve: this.#reserves,
    });
    if (!admitted) throw unauthorized();
    return admitted;
  }

  async #giveBack(counter: CounterName, { reserved }: Admitted): Promise<void> {
    const { caller, nonce } = this.#signed;
    if (reserved && this.#reserves) await this.#run.kernel.gate.giveBack(caller.agentId, counter, nonce);
  }

  /** One try in one transaction. Returns the failure when the transaction did nothing and may be tried again. */
  async #attempt(input: object, admitted: Admitted): Promise<Committed | Error> {
    const tx = this.#run.kernel.db.transaction(ENTER_WRITE, () => [this.#admission(admitted)]);
    try {
      const effect = await this.#op.decide(this.#run.context(tx), input);
      const rateLimit = this.#rateLimit(effect, admitted);
      if (this.#run.elapsedMs > LAST_FLUSH_MS) throw unavailable();
      const facts = JSON.stringify({ ...effect.facts, rateLimit });
      const rows = await this.#finish(tx, effect, [this.#admission(admitted, effect), facts]);
      return { effect, rateLimit, rows };
    } catch (error) {
      await tx.abandon();
      if (isRetryable(error) || sqlState(error) === ADMITTED_BEFORE_REBUILD) return error as Error;
      throw error;
    }
  }

  /** Effect, receipt and COMMIT in one flush; a write of a single statement is that statement alone. */
  async #finish(tx: Transaction, effect: Effect<object>, accepted: readonly unknown[]) {
    const { statement, values = [] } = effect;
    if (!tx.started && !this.#isPreview) {
      const { writes } = this.#run.kernel.db;
      return writes.query<Record<string, unknown>>(statement ?? ACCEPT_WRITE, [...accepted, ...values]);
    }
    const end = this.#isPreview ? 'ROLLBACK' : 'COMMIT';
    return tx.finish<Record<string, unknown>>(statement ?? RECORD_WRITE, [...accepted, ...values], end);
  }

  async #settled({ effect, rateLimit, rows }: Committed, admitted: Admitted): Promise<Answer> {
    const outcome = this.#isPreview ? undefined : await this.#outcome(effect);
    const output = outcome?.body ?? effect.present(rows);
    const status = this.#isPreview ? 200 : (outcome?.status ?? effect.status ?? this.#op.status);
    if (!rateLimit) return { status, body: output };
    this.#showRateLimit(rateLimit);
    if (this.#isPreview) {
      const allowance = this.#run.kernel.gate.rateLimit(rateLimit.name, admitted.counter, this.#run.now);
      return { status, body: { ...output, rateLimit, allowance } };
    }
    if (effect.free) await this.#giveBack(rateLimit.name, admitted);
    return { status, body: { ...output, rateLimit } };
  }

  /** What came of a committed write. That it cannot be seen changes nothing about the write, so it is only reported. */
  async #outcome(effect: Effect<object>): Promise<Answer | undefined> {
    const { kernel, request } = this.#run;
    return effect.awaitOutcome?.(kernel.db).catch((error: unknown) => {
      kernel.onFault(error, request.requestId);
      return undefined;
    });
  }

  /** What `accept_write` checks and stores (migration 0003). */
  #admission({ fence, reserved }: Admitted, effect?: Effect<object>): string {
    const { caller, nonce, signedAtMs } = this.#signed;
    const op = this.#op;
    return JSON.stringify({
      agentId: caller.agentId,
      nonce,
      signedAt: toTimestamp(signedAtMs),
      at: toTimestamp(this.#run.now),
      operation: op.name,
      counter: op.alwaysFree || effect?.free ? null : op.counter,
      reserved,
      fence,
      status: effect?.status ?? op.status,
      preview: this.#isPreview,
    });
  }

  /** The counter as it is after the act. */
  #rateLimit(effect: Effect<object>, { counter, reserved }: Admitted): RateLimit | undefined {
    const { kernel, now } = this.#run;
    const { alwaysFree, counter: name } = this.#op;
    if (!name) return undefined;
    const before = reserved && this.#reserves ? counter.used - 1 : counter.used;
    const used = alwaysFree || effect.free ? before : before + 1;
    return kernel.gate.rateLimit(name, { used, oldestMs: used === 0 ? null : (counter.oldestMs ?? now) }, now);
  }

  #showRateLimit({ name, limit, remaining, resetAt }: RateLimit): void {
    const { headers } = this.#run;
    headers['x-svc-ratelimit-name'] = name;
    headers['x-svc-ratelimit-limit'] = String(limit);
    headers['x-svc-ratelimit-remaining'] = String(remaining);
    headers['x-svc-ratelimit-reset'] = String(Math.ceil(Date.parse(resetAt) / 1_000));
  }

  /**
   * The refusal in the order of contract 2: a replay that Redis had forgotten and a suspension go before whatever else was
   * found. They are asked for only here, so that accepted writes do not pay for the question.
   */
  async #refusal(error: unknown, admitted: Admitted): Promise<unknown> {
    const mapped = mappedFailure(this.#op, error);
    if (!(mapped instanceof Refusal) || mapped.token === 'unavailable' || mapped.token === 'unauthorized') {
      return mapped;
    }
    const { caller, nonce } = this.#signed;
    const facts = await this.#run.kernel.directory.refusalFacts(caller.agentId, nonce);
    if (facts.replayed && !this.#isPreview) return unauthorized();
    if (facts.suspended) return forbidden();
    return mapped.token === 'rate_limited' ? this.#limited(admitted) : mapped;
  }

  /** Nothing left: when there will be, and the figures. */
  #limited({ counter }: Admitted): Refusal {
    const { kernel, now } = this.#run;
    const rateLimit = kernel.gate.rateLimit(this.#op.counter!, counter, now);
    this.#showRateLimit(rateLimit);
    return new Refusal('rate_limited', { retryAfterSeconds: (Date.parse(rateLimit.resetAt) - now) / 1_000 });
  }
}

/** The refusal that a failed statement stands for: a broken constraint that the operation names, or what was raised. */
export function mappedFailure(op: WriteOperation | UnsignedWriteOperation, error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const constraint = brokenConstraint(error);
  const declared = constraint === undefined ? undefined : op.constraints?.[constraint];
  return declared?.() ?? raisedRefusal(raised(error)) ?? error;
}
