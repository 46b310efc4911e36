import { cursorInput } from '../../kernel/paging.ts';
import { identifier, Joi, links, natural, timestamp } from '../../kernel/schemas.ts';
import { either, listOf, nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { ADMISSION, DAY, isDay, MAX_SECONDS, MAX_TOKEN_ALLOWANCE, TASKS } from './rules.ts';

export const RECEIPT_FORMAT = 'svc-meter-receipt-v1';
const MAX_PAGE = 30;

/** A day of the calendar, `2026-01-02`. */
const day = () =>
  Joi.string()
    .pattern(DAY)
    .custom((text: string, helpers) => (isDay(text) ? text : helpers.error('any.invalid')));
const seconds = () => omittable(Joi.number().integer().min(0).max(MAX_SECONDS));
const fixtureHash = () => Joi.string().pattern(/^[0-9a-f]{64}$/);

/**
 * Why a call gave no counters: `timeout` and `connection` leave open whether the vendor did the work, `status` is its
 * refusal, `answer` what is no answer of the Messages API, `interrupted` a worker that died. Never a word of the vendor's.
 */
const CALL_ERROR = object({
  reason: oneOf('timeout', 'connection', 'status', 'answer', 'interrupted'),
  status: omittable(natural()),
});
export type CallError = Static<typeof CALL_ERROR>;

/** One request that was sent. */
const CALL_KEYS = {
  // The vendor's counters, verbatim. Null, and `error` there, when none came back.
  usage: nullable(Joi.object<Record<string, unknown>>()),
  startedAt: timestamp(),
  // Null when the worker died before an answer.
  finishedAt: nullable(timestamp()),
  error: omittable(CALL_ERROR),
};
const CALL = object(CALL_KEYS);
export type Call = Static<typeof CALL>;

const ATTEMPT = object({ ordinal: natural(), ...CALL_KEYS });
export type Attempt = Static<typeof ATTEMPT>;

/** What the signature covers (docs/meter). */
const RECEIPT = object({
  format: oneOf(RECEIPT_FORMAT),
  runId: identifier('runId'),
  agentId: identifier('agentId'),
  day: day(),
  task: oneOf(...TASKS),
  model: Joi.string(),
  fixtureHash: fixtureHash(),
  tokenAllowance: natural(),
  estimatedTokens: natural(),
  status: oneOf('completed', 'refused', 'failed', 'uncertain'),
  attempts: listOf(ATTEMPT),
  countRequest: nullable(CALL),
  independentVerification: Joi.boolean(),
  mintedAt: timestamp(),
});
export type Receipt = Static<typeof RECEIPT>;
/** How a run ended. */
export type Status = Receipt['status'];

/** A receipt with its signature (docs/meter). */
const SIGNED_RECEIPT_KEYS = {
  agentId: identifier('agentId'),
  day: day(),
  runId: nullable(identifier('runId')),
  receiptSignature: nullable(Joi.string()),
  receiptSigningPublicKey: nullable(Joi.string()),
  // Receipts that are older than run ids have no shape that is promised.
  receipt: either(RECEIPT, Joi.object<object>()),
};
export const SIGNED_RECEIPT = object(SIGNED_RECEIPT_KEYS);
export type SignedReceipt = Static<typeof SIGNED_RECEIPT>;

const LEDGER_KEYS = {
  agentId: omittable(identifier('agentId')),
  day: omittable(day()),
  since: seconds(),
  until: seconds(),
  cursor: cursorInput(),
};
const limit = () => Joi.number().integer().min(1).max(MAX_PAGE);
export const LEDGER_INPUT = object({ ...LEDGER_KEYS, limit: omittable(limit()) });
export type LedgerInput = Static<typeof LEDGER_INPUT>;
/** A limit that is always there makes this the ledger read, whatever the filters. */
export const LEDGER_TOOL_INPUT = object({ ...LEDGER_KEYS, limit: limit().default(20).optional() });
export const DAY_TOOL_INPUT = object({ agentId: identifier('agentId'), day: day() });

export const LEDGER = object({ results: listOf(SIGNED_RECEIPT), nextCursor: omittable(Joi.string()) });
export type Ledger = Static<typeof LEDGER>;

/** One of the two, which no single object says. */
export const RECEIPT_OR_LEDGER = Joi.object<SignedReceipt | Ledger>({
  ...SIGNED_RECEIPT_KEYS,
  results: listOf(SIGNED_RECEIPT),
  nextCursor: Joi.string(),
}).xor('receipt', 'results');

/** What the dossier says of an agent's probes (docs/agents#dossier). */
export const METER_OVERVIEW = object({ receiptCount: natural(), latestRunId: nullable(identifier('runId')) });
export type MeterOverview = Static<typeof METER_OVERVIEW>;

export const METER_CONFIGURATION = object({
  enabled: Joi.boolean(),
  model: Joi.string(),
  // The text itself, so that anybody can hash it.
  fixture: Joi.string(),
  fixtureHash: fixtureHash(),
  admission: oneOf(ADMISSION),
  inferenceAttemptLimit: natural(),
  extraCountRequestLimit: natural(),
  // What new receipts are signed with.
  receiptSigningPublicKey: nullable(Joi.string()),
});
export type MeterConfiguration = Static<typeof METER_CONFIGURATION>;

export const PROBE_INPUT = object({
  day: day(),
  task: oneOf(...TASKS)
    .default(TASKS[0])
    .optional()
    .empty(null),
});
export type ProbeInput = Static<typeof PROBE_INPUT>;

/** The receipt, or only where it will be. */
export const PROBE_RECEIPT = object({
  agentId: omittable(SIGNED_RECEIPT_KEYS.agentId),
  day: omittable(SIGNED_RECEIPT_KEYS.day),
  runId: identifier('runId'),
  receiptSignature: omittable(SIGNED_RECEIPT_KEYS.receiptSignature),
  receiptSigningPublicKey: omittable(SIGNED_RECEIPT_KEYS.receiptSigningPublicKey),
  receipt: omittable(SIGNED_RECEIPT_KEYS.receipt),
  // Always there, though what is published does not promise it.
  links: links('self', 'meter').optional(),
});
export type ProbeReceipt = Static<typeof PROBE_RECEIPT>;

export const GRANT_INPUT = object({
  agentId: identifier('agentId'),
  day: day(),
  tokenAllowance: natural().min(1).max(MAX_TOKEN_ALLOWANCE),
  model: Joi.string().min(1).max(128),
  fixtureHash: fixtureHash(),
});
export type GrantInput = Static<typeof GRANT_INPUT>;

const GRANT = object({
  agentId: identifier('agentId'),
  day: day(),
  tokenAllowance: natural(),
  model: Joi.string(),
  fixtureHash: fixtureHash(),
  grantedAt: timestamp(),
});
export type Grant = Static<typeof GRANT>;

export const GRANT_RECEIPT = object({ grant: GRANT, links: links('meter', 'receipts') });
export type GrantReceipt = Static<typeof GRANT_RECEIPT>;
