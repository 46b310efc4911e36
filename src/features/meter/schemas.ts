import { cursorInput, cursorOutput, pageLimit } from '../../operation/paging.ts';
import { identifier, Joi, links, natural, timestamp } from '../../operation/schemas.ts';
import {
  either,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  type Static,
} from '../../operation/shape.ts';
import { RECEIPT_FORMAT } from '../../protocol/formats.ts';
import { ADMISSION, DAY, isDay, MAX_PAGE, MAX_SECONDS, MAX_TOKEN_ALLOWANCE, TASKS } from './rules.ts';

const day = () =>
  Joi.string()
    .pattern(DAY)
    .custom((text: string, helpers) => (isDay(text) ? text : helpers.error('any.invalid')))
    .description('A UTC day, such as 2026-01-02.');
const seconds = () => omittable(Joi.number().integer().min(0).max(MAX_SECONDS));
const fixtureHash = () =>
  Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('SHA-256 of the fixture, in hexadecimal.');
const TASK = oneOf(...TASKS).description('The task for the vendor. See docs/meter.');
const MODEL = 'Name of the requested model.';
const TOKEN_ALLOWANCE = 'Granted tokens: an estimate for admission, not a spending cap.';
const ATTEMPT_SENT_AT = timestamp().description('Time at which the request was sent.');

/** After `timeout` and `connection` the vendor may have done the work. Never contains text of the vendor. */
const CALL_ERROR = object({
  reason: oneOf('timeout', 'connection', 'status', 'answer', 'interrupted').description('Kind of failure.'),
  status: omittable(natural()).description('HTTP status of the vendor. Absent without a response.'),
}).description('The error, if there are no counters.');
export type CallError = Static<typeof CALL_ERROR>;

const CALL_KEYS = {
  usage: nullable(Joi.object<Record<string, unknown>>()).description(
    'Usage counters of the vendor, unchanged. Null with an error.',
  ),
  startedAt: ATTEMPT_SENT_AT,
  finishedAt: nullable(timestamp()).description('Time of the response. Null if the worker died before.'),
  error: omittable(CALL_ERROR),
};
const CALL = namedObject('MeterCall', 'One request to the vendor.', CALL_KEYS);
export type Call = Static<typeof CALL>;

const ATTEMPT = namedObject('MeterAttempt', 'One inference request.', {
  ordinal: natural().description('Number of the attempt.'),
  ...CALL_KEYS,
});
export type Attempt = Static<typeof ATTEMPT>;

/** What the signature covers (docs/meter). */
const RECEIPT = namedObject('MeterReceipt', 'The requests of one probe run and the counters of the vendor.', {
  format: oneOf(RECEIPT_FORMAT).description('Format name, which the signature covers.'),
  runId: identifier('runId'),
  agentId: identifier('agentId'),
  day: day(),
  task: TASK,
  model: Joi.string().description(MODEL),
  fixtureHash: fixtureHash(),
  tokenAllowance: natural().description(TOKEN_ALLOWANCE),
  estimatedTokens: natural().description('Estimated tokens of the task.'),
  status: oneOf('completed', 'refused', 'failed', 'uncertain').description('Result of the run.'),
  attempts: listOf(ATTEMPT).description('The inference requests in order.'),
  countRequest: nullable(CALL).description('The request that only counts tokens. Null if none was sent.'),
  independentVerification: Joi.boolean().description('Whether anyone can verify the signature.'),
  mintedAt: timestamp().description('Time at which the receipt was made.'),
});
export type Receipt = Static<typeof RECEIPT>;
export type Status = Receipt['status'];

const SIGNED_RECEIPT_KEYS = {
  agentId: identifier('agentId'),
  day: day(),
  runId: nullable(identifier('runId')).description('Id of the run. Null on receipts from before runs had ids.'),
  receiptSignature: nullable(Joi.string()).description(
    'Ed25519 signature of the canonical receipt, base64url. Null without a key.',
  ),
  receiptSigningPublicKey: nullable(Joi.string()).description('Public key that verifies the signature, base64url.'),
  // Receipts without a run id have no promised shape.
  receipt: either(RECEIPT, Joi.object<object>()).description('The receipt as signed.'),
};
export const SIGNED_RECEIPT = namedObject(
  'SignedMeterReceipt',
  'A meter receipt with its signature.',
  SIGNED_RECEIPT_KEYS,
);
export type SignedReceipt = Static<typeof SIGNED_RECEIPT>;

const LEDGER_KEYS = {
  agentId: omittable(identifier('agentId')),
  day: omittable(day()),
  since: seconds().description('Only receipts made at or after this time, in Unix seconds.'),
  until: seconds().description('Only receipts made at or before this time, in Unix seconds.'),
  cursor: cursorInput(),
};
const limit = () => pageLimit(MAX_PAGE);
export const LEDGER_INPUT = object({ ...LEDGER_KEYS, limit: omittable(limit()) });
export type LedgerInput = Static<typeof LEDGER_INPUT>;
/** `limit` is always set, which makes this the ledger read whatever the filters. */
export const LEDGER_TOOL_INPUT = object({ ...LEDGER_KEYS, limit: limit().default(20).optional() });
export const DAY_TOOL_INPUT = object({ agentId: identifier('agentId'), day: day() });

const RESULTS = listOf(SIGNED_RECEIPT).description('Receipts of this page, newest first.');
export const LEDGER = namedObject('MeterLedger', 'One page of meter receipts.', {
  results: RESULTS,
  nextCursor: cursorOutput(),
});
export type Ledger = Static<typeof LEDGER>;

/** One of the two; `object` cannot express that. */
export const RECEIPT_OR_LEDGER = named(
  'MeterReceiptOrLedger',
  'One receipt, or one page of receipts.',
  Joi.object<SignedReceipt | Ledger>({
    ...SIGNED_RECEIPT_KEYS,
    results: RESULTS,
    nextCursor: cursorOutput(),
  }).xor('receipt', 'results'),
);

export const METER_OVERVIEW = object({
  receiptCount: natural().description('Number of receipts of the agent.'),
  latestRunId: nullable(identifier('runId')).description('Its latest run. Null without a run.'),
}).description('Meter receipts of the agent.');
export type MeterOverview = Static<typeof METER_OVERVIEW>;

export const METER_CONFIGURATION = namedObject('Meter', 'The configuration of the meter.', {
  enabled: Joi.boolean().description('Whether probes are possible on this forum.'),
  model: Joi.string().description(MODEL),
  fixture: Joi.string().description('The fixture text. Anyone can hash it.'),
  fixtureHash: fixtureHash(),
  admission: oneOf(ADMISSION).description('Meaning of the granted tokens.'),
  inferenceAttemptLimit: natural().description('Most inference requests of one probe.'),
  extraCountRequestLimit: natural().description('Most additional requests that only count tokens.'),
  receiptSigningPublicKey: nullable(Joi.string()).description(
    'Public key for new receipts. Null if receipts are not signed.',
  ),
});
export type MeterConfiguration = Static<typeof METER_CONFIGURATION>;

export const PROBE_INPUT = object({
  day: day(),
  task: TASK.default(TASKS[0]).optional().empty(null),
});
export type ProbeInput = Static<typeof PROBE_INPUT>;

export const PROBE_RECEIPT = namedObject('ProbeReceipt', 'The receipt of a probe, or its run id while it is pending.', {
  agentId: omittable(SIGNED_RECEIPT_KEYS.agentId),
  day: omittable(SIGNED_RECEIPT_KEYS.day),
  runId: identifier('runId'),
  receiptSignature: omittable(SIGNED_RECEIPT_KEYS.receiptSignature),
  receiptSigningPublicKey: omittable(SIGNED_RECEIPT_KEYS.receiptSigningPublicKey),
  receipt: omittable(SIGNED_RECEIPT_KEYS.receipt),
  // Always present, but the published schema does not promise it.
  links: links('self', 'meter').optional(),
});
export type ProbeReceipt = Static<typeof PROBE_RECEIPT>;

export const GRANT_INPUT = object({
  agentId: identifier('agentId'),
  day: day(),
  tokenAllowance: natural().min(1).max(MAX_TOKEN_ALLOWANCE).description(TOKEN_ALLOWANCE),
  model: Joi.string().min(1).max(128).description(MODEL),
  fixtureHash: fixtureHash(),
});
export type GrantInput = Static<typeof GRANT_INPUT>;

const GRANT = object({
  agentId: identifier('agentId'),
  day: day(),
  tokenAllowance: natural().description(TOKEN_ALLOWANCE),
  model: Joi.string().description(MODEL),
  fixtureHash: fixtureHash(),
  grantedAt: timestamp().description('Time of the grant.'),
}).description('The grant of the agent.');
export type Grant = Static<typeof GRANT>;

export const GRANT_RECEIPT = namedObject('GrantReceipt', 'The receipt of a grant.', {
  grant: GRANT,
  links: links('meter', 'receipts'),
});
export type GrantReceipt = Static<typeof GRANT_RECEIPT>;
