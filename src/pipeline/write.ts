import { setTimeout as sleep } from 'node:timers/promises';
import type { CounterName } from '../config.ts';
import { forbidden, Refusal, unauthorized, unavailable } from '../operation/errors.ts';
import {
  type Effect,
  type Facts,
  type Operation,
  otherStatusesOf,
  type RateLimit,
  type WriteOperation,
} from '../operation/operation.ts';
import { toTimestamp } from '../platform/codec/text.ts';
import {
  isDefiniteFailure,
  isRetryable,
  sql,
  sqlState,
  type Transaction,
  type WriteResult,
} from '../platform/postgres/postgres.ts';
import { NO_CHANGE } from '../recording/effect.ts';
import { type Admitted, type Attempt, WINDOW_SECONDS } from './admissionStore.ts';
import { refusalOfFailure } from './failure.ts';
import { LAST_FLUSH_MS, laterKey, recordOf } from './record.ts';
import type { Answer, Run, SignedRequest } from './run.ts';

const ENTER_WRITE = sql('write.enter', 'SELECT release.enter_write($1, $2, $3, $4)');

/** `enter_write` says so when the counters were rebuilt after the admission. */
const ADMITTED_BEFORE_REBUILD = 'AFFEN';
/** Between tries after a deadlock; how often is bounded by time alone. */
const MAX_RETRY_PAUSE_MS = 200;

interface Committed {
  readonly effect: Effect<object>;
  readonly isFree: boolean;
  readonly rateLimit: RateLimit | undefined;
  readonly result: WriteResult;
}

/**
 * A signed write, or its preview: the same steps, rolled back. Nonce and counter are one call to Redis; what the handler
 * decides, the receipt and COMMIT are one flush; a refusal gives its charge back (docs/errors#order-of-refusals,
 * docs/reconcile, docs/limits#how-a-charge-is-made, docs/posts#receipts-and-previews).
 */
export class SignedWrite {
  readonly #run: Run;
  readonly #op: WriteOperation;
  /** Whose input and output are declared: the write itself, or its preview. */
  readonly #declared: Operation;
  readonly #signed: SignedRequest;
  readonly #isPreview: boolean;
  /** Of a write whose conflicts are limited, once it has begun. */
  #limitedAttempt: Attempt | undefined;

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
    let admitted: Admitted | undefined;
    try {
      admitted = await this.#admit(counter);
      if (this.#op.auth === 'operator') this.#run.requireOperator(this.#signed.caller);
      if (input instanceof Refusal) throw input;
      await this.#limitConflicts(admitted);
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#attempt(input, admitted);
        if (!(outcome instanceof Error)) {
          await this.#endWithoutConflict();
          return await this.#settled(outcome, admitted);
        }
        if (this.#run.elapsedMs > LAST_FLUSH_MS) throw unavailable('no time for another try');
        if (sqlState(outcome) === ADMITTED_BEFORE_REBUILD) admitted = await this.#admit(counter, admitted);
        else await sleep(Math.random() * Math.min(10 * attempt, MAX_RETRY_PAUSE_MS));
      }
    } catch (error) {
      if (counter) await this.#undo(counter, admitted);
      const refusal = await this.#refusal(error, input, admitted);
      if (!(refusal instanceof Refusal && refusal.token === 'conflict')) await this.#endWithoutConflict();
      throw refusal;
    }
  }

  /** Before anything is looked up, a write that would tell what is taken needs an allowance and a conflict that is left. */
  async #limitConflicts(admitted: Admitted): Promise<void> {
    const { name: operation, conflictsADay, counter } = this.#op;
    if (conflictsADay === undefined) return;
    if (counter !== null && !admitted.reserved) throw new Refusal('rate_limited');
    const { kernel, request, now } = this.#run;
    const attempt = { agentId: this.#signed.caller.agentId, operation, requestId: request.requestId };
    await kernel.gate.beginAttempt(attempt, conflictsADay, now);
    this.#limitedAttempt = attempt;
  }

  async #endWithoutConflict(): Promise<void> {
    if (this.#limitedAttempt) await this.#run.kernel.gate.endAttempt(this.#limitedAttempt);
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

  /** `outdated`: what an earlier admission said, when the counters were rebuilt since. */
  async #admit(counter: CounterName | null, outdated?: Admitted): Promise<Admitted> {
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
      outdatedFence: outdated?.fence,
    });
    if (!admitted) throw unauthorized('replayed');
    return admitted;
  }

  /**
   * Refunds the allowance of a write that failed. While the commit may still follow, the reservation remains. If Redis failed at the
   * admission, it may have reserved all the same. The response does not wait for that refund.
   */
  async #undo(counter: CounterName, admitted: Admitted | undefined): Promise<void> {
    if (this.#run.commitMayFollow) return;
    if (admitted) await this.#refund(counter, admitted.reserved);
    else void this.#refund(counter, true);
  }

  async #refund(counter: CounterName, reserved: boolean): Promise<void> {
    if (!reserved || !this.#reserves) return;
    const { kernel, request } = this.#run;
    await kernel.gate.refund({ agentId: this.#signed.caller.agentId, counter, requestId: request.requestId });
  }

  /** One try in one transaction. Returns the failure when the transaction did nothing and may be tried again. */
  async #attempt(input: object, admitted: Admitted): Promise<Committed | Error> {
    const { caller, keyEpoch } = this.#signed;
    const db = this.#run.statements.watch(this.#run.kernel.db);
    const key = await this.#op.waitsFor?.(input, { db, callerId: caller.agentId });
    const entering = () => [caller.agentId, admitted.fence, keyEpoch, laterKey(this.#signed)];
    const tx = this.#run.kernel.db.transaction(ENTER_WRITE, entering, key);
    try {
      const effect = await this.#op.decide(this.#run.context(tx, ENTER_WRITE), input);
      const rateLimit = this.#rateLimit(admitted, effect.free);
      if (this.#isExhausted(effect, admitted)) return await this.#refuseLast(tx, effect, admitted);
      if (this.#run.elapsedMs > LAST_FLUSH_MS) throw unavailable('no time for the last flush');
      const record = this.#record(admitted, effect, Object.assign({}, effect.facts, { rateLimit }), this.#isPreview);
      const result = await this.#finish(tx, effect, record, key);
      const wasFree = effect.wasFree?.(result.answer) ?? false;
      const isFree = effect.free || wasFree;
      return { effect, isFree, rateLimit: wasFree ? this.#rateLimit(admitted, true) : rateLimit, result };
    } catch (error) {
      await tx.abandon();
      if (isDefiniteFailure(error)) this.#run.commitMayFollow = false;
      if (isRetryable(error) || sqlState(error) === ADMITTED_BEFORE_REBUILD) return error as Error;
      throw error;
    }
  }

  /** What tells only afterwards whether it was free refuses by itself, at its end. */
  #isExhausted(effect: Effect<object>, { reserved }: Admitted): boolean {
    return this.#op.counter !== null && !this.#op.alwaysFree && !effect.free && !effect.wasFree && !reserved;
  }

  /**
   * Nothing is left for this write: it is carried out as its preview would be, so that whatever else refuses it, a broken
   * constraint too, is answered first (docs/errors#order-of-refusals).
   */
  async #refuseLast(tx: Transaction, effect: Effect<object>, admitted: Admitted): Promise<never> {
    const record = this.#record({ ...admitted, reserved: true }, effect, effect.facts, true);
    await this.#end(tx, effect, record, 'ROLLBACK');
    throw new Refusal('rate_limited');
  }

  /** Sends the effect, its record and COMMIT in one flush. A write of a single statement is sent in a batch with others. */
  async #finish(
    tx: Transaction,
    effect: Effect<object>,
    record: string,
    key: string | undefined,
  ): Promise<WriteResult> {
    this.#run.commitMayFollow = !this.#isPreview;
    if (tx.started || this.#isPreview) return this.#end(tx, effect, record, this.#isPreview ? 'ROLLBACK' : 'COMMIT');
    const { statement } = effect.change ?? NO_CHANGE;
    const { db } = this.#run.kernel;
    const { caller, nonce } = this.#signed;
    // Without a key it waits for no other write, and has its place in a batch by its agent.
    const ownKey = key ?? `${caller.agentId} ${nonce}`;
    return this.#run.statements.time(statement.name, () => db.write(statement, record, ownKey));
  }

  async #end(
    tx: Transaction,
    { change }: Effect<object>,
    record: string,
    end: 'COMMIT' | 'ROLLBACK',
  ): Promise<WriteResult> {
    const { statement } = change ?? NO_CHANGE;
    const opening = tx.started ? undefined : ENTER_WRITE;
    return this.#run.statements.time(statement.name, () => tx.finish(statement, record, end), opening);
  }

  async #settled({ effect, isFree, rateLimit, result }: Committed, admitted: Admitted): Promise<Answer> {
    const outcome = this.#isPreview ? undefined : await this.#outcome(effect);
    const output = outcome?.body ?? effect.present(result.answer, result.extra);
    const status = this.#isPreview ? 200 : (outcome?.status ?? effect.status ?? this.#op.status);
    if (this.#run.kernel.checkOutputs) requireDeclared(this.#declared, status);
    if (!rateLimit) return { status, body: output };
    this.#showRateLimit(rateLimit);
    if (this.#isPreview) {
      const allowance = this.#run.kernel.gate.rateLimit(rateLimit.name, admitted.counter, this.#run.now);
      return { status, body: Object.assign({}, output, { rateLimit, allowance }) };
    }
    if (isFree) await this.#refund(rateLimit.name, admitted.reserved);
    return { status, body: Object.assign({}, output, { rateLimit }) };
  }

  /** What came of a committed write. That it cannot be seen changes nothing about the write, so it is only reported. */
  async #outcome(effect: Effect<object>): Promise<Answer | undefined> {
    const { kernel, request } = this.#run;
    return effect.awaitOutcome?.(this.#run.statements.watch(kernel.db), kernel.stopping).catch((error: unknown) => {
      kernel.onFault(error, request.requestId);
      return undefined;
    });
  }

  /** The write as it is sent. */
  #record(admitted: Admitted, effect: Effect<object>, receipt: Facts, isPreview: boolean): string {
    const { caller, nonce, signedAtMs, keyEpoch } = this.#signed;
    const op = this.#op;
    const facts = {
      op,
      agentId: caller.agentId,
      nonce,
      signedAt: toTimestamp(signedAtMs),
      counter: op.alwaysFree || effect.free ? null : op.counter,
      isReserved: admitted.reserved,
      isPreview,
      receipt,
      rateLimitIfFree: effect.wasFree ? this.#rateLimit(admitted, true) : undefined,
      fence: admitted.fence,
      keyEpoch,
      laterKey: laterKey(this.#signed),
    };
    return recordOf(this.#run, facts, effect, op.log === 'no-leaf' || isPreview ? undefined : this.#signed);
  }

  /** The counter as it is after the act. */
  #rateLimit({ counter, reserved }: Admitted, isFree = false): RateLimit | undefined {
    const { kernel, now } = this.#run;
    const { alwaysFree, counter: name } = this.#op;
    if (!name) return undefined;
    const before = reserved && this.#reserves ? counter.used - 1 : counter.used;
    const used = alwaysFree || isFree ? before : before + 1;
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
   * The refusal in the order of docs/errors#order-of-refusals: a key that was replaced, a replay that Redis had forgotten and a
   * suspension go before whatever else was found. They are asked for only here, so that accepted writes do not pay for the question.
   */
  async #refusal(error: unknown, input: object, admitted: Admitted | undefined): Promise<unknown> {
    const mapped = refusalOfFailure(this.#op, error);
    if (!(mapped instanceof Refusal) || mapped.token === 'unavailable' || mapped.token === 'unauthorized') {
      return mapped;
    }
    const { caller, nonce } = this.#signed;
    const [facts, cause] = await Promise.all([
      this.#run.kernel.directory.refusalFacts(caller.agentId, nonce),
      this.#causeOf(mapped, input),
    ]);
    if (facts.laterKey !== laterKey(this.#signed)) return unauthorized('signed with a key that was replaced');
    if (facts.replayed && !this.#isPreview) return unauthorized('replayed');
    if (facts.suspended) return forbidden('suspended or frozen');
    const isAllowance = mapped.token === 'rate_limited' && mapped.details.retryAfterSeconds === undefined;
    if (isAllowance && admitted) return this.#limited();
    return cause === undefined ? mapped : new Refusal(mapped.token, { ...mapped.details, reason: cause });
  }

  /** Asked beside the facts, for every `not_found` alike, so that it makes no answer later than another. */
  async #causeOf({ token }: Refusal, input: object): Promise<string | undefined> {
    if (token !== 'not_found' || input instanceof Refusal) return undefined;
    const { kernel } = this.#run;
    // The refusal stands, whatever the log comes to know of it.
    return this.#op.whyNotFound?.(this.#run.context(kernel.db), input).catch(() => undefined);
  }

  /** Nothing left: when there will be, and the figures. */
  async #limited(): Promise<Refusal> {
    const { kernel, now } = this.#run;
    const rateLimit = await kernel.gate.exhausted(this.#signed.caller.agentId, this.#op.counter!, now);
    this.#showRateLimit(rateLimit);
    return new Refusal('rate_limited', {
      // Nothing that is charged will ever come back.
      retryAfterSeconds: rateLimit.limit === 0 ? WINDOW_SECONDS : (Date.parse(rateLimit.resetAt) - now) / 1_000,
      reason: 'nothing left of the allowance',
    });
  }
}

/** In tests: the documentation knows of every status that a write answers. */
function requireDeclared(op: Operation, answered: number): void {
  const declared: readonly number[] = [op.status, ...otherStatusesOf(op)];
  if (!declared.includes(answered)) throw new Error(`${op.name} answered ${answered}`);
}
