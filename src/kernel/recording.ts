import { randomBytes } from 'node:crypto';
import { toTimestamp } from '../platform/codec/rfc3339.ts';
import { eventValues } from '../platform/events.ts';
import { SESSION_SETTINGS } from '../platform/postgres/session.ts';
import { WRITE_DEADLINE_MS } from '../platform/redis/admission.ts';
import { commitmentTo, evidenceText, SALT_BYTES } from '../protocol/logFormat.ts';
import type { Effect, EffectAnswer, Facts, UnsignedWriteOperation, WriteOperation } from './operation.ts';
import { laterKey, type Recording, recordingValues } from './recordingValues.ts';
import type { Proof, Run } from './run.ts';

/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
export const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;
/** Then it has ended, or is one that the database turns away; the rest is left for its commit. */
const LAST_RECORD_MS = LAST_FLUSH_MS + SESSION_SETTINGS.statement_timeout;

const SALTS_DRAWN = 256;

/** A row of `record_write`. */
export interface Recorded {
  readonly answer: EffectAnswer;
  /** Of an effect with an `ExtraQuery`. */
  readonly extra?: Facts | null;
}

/** What a write, signed in its headers or not, tells of itself; `receipt` is what rebuilds its answer. */
interface Told
  extends Pick<
    Recording,
    | 'nonce'
    | 'signedAt'
    | 'counter'
    | 'isReserved'
    | 'isPreview'
    | 'rateLimitIfFree'
    | 'fence'
    | 'keyEpoch'
    | 'laterKey'
  > {
  readonly op: WriteOperation | UnsignedWriteOperation;
  readonly agentId: string;
  readonly receipt: Facts;
}

/**
 * What `enter_write` checks and `record_write` stores, and then the values of the effect. Without a proof, and of what changes
 * nothing, no evidence is kept; a preview has no events. Written name by name: putting objects of so many properties together
 * costs 20 µs a write.
 */
export function recordingOf(run: Run, told: Told, effect: Effect<object>, proof: Proof | undefined): unknown[] {
  const { op, agentId, isPreview } = told;
  const { now, kernel, request } = run;
  const at = toTimestamp(now);
  const { body } = request.credentials;
  const kept =
    proof && !effect.free
      ? evidence({ acceptedAt: at, agentId, operation: op.name, body, facts: effect.facts }, proof)
      : NO_EVIDENCE;
  const [kinds, subjects, communities, hidden, recipients] = eventValues(isPreview ? [] : (effect.events ?? []));
  const values = recordingValues({
    agentId,
    nonce: told.nonce,
    signedAt: told.signedAt,
    at,
    // By when it is recorded or never will be: that by the database's own time.
    deadline: toTimestamp(now - kernel.clock.aheadMs + LAST_RECORD_MS),
    operation: op.name,
    counter: told.counter,
    isReserved: told.isReserved,
    status: effect.status ?? op.status,
    isPreview,
    facts: JSON.stringify(told.receipt),
    rateLimitIfFree: told.rateLimitIfFree,
    salt: kept.salt,
    signedText: kept.signedText,
    signature: kept.signature,
    body: kept.body,
    evident: kept.evident,
    commitment: kept.commitment,
    publicKey: kept.publicKey,
    kinds,
    subjects,
    communities,
    hidden,
    recipients,
    requestId: request.requestId,
    traceId: request.traceId ?? null,
    fence: told.fence,
    keyEpoch: told.keyEpoch,
    laterKey: told.laterKey,
  });
  return effect.values ? values.concat(effect.values) : values;
}

/** The values of a write that nobody signed, or that changed nothing. */
export const NO_EVIDENCE = {
  salt: null,
  signedText: null,
  signature: null,
  body: null,
  evident: null,
  commitment: null,
  publicKey: null,
};

/** What was written, and became of it. */
interface Written {
  /** RFC 3339. */
  readonly acceptedAt: string;
  readonly agentId: string;
  readonly operation: string;
  readonly body: Buffer;
  readonly facts: Facts;
}

/**
 * Who wrote what, for whoever trusts nobody: the very text and bytes that were signed, what became of them, and what the
 * log will show of it (docs/log#leaves).
 */
export function evidence(written: Written, proof: Proof) {
  const { acceptedAt, agentId, operation, body, facts } = written;
  const { signedText, signature, publicKey } = proof;
  const salt = newSalt();
  const text = { acceptedAt, agentId, body: body.toString(), facts, operation, publicKey, signature, signedText };
  const commitment = commitmentTo(salt, evidenceText(text));
  return {
    salt,
    signedText,
    signature,
    body,
    evident: JSON.stringify(facts),
    commitment,
    publicKey: laterKey(proof),
  };
}

let salts = Buffer.alloc(0);

/** Salts are drawn many at a time, and each is given away once. */
function newSalt(): Buffer {
  if (salts.length === 0) salts = randomBytes(SALTS_DRAWN * SALT_BYTES);
  const salt = salts.subarray(0, SALT_BYTES);
  salts = salts.subarray(SALT_BYTES);
  return salt;
}
