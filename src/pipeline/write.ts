import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CounterName } from '../config.ts';
import { forbidden, Refusal, refusalOfRaised, unauthorized, unavailable } from '../operation/errors.ts';
import type {
  Effect,
  PreviewOperation,
  Proof,
  RateLimit,
  UnsignedWriteOperation,
  WriteOperation,
} from '../operation/operation.ts';
import { toTimestamp } from '../platform/codec/text.ts';
import {
  databaseError,
  isDefiniteFailure,
  isRetryable,
  sql,
  sqlState,
  type WriteResult,
} from '../platform/postgres/postgres.ts';
import { SESSION_SETTINGS } from '../platform/postgres/session.ts';
import { traceText } from '../platform/tracing.ts';
import { commitmentTo, type Evidence, evidenceText, SALT_BYTES } from '../protocol/logFormat.ts';
import { NO_CHANGE } from '../recording/effect.ts';
import { eventRow } from '../recording/events.ts';
import { type Admitted, type Attempt, WRITE_DEADLINE_MS } from './admission.ts';
import type { SignedRequest } from './authenticate.ts';
import type { Run } from './run.ts';

const ENTER_WRITE = sql('write.enter', 'SELECT release.enter_write($1, $2, $3, $4)');

/** The SQLSTATE of `enter_write` for counters that were loaded again after the admission. */
const OUTDATED_FENCE = 'AFFEN';
/** When the full allowances of a young agent begin, in Unix seconds (docs/limits#young-agents). */
export const YOUNG_UNTIL_HEADER = 'x-svc-ratelimit-young-until';
const MAX_RETRY_PAUSE_MS = 200;
/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;
/** The database rejects later records. The rest of the time is left for the commit. */
const LAST_RECORD_MS = LAST_FLUSH_MS + SESSION_SETTINGS.statement_timeout;

interface SignedWrite {
  readonly run: Run;
  readonly op: WriteOperation;
  readonly signed: SignedRequest;
  readonly isPreview: boolean;
  readonly reserves: boolean;
}

interface Committed {
  readonly effect: Effect<object>;
  readonly isUnchanged: boolean;
  readonly result: WriteResult;
}

/**
 * Carries out a signed write, or rolls it back as a preview. Nonce and counter are one call to Redis. Effect, receipt
 * and COMMIT are one flush (docs/reconcile, docs/posts#receipts-and-previews).
 */
export async function writeSigned(run: Run, declared: WriteOperation | PreviewOperation) {
  const isPreview = declared.kind === 'preview';
  const op = declared.kind === 'preview' ? declared.of : declared;
  const write = { run, op, signed: run.signed!, isPreview, reserves: !isPreview && op.neverCharged !== true };
  const { admission } = run.services;
  let input: object;
  try {
    input = run.validInput(declared);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    input = error;
  }
  // A request that the schema refuses uses up its nonce, and charges no counter.
  const counter = input instanceof Refusal ? null : op.counter;
  let admitted: Admitted | undefined;
  let attempt: Attempt | undefined;
  try {
    admitted = await admit(write, counter);
    if (op.auth === 'operator') run.requireOperator();
    if (input instanceof Refusal) throw input;
    if (op.conflictsADay !== undefined) attempt = await beginAttempt(write, admitted, op.conflictsADay);
    for (let tries = 1; ; tries++) {
      const outcome = await tryOnce(write, input, admitted);
      if (!(outcome instanceof Error)) {
        if (attempt) await admission.endAttempt(attempt);
        return await respond(write, outcome, admitted);
      }
      if (performance.now() - run.startedAt > LAST_FLUSH_MS) throw unavailable('no time for another try');
      if (sqlState(outcome) === OUTDATED_FENCE) admitted = await admit(write, counter, admitted.fence);
      else await sleep(Math.random() * Math.min(10 * tries, MAX_RETRY_PAUSE_MS));
    }
  } catch (error) {
    // While the commit may still follow, the reservation remains.
    if (counter && !run.commitMayFollow && write.reserves) {
      // If Redis failed at the admission, it may have reserved all the same. The response does not wait for that
      // refund.
      if (!admitted) void refund(write, counter);
      else if (admitted.reserved) await refund(write, counter);
    }
    const refusal = await refusalOf(write, error, input, admitted);
    if (attempt && !(refusal instanceof Refusal && refusal.token === 'conflict')) await admission.endAttempt(attempt);
    throw refusal;
  }
}

/** `outdatedFence` is the fencing token of an earlier admission, if the counters were loaded again since. */
async function admit(
  { run, signed: { caller, registeredAtMs, nonce }, isPreview, reserves }: SignedWrite,
  counter: CounterName | null,
  outdatedFence?: number,
): Promise<Admitted> {
  const { agentId } = caller;
  const { requestId } = run.request;
  const use = { spend: !isPreview, reserve: reserves };
  const request = { agentId, registeredAtMs, nonce, requestId, nowMs: run.now, counter, outdatedFence, ...use };
  const admitted = await run.traced('admission', run.services.admission.admit(request));
  if (!admitted) throw unauthorized('replayed');
  return admitted;
}

const refund = ({ run, signed }: SignedWrite, counter: CounterName): Promise<void> =>
  run.services.admission.refund(signed.caller.agentId, counter, run.request.requestId);

/** Checks allowance and conflicts before any lookup, for a write whose `conflict` reveals what is taken. */
async function beginAttempt({ run, op, signed }: SignedWrite, { reserved }: Admitted, conflictsADay: number) {
  const { name: operation, counter } = op;
  if (counter !== null && !reserved) throw new Refusal('rate_limited');
  const attempt = { agentId: signed.caller.agentId, operation, requestId: run.request.requestId };
  await run.services.admission.beginAttempt(attempt, conflictsADay, run.now);
  return attempt;
}

/** Runs the write in one transaction. Returns the error if the transaction did nothing and may be tried again. */
async function tryOnce(write: SignedWrite, input: object, admitted: Admitted): Promise<Committed | Error> {
  const { run, op, signed, isPreview } = write;
  const { caller, nonce, keyEpoch } = signed;
  const { db } = run.services;
  const key = await op.waitsFor?.(input, { db: run.watch(db), callerId: caller.agentId });
  const guard = [caller.agentId, admitted.fence, keyEpoch, laterKey(signed)];
  const tx = db.transaction(ENTER_WRITE, guard, key);
  try {
    const effect = await op.decide(run.context(run.primary, { db: tx, opening: ENTER_WRITE }), input);
    if (performance.now() - run.startedAt > LAST_FLUSH_MS) throw unavailable('no time for the last flush');
    // Without an allowance the write runs and is rolled back, so that any other refusal precedes this one
    // (docs/errors#order-of-refusals). If only the statement knows whether anything changes, the statement itself
    // refuses.
    const mayCostNothing = op.counter === null || op.neverCharged || effect.unchanged || effect.wasUnchanged;
    const isExhausted = !mayCostNothing && !admitted.reserved;
    const isRolledBack = isPreview || isExhausted;
    const columns = {
      agent_id: caller.agentId,
      preview: isRolledBack,
      nonce,
      signed_at: toTimestamp(signed.signedAtMs),
      counter: op.neverCharged || effect.unchanged ? null : op.counter,
      reserved: isExhausted || admitted.reserved,
      facts: JSON.stringify(
        Object.assign({}, effect.facts, { rateLimit: rateLimitOf(write, admitted, effect.unchanged) }),
      ),
      rate_limit_if_unchanged: effect.wasUnchanged ? JSON.stringify(rateLimitOf(write, admitted, true)) : null,
      fence: admitted.fence,
      key_epoch: keyEpoch,
      later_key: laterKey(signed),
    };
    const record = recordOf(run, op, effect, columns, op.log === 'no-leaf' || isRolledBack ? undefined : signed);
    run.commitMayFollow = !isRolledBack;
    const { statement } = effect.change ?? NO_CHANGE;
    const opening = tx.started ? undefined : ENTER_WRITE;
    // A write of one statement is sent in a batch with others. Without a key it waits for no other write.
    const written =
      tx.started || isRolledBack
        ? tx.finish(statement, record, isRolledBack ? 'ROLLBACK' : 'COMMIT')
        : db.write(statement, record, key ?? `${caller.agentId} ${nonce}`);
    const timed = run.timed(statement.name, written, isRolledBack ? opening : undefined);
    const result = await (isRolledBack ? timed : run.traced('commit', timed));
    if (isExhausted) throw new Refusal('rate_limited');
    return { effect, isUnchanged: effect.unchanged || (effect.wasUnchanged?.(result.answer) ?? false), result };
  } catch (error) {
    await tx.abandon();
    if (isDefiniteFailure(error)) run.commitMayFollow = false;
    if (isRetryable(error) || sqlState(error) === OUTDATED_FENCE) return error as Error;
    throw error;
  }
}

async function respond(write: SignedWrite, { effect, isUnchanged, result }: Committed, admitted: Admitted) {
  const { run, op, isPreview } = write;
  const { services, now } = run;
  // The write is committed, whatever its outcome, so an error is only reported.
  const outcome = isPreview
    ? undefined
    : await effect.awaitOutcome?.(run.watch(services.db), services.stopping).catch((error: unknown) => {
        services.onFault(error, run.request.requestId);
        return undefined;
      });
  const output = outcome?.body ?? effect.present(result.answer, result.extra);
  const status = isPreview ? 200 : (outcome?.status ?? effect.status ?? op.status);
  const rateLimit = rateLimitOf(write, admitted, isUnchanged);
  if (!rateLimit) return { status, body: output };
  showRateLimit(write, rateLimit);
  if (isPreview) {
    const allowance = services.admission.rateLimit(rateLimit.name, admitted.counter, write.signed, now);
    return { status, body: Object.assign({}, output, { rateLimit, allowance }) };
  }
  if (isUnchanged && write.reserves && admitted.reserved) await refund(write, rateLimit.name);
  return { status, body: Object.assign({}, output, { rateLimit }) };
}

function rateLimitOf({ run, op, signed, reserves }: SignedWrite, { counter, reserved }: Admitted, isUnchanged = false) {
  if (!op.counter) return undefined;
  const before = reserved && reserves ? counter.used - 1 : counter.used;
  const used = op.neverCharged || isUnchanged ? before : before + 1;
  const oldestMs = used === 0 ? null : (counter.oldestMs ?? run.now);
  return run.services.admission.rateLimit(op.counter, { used, oldestMs }, signed, run.now);
}

function showRateLimit({ run, signed }: SignedWrite, { name, limit, remaining, resetAt }: RateLimit): void {
  const { headers, now, services } = run;
  headers['x-svc-ratelimit-name'] = name;
  headers['x-svc-ratelimit-limit'] = String(limit);
  headers['x-svc-ratelimit-remaining'] = String(remaining);
  headers['x-svc-ratelimit-reset'] = String(Math.ceil(Date.parse(resetAt) / 1_000));
  const { youngUntilMs } = services.admission.limitOf(name, signed, now);
  if (youngUntilMs !== undefined) headers[YOUNG_UNTIL_HEADER] = String(Math.ceil(youngUntilMs / 1_000));
}

/** A replaced key, a forgotten replay and a suspension precede any other refusal (docs/errors#order-of-refusals). */
async function refusalOf(write: SignedWrite, error: unknown, input: object, admitted: Admitted | undefined) {
  const { run, op, signed, isPreview } = write;
  const { directory, admission } = run.services;
  const { agentId } = signed.caller;
  const refusal = refusalOfFailure(op, error);
  if (!(refusal instanceof Refusal) || refusal.token === 'unavailable' || refusal.token === 'unauthorized') {
    return refusal;
  }
  // Every `not_found` asks for its cause in parallel to the facts, so that none takes longer than another.
  const asksCause = refusal.token === 'not_found' && !(input instanceof Refusal);
  const [facts, cause] = await Promise.all([
    directory.refusalFacts(agentId, signed.nonce),
    asksCause ? op.whyNotFound?.(run.context(), input).catch(() => undefined) : undefined,
  ]);
  if (facts.laterKey !== laterKey(signed)) return unauthorized('key replaced');
  if (facts.replayed && !isPreview) return unauthorized('replayed');
  if (facts.suspended) return forbidden('suspended or frozen');
  if (refusal.token === 'rate_limited' && refusal.details.retryAfterSeconds === undefined && admitted) {
    const rateLimit = await admission.exhausted(signed, op.counter!, run.now);
    showRateLimit(write, rateLimit);
    const retryAfterSeconds = (admission.retryAtMs(rateLimit, signed, run.now) - run.now) / 1_000;
    return new Refusal('rate_limited', { retryAfterSeconds, reason: 'allowance used up' });
  }
  return cause === undefined ? refusal : because(refusal, cause);
}

const because = ({ token, details, cause }: Refusal, reason: string | undefined): Refusal =>
  new Refusal(token, { ...details, reason }, cause);

export async function writeUnsigned(run: Run, op: UnsignedWriteOperation) {
  try {
    const effect = await op.decide(run.context(), run.validInput(op));
    const { change = NO_CHANGE, proof, status = op.status } = effect;
    // It was done before, and nothing is left to record.
    if (effect.unchanged) return { status, body: effect.present(null) };
    const record = recordOf(run, op, effect, { agent_id: proof.agentId, preview: false }, proof);
    run.commitMayFollow = true;
    // Such writes lock the same row.
    const written = run.services.db.write(change.statement, record, op.name);
    const { answer } = await run.traced('commit', run.timed(change.statement.name, written));
    return { status, body: effect.present(answer) };
  } catch (error) {
    if (isDefiniteFailure(error)) run.commitMayFollow = false;
    throw refusalOfFailure(op, error);
  }
}

/** The refusal that a failed statement stands for: a broken constraint that the operation names, or what was raised. */
function refusalOfFailure(op: WriteOperation | UnsignedWriteOperation, error: unknown): unknown {
  const failure = databaseError(error);
  if (!failure) return error;
  const refusal = op.constraints?.[failure.constraint ?? '']?.();
  return refusal ? because(refusal, failure.constraint) : (refusalOfRaised(failure) ?? error);
}

/** The columns of `recording/sql/write.sql`. Without a proof, and if nothing changes, no evidence is stored. */
function recordOf(
  run: Run,
  op: WriteOperation | UnsignedWriteOperation,
  effect: Effect<object>,
  columns: { readonly agent_id: string; readonly preview: boolean },
  proof: Proof | undefined,
): string {
  const { now, request, services } = run;
  const acceptedAt = toTimestamp(now);
  const { body } = request.credentials;
  const written = { acceptedAt, agentId: columns.agent_id, operation: op.name, facts: effect.facts };
  return JSON.stringify({
    accepted_at: acceptedAt,
    // By the clock of the database, so that a statement that arrives late fails.
    deadline: toTimestamp(now - services.clock.aheadMs + LAST_RECORD_MS),
    operation: op.name,
    status: effect.status ?? op.status,
    events: (effect.events ?? []).map(eventRow),
    request_id: request.requestId,
    // With the span below which a worker continues the trace.
    trace_id: request.span ? traceText(request.span.position) : request.traceId,
    effect: (effect.change ?? NO_CHANGE).values,
    ...columns,
    ...(proof && !effect.unchanged ? evidenceOf(proof, Object.assign(written, { body: body.toString() })) : {}),
  });
}

/** The evidence of a write, with the commitment that the transparency log publishes (docs/log#leaves). */
function evidenceOf(proof: Proof, written: Omit<Evidence, keyof Proof>) {
  const { signedText, signature, publicKey } = proof;
  const salt = randomBytes(SALT_BYTES);
  const commitment = commitmentTo(salt, evidenceText({ ...written, publicKey, signature, signedText }));
  return {
    salt: `\\x${salt.toString('hex')}`,
    signed_text: signedText,
    signature,
    body: written.body,
    evident: JSON.stringify(written.facts),
    commitment: `\\x${commitment.toString('hex')}`,
    public_key: laterKey(proof),
  };
}

/** The key that signed; null for an agent's first. After a failover a later key may have the same number. */
const laterKey = ({ keyEpoch, publicKey }: Proof): string | null => (keyEpoch === 0 ? null : publicKey);
