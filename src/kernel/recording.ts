import { randomBytes } from 'node:crypto';
import { commitmentTo, evidenceText, SALT_BYTES } from '../formats/logFormat.ts';
import { toTimestamp } from '../platform/codec/rfc3339.ts';
import { eventValues, type NewEvent } from '../platform/events.ts';
import { SESSION_SETTINGS } from '../platform/postgres/session.ts';
import { WRITE_DEADLINE_MS } from '../platform/redis/admission.ts';
import { type Recording, recordingValues } from './effect.ts';
import type { Effect, EffectAnswer, Facts, UnsignedWriteOperation, WriteOperation } from './operation.ts';
import type { Proof, Run } from './run.ts';

/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
export const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;
/** Then it has ended, or is one that the database turns away; the rest is left for its commit. */
const LAST_RECORD_MS = LAST_FLUSH_MS + SESSION_SETTINGS.statement_timeout;

/** A row of `record_write`. */
export interface Recorded {
  readonly answer: EffectAnswer;
}

/** What a write, signed in its headers or not, tells of itself; `receipt` is what rebuilds its answer. */
interface Told
  extends Pick<
    Recording,
    'nonce' | 'signedAt' | 'counter' | 'isReserved' | 'isPreview' | 'rateLimitIfFree' | 'fence' | 'keyEpoch'
  > {
  readonly op: WriteOperation | UnsignedWriteOperation;
  readonly agentId: string;
  readonly receipt: Facts;
}

/**
 * What `enter_write` checks and `record_write` stores, and then the values of the effect. Without a proof no evidence is
 * kept; a preview has no events.
 */
export function recordingOf(
  run: Run,
  { op, receipt, ...told }: Told,
  effect: Effect<object>,
  proof: Proof | undefined,
): unknown[] {
  const values = recordingValues({
    ...told,
    ...timesOf(run),
    operation: op.name,
    status: effect.status ?? op.status,
    facts: JSON.stringify(receipt),
    ...(proof ? evidence(run, op.name, told.agentId, proof, effect.facts) : NO_EVIDENCE),
    ...eventColumns(told.isPreview ? [] : effect.events),
    ...originColumns(run),
  });
  return effect.values ? values.concat(effect.values) : values;
}

const NO_EVIDENCE = {
  salt: null,
  signedText: null,
  signature: null,
  body: null,
  evident: null,
  commitment: null,
  publicKey: null,
};

/**
 * Who wrote what, for whoever trusts nobody: the very text and bytes that were signed, what became of them, and what the
 * log will show of it (docs/log#leaves).
 */
function evidence({ now, request }: Run, operation: string, agentId: string, proof: Proof, facts: Facts) {
  const { signedText, signature, publicKey, keyEpoch } = proof;
  const { body } = request.credentials;
  const salt = randomBytes(SALT_BYTES);
  const acceptedAt = toTimestamp(now);
  const text = { acceptedAt, agentId, body: body.toString(), facts, operation, publicKey, signature, signedText };
  const commitment = commitmentTo(salt, evidenceText(text));
  return {
    salt,
    signedText,
    signature,
    body,
    evident: JSON.stringify(facts),
    commitment,
    publicKey: keyEpoch === 0 ? null : publicKey,
  };
}

function eventColumns(events: readonly NewEvent[] = []) {
  const [kinds, subjects, communities, hidden, recipients] = eventValues(events);
  return { kinds, subjects, communities, hidden, recipients };
}

/** When it is accepted, and by when it is recorded or never will be: that by the database's own time. */
const timesOf = ({ now, kernel }: Run) => ({
  at: toTimestamp(now),
  deadline: toTimestamp(now - kernel.clock.aheadMs + LAST_RECORD_MS),
});

const originColumns = ({ request: { requestId, traceId } }: Run) => ({ requestId, traceId: traceId ?? null });
