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
    .description('A day in UTC, as 2026-01-02.');
const seconds = () => omittable(Joi.number().integer().min(0).max(MAX_SECONDS));
const fixtureHash = () =>
  Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('SHA-256 of the fixture, in hexadecimal.');
const TASK = oneOf(...TASKS).description('What is sent to the vendor; docs/meter tells each.');
const MODEL = 'Model that the vendor is asked for.';
const TOKEN_ALLOWANCE = 'Tokens granted: an estimate for admission, no cap on what is spent.';
const ATTEMPT_SENT_AT = timestamp().description('When the request was sent.');

/** After `timeout` and `connection` the vendor may have done the work. Never contains text of the vendor. */
const CALL_ERROR = object({
  reason: oneOf('timeout', 'connection', 'status', 'answer', 'interrupted').description(
    'What went wrong, in one word.',
  ),
  status: omittable(natural()).description('HTTP status of the vendor, where it refused.'),
}).description('Why there are no counters.');
export type CallError = Static<typeof CALL_ERROR>;

const CALL_KEYS = {
  usage: nullable(Joi.object<Record<string, unknown>>()).description(
    'Counters of the vendor, word for word; null, with an error, when none came back.',
  ),
  startedAt: ATTEMPT_SENT_AT,
  finishedAt: nullable(timestamp()).description('When it was answered; null when the worker died before.'),
  error: omittable(CALL_ERROR),
};
const CALL = namedObject('MeterCall', 'One request to the vendor.', CALL_KEYS);
export type Call = Static<typeof CALL>;

const ATTEMPT = namedObject('MeterAttempt', 'One inference request.', {
  ordinal: natural().description('Its place among the attempts.'),
  ...CALL_KEYS,
});
export type Attempt = Static<typeof ATTEMPT>;

/** What the signature covers (docs/meter). */
const RECEIPT = namedObject('MeterReceipt', 'What one probe run sent, and what the vendor counted.', {
  format: oneOf(RECEIPT_FORMAT).description('The format that the signature covers.'),
  runId: identifier('runId'),
  agentId: identifier('agentId'),
  day: day(),
  task: TASK,
  model: Joi.string().description(MODEL),
  fixtureHash: fixtureHash(),
  tokenAllowance: natural().description(TOKEN_ALLOWANCE),
  estimatedTokens: natural().description('Tokens that the task was reckoned to use.'),
  status: oneOf('completed', 'refused', 'failed', 'uncertain').description('How the run ended.'),
  attempts: listOf(ATTEMPT).description('The inference requests, in their order.'),
  countRequest: nullable(CALL).description('The request that only counts tokens; null when none was sent.'),
  independentVerification: Joi.boolean().description('Whether anybody can check the signature.'),
  mintedAt: timestamp().description('When the receipt was made.'),
});
export type Receipt = Static<typeof RECEIPT>;
export type Status = Receipt['status'];

const SIGNED_RECEIPT_KEYS = {
  agentId: identifier('agentId'),
  day: day(),
  runId: nullable(identifier('runId')).description('Id of the run; null on receipts from before there were any.'),
  receiptSignature: nullable(Joi.string()).description(
    'Ed25519 over the canonical receipt, base64url; null without a key.',
  ),
  receiptSigningPublicKey: nullable(Joi.string()).description('The key that it verifies with, base64url.'),
  // Receipts without a run id have no promised shape.
  receipt: either(RECEIPT, Joi.object<object>()).description('The receipt itself, as it was signed.'),
};
export const SIGNED_RECEIPT = namedObject(
  'SignedMeterReceipt',
  'Meter receipt with its signature.',
  SIGNED_RECEIPT_KEYS,
);
export type SignedReceipt = Static<typeof SIGNED_RECEIPT>;

const LEDGER_KEYS = {
  agentId: omittable(identifier('agentId')),
  day: omittable(day()),
  since: seconds().description('Made at this time or later, unix seconds.'),
  until: seconds().description('Made at this time or earlier, unix seconds.'),
  cursor: cursorInput(),
};
const limit = () => pageLimit(MAX_PAGE);
export const LEDGER_INPUT = object({ ...LEDGER_KEYS, limit: omittable(limit()) });
export type LedgerInput = Static<typeof LEDGER_INPUT>;
/** `limit` is always set, which makes this the ledger read whatever the filters. */
export const LEDGER_TOOL_INPUT = object({ ...LEDGER_KEYS, limit: limit().default(20).optional() });
export const DAY_TOOL_INPUT = object({ agentId: identifier('agentId'), day: day() });

const RESULTS = listOf(SIGNED_RECEIPT).description('Receipts, the newest first.');
export const LEDGER = namedObject('MeterLedger', 'A page of receipts of the meter.', {
  results: RESULTS,
  nextCursor: cursorOutput(),
});
export type Ledger = Static<typeof LEDGER>;

/** One of the two; `object` cannot express that. */
export const RECEIPT_OR_LEDGER = named(
  'MeterReceiptOrLedger',
  'One receipt, or a page of them.',
  Joi.object<SignedReceipt | Ledger>({
    ...SIGNED_RECEIPT_KEYS,
    results: RESULTS,
    nextCursor: cursorOutput(),
  }).xor('receipt', 'results'),
);

export const METER_OVERVIEW = object({
  receiptCount: natural().description('How many receipts it has.'),
  latestRunId: nullable(identifier('runId')).description('Its latest run; null when there is none.'),
}).description('Receipts of the meter.');
export type MeterOverview = Static<typeof METER_OVERVIEW>;

export const METER_CONFIGURATION = namedObject('Meter', 'What the meter is set to.', {
  enabled: Joi.boolean().description('Whether probes can be made here.'),
  model: Joi.string().description(MODEL),
  fixture: Joi.string().description('The fixed text itself, so that anybody can hash it.'),
  fixtureHash: fixtureHash(),
  admission: oneOf(ADMISSION).description('What the granted tokens mean.'),
  inferenceAttemptLimit: natural().description('Inference requests of a probe at most.'),
  extraCountRequestLimit: natural().description('Requests beside them that only count.'),
  receiptSigningPublicKey: nullable(Joi.string()).description(
    'Key that new receipts are signed with; null when none is.',
  ),
});
export type MeterConfiguration = Static<typeof METER_CONFIGURATION>;

export const PROBE_INPUT = object({
  day: day(),
  task: TASK.default(TASKS[0]).optional().empty(null),
});
export type ProbeInput = Static<typeof PROBE_INPUT>;

export const PROBE_RECEIPT = namedObject('ProbeReceipt', 'The receipt of a probe, or only where it will be.', {
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
  grantedAt: timestamp().description('When it was granted.'),
}).description('What the agent may spend.');
export type Grant = Static<typeof GRANT>;

export const GRANT_RECEIPT = namedObject('GrantReceipt', 'What granting a probe answers.', {
  grant: GRANT,
  links: links('meter', 'receipts'),
});
export type GrantReceipt = Static<typeof GRANT_RECEIPT>;
