import { randomBytes } from 'node:crypto';
import type { CounterName } from '../config.ts';
import type { Effect, Facts, RateLimit, UnsignedWriteOperation, WriteOperation } from '../operation/operation.ts';
import { toTimestamp } from '../platform/codec/text.ts';
import { SESSION_SETTINGS } from '../platform/postgres/session.ts';
import { commitmentTo, evidenceText, SALT_BYTES } from '../protocol/logFormat.ts';
import { NO_CHANGE } from '../recording/effect.ts';
import { eventRow } from '../recording/events.ts';
import { WRITE_DEADLINE_MS } from './admissionStore.ts';
import type { Proof, Run } from './run.ts';

/** The last flush must start early enough for its statement to end, by its own time limit, before the deadline. */
export const LAST_FLUSH_MS = WRITE_DEADLINE_MS / 2;
/** Then it has ended, or is one that the database turns away; the rest is left for its commit. */
const LAST_RECORD_MS = LAST_FLUSH_MS + SESSION_SETTINGS.statement_timeout;

const SALTS_DRAWN = 256;

/** What the pipeline knows of a write, signed in its headers or not. */
interface WriteFacts {
  readonly op: WriteOperation | UnsignedWriteOperation;
  readonly agentId: string;
  /** Null for a write that carries its signature in its input. */
  readonly nonce: string | null;
  /** RFC 3339. */
  readonly signedAt: string | null;
  readonly counter: CounterName | null;
  readonly isReserved: boolean;
  readonly isPreview: boolean;
  /** What rebuilds the answer (docs/reconcile). */
  readonly receipt: Facts;
  readonly rateLimitIfFree: RateLimit | undefined;
  readonly fence: number;
  readonly keyEpoch: number;
  readonly laterKey: string | null;
}

/**
 * A write as JSON, in the form of `sql/write.sql`. A preview has no events. Without a proof, and for a write that changes nothing,
 * no evidence is stored.
 */
export function recordOf(run: Run, facts: WriteFacts, effect: Effect<object>, proof: Proof | undefined): string {
  const { op, agentId, isPreview } = facts;
  const { now, kernel, request } = run;
  const acceptedAt = toTimestamp(now);
  const { body } = request.credentials;
  const isProven = proof !== undefined && !effect.free;
  return JSON.stringify({
    agent_id: agentId,
    nonce: facts.nonce,
    signed_at: facts.signedAt,
    accepted_at: acceptedAt,
    // The clock of the database decides, so that a statement that arrives late fails.
    deadline: toTimestamp(now - kernel.clock.aheadMs + LAST_RECORD_MS),
    operation: op.name,
    counter: facts.counter,
    reserved: facts.isReserved,
    status: effect.status ?? op.status,
    preview: isPreview,
    facts: JSON.stringify(facts.receipt),
    rate_limit_if_free: facts.rateLimitIfFree ? JSON.stringify(facts.rateLimitIfFree) : null,
    events: isPreview ? [] : (effect.events ?? []).map(eventRow),
    request_id: request.requestId,
    trace_id: request.traceId,
    fence: facts.fence,
    key_epoch: facts.keyEpoch,
    later_key: facts.laterKey,
    effect: (effect.change ?? NO_CHANGE).values,
    ...(isProven ? evidence({ acceptedAt, agentId, operation: op.name, body, facts: effect.facts }, proof) : {}),
  });
}

/** A write and what it led to. */
interface EvidentWrite {
  /** RFC 3339. */
  readonly acceptedAt: string;
  readonly agentId: string;
  readonly operation: string;
  readonly body: Buffer;
  readonly facts: Facts;
}

/**
 * The evidence of a write, in columns of `sql/write.sql`: the signed text, the body and the signature, what the write led to, and the
 * commitment that the transparency log publishes (docs/log#leaves).
 */
export function evidence(written: EvidentWrite, proof: Proof) {
  const { acceptedAt, agentId, operation, body, facts } = written;
  const { signedText, signature, publicKey } = proof;
  const salt = newSalt();
  const text = { acceptedAt, agentId, body: body.toString(), facts, operation, publicKey, signature, signedText };
  const commitment = commitmentTo(salt, evidenceText(text));
  return {
    salt: bytea(salt),
    signed_text: signedText,
    signature,
    body: text.body,
    evident: JSON.stringify(facts),
    commitment: bytea(commitment),
    public_key: laterKey(proof),
  };
}

/**
 * The key that signed, where it is not the first key of its agent; null for the first. The write guard compares it, because a server
 * that took over without the last key change counts the next key by the same number.
 */
export const laterKey = ({ keyEpoch, publicKey }: Proof): string | null => (keyEpoch === 0 ? null : publicKey);

const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

let salts = Buffer.alloc(0);

/** Salts are drawn many at a time, and each is given away once. */
function newSalt(): Buffer {
  if (salts.length === 0) salts = randomBytes(SALTS_DRAWN * SALT_BYTES);
  const salt = salts.subarray(0, SALT_BYTES);
  salts = salts.subarray(SALT_BYTES);
  return salt;
}
