import { read, write } from '../../kernel/operation.ts';
import { cursorInput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, links, natural, optional, timestamp } from '../../kernel/schemas.ts';
import type { Grant, SignedReceipt } from './present.ts';
import { type Attempt, type Call, RECEIPT_FORMAT, type Receipt } from './receipts.ts';
import { ADMISSION, DAY, isDay, MAX_TOKEN_ALLOWANCE, TASKS } from './rules.ts';
import {
  type GrantInput,
  type GrantReceipt,
  grantProbe,
  type Ledger,
  type LedgerInput,
  MAX_SECONDS,
  type MeterConfiguration,
  meterConfiguration,
  type ProbeInput,
  type ProbeReceipt,
  readReceipts,
  readRun,
  rebuildGrantReceipt,
  rebuildProbeReceipt,
  requestProbe,
} from './service.ts';

const MAX_PAGE = 30;

/** A day of the calendar, `2026-01-02`. */
const day = () =>
  Joi.string()
    .pattern(DAY)
    .custom((text: string, helpers) => (isDay(text) ? text : helpers.error('any.invalid')));
const seconds = () => Joi.number().integer().min(0).max(MAX_SECONDS).optional();
const fixtureHash = () => Joi.string().pattern(/^[0-9a-f]{64}$/);

const CALL_KEYS = {
  usage: Joi.object().allow(null),
  startedAt: timestamp(),
  finishedAt: timestamp().allow(null),
  error: Joi.object({
    reason: Joi.string().valid('timeout', 'connection', 'status', 'answer', 'interrupted').required(),
    status: natural().optional(),
  }).optional(),
};

const RECEIPT = closed<Receipt>({
  format: Joi.string().valid(RECEIPT_FORMAT) as never,
  runId: identifier('runId'),
  agentId: identifier('agentId'),
  day: day(),
  task: Joi.string().valid(...TASKS),
  model: Joi.string(),
  fixtureHash: fixtureHash(),
  tokenAllowance: natural(),
  estimatedTokens: natural(),
  status: Joi.string().valid('completed', 'refused', 'failed', 'uncertain'),
  attempts: Joi.array().items(closed<Attempt>({ ordinal: natural(), ...CALL_KEYS } as never)),
  countRequest: closed<Call>(CALL_KEYS as never).allow(null),
  independentVerification: Joi.boolean(),
  mintedAt: timestamp(),
});

/** Receipts that are older than run ids have no shape that is promised. */
const SIGNED_RECEIPT_KEYS = {
  agentId: identifier('agentId'),
  day: day(),
  runId: identifier('runId').allow(null),
  receiptSignature: Joi.string().allow(null),
  receiptSigningPublicKey: Joi.string().allow(null),
  receipt: Joi.alternatives(RECEIPT, Joi.object()) as never,
};
const SIGNED_RECEIPT = closed<SignedReceipt>(SIGNED_RECEIPT_KEYS);

const configuration = read({
  name: 'meter.read',
  method: 'GET',
  path: '/v1/meter',
  auth: 'public',
  mcpTool: 'get_meter',
  summary: 'Whether probes can be made, with which model and fixture, and what one of them may send.',
  input: closed<object>({}),
  output: closed<MeterConfiguration>({
    enabled: Joi.boolean(),
    model: Joi.string(),
    fixture: Joi.string(),
    fixtureHash: fixtureHash(),
    admission: Joi.string().valid(ADMISSION) as never,
    inferenceAttemptLimit: natural(),
    extraCountRequestLimit: natural(),
    receiptSigningPublicKey: Joi.string().allow(null),
  }),
  handle: meterConfiguration,
});

const LEDGER_KEYS = {
  agentId: identifier('agentId').optional(),
  day: day().optional(),
  since: seconds(),
  until: seconds(),
  cursor: cursorInput(),
};
const limit = () => Joi.number().integer().min(1).max(MAX_PAGE);
const LEDGER = closed<Ledger>({ results: Joi.array().items(SIGNED_RECEIPT), nextCursor: Joi.string().optional() });

const receipts = read({
  name: 'meter.receipts',
  method: 'GET',
  path: '/v1/meter/receipts',
  auth: 'public',
  mcpTools: [
    {
      name: 'get_meter_receipt',
      summary: 'The receipt of one agent for one day.',
      input: closed<{ agentId: string; day: string }>({ agentId: identifier('agentId'), day: day() }),
      output: SIGNED_RECEIPT,
    },
    {
      name: 'list_meter_receipts',
      summary: 'Receipts of probe runs, newest first, by agent, day or mint time.',
      // A limit that is always there makes this the ledger read, whatever the filters.
      input: closed<LedgerInput>({ ...LEDGER_KEYS, limit: limit().default(20).optional() }),
      output: LEDGER,
    },
  ],
  summary: 'agentId and day alone: the receipt of that day. Otherwise the ledger of receipts, newest first.',
  errors: ['not_found'],
  input: closed<LedgerInput>({ ...LEDGER_KEYS, limit: limit().optional() }),
  output: Joi.object<SignedReceipt | Ledger>({
    ...SIGNED_RECEIPT_KEYS,
    results: Joi.array().items(SIGNED_RECEIPT),
    nextCursor: Joi.string(),
  }).xor('receipt', 'results'),
  handle: readReceipts,
});

const run = read({
  name: 'meter.run',
  method: 'GET',
  path: '/v1/meter/receipts/{runId}',
  auth: 'public',
  mcpTool: 'get_meter_receipt_run',
  summary: 'The receipt of one probe run, once there is one.',
  errors: ['not_found'],
  input: closed<{ runId: string }>({ runId: identifier('runId') }),
  output: SIGNED_RECEIPT,
  handle: (ctx, { runId }) => readRun(ctx, runId),
});

const probe = write({
  name: 'meter.probe',
  method: 'POST',
  path: '/v1/meter/probe',
  auth: 'signed',
  counter: null,
  status: 201,
  mcpTool: 'run_meter_probe',
  summary:
    'Spend your grant of today on one probe; 202 when its receipt takes longer. Never repeat it: read the receipt.',
  errors: ['meter_disabled', 'grant_unavailable'],
  input: closed<ProbeInput>({
    day: day(),
    task: optional(
      Joi.string()
        .valid(...TASKS)
        .default(TASKS[0]),
    ),
  }),
  output: Joi.object<ProbeReceipt>({
    ...SIGNED_RECEIPT_KEYS,
    runId: identifier('runId').required(),
    links: links('self', 'meter'),
  }),
  decide: requestProbe,
  receipt: rebuildProbeReceipt,
});

const grant = write({
  name: 'meter.grant',
  method: 'POST',
  path: '/v1/meter/grants',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Admit an agent to one probe today, within the daily reservation.',
  errors: ['meter_disabled', 'grant_unavailable', 'not_found'],
  input: closed<GrantInput>({
    agentId: identifier('agentId'),
    day: day(),
    tokenAllowance: natural().min(1).max(MAX_TOKEN_ALLOWANCE),
    model: Joi.string().min(1).max(128),
    fixtureHash: fixtureHash(),
  }),
  output: closed<GrantReceipt>({
    grant: closed<Grant>({
      agentId: identifier('agentId'),
      day: day(),
      tokenAllowance: natural(),
      model: Joi.string(),
      fixtureHash: fixtureHash(),
      grantedAt: timestamp(),
    }),
    links: links('meter', 'receipts'),
  }),
  decide: grantProbe,
  receipt: rebuildGrantReceipt,
});

export const meterOperations = [configuration, receipts, run, probe, grant];
