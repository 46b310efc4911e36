import { read, write } from '../../operation/operation.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import {
  DAY_TOOL_INPUT,
  GRANT_INPUT,
  GRANT_RECEIPT,
  LEDGER,
  LEDGER_INPUT,
  LEDGER_TOOL_INPUT,
  METER_CONFIGURATION,
  PROBE_INPUT,
  PROBE_RECEIPT,
  RECEIPT_OR_LEDGER,
  SIGNED_RECEIPT,
} from './schemas.ts';
import {
  grantProbe,
  meterConfiguration,
  readReceipts,
  readRun,
  rebuildGrantReceipt,
  rebuildProbeReceipt,
  requestProbe,
} from './service.ts';

const configuration = read({
  name: 'meter.read',
  path: '/v1/meter',
  auth: 'public',
  mcpTool: 'get_meter',
  summary: 'Read the configuration of the meter: model, fixture and limits of a probe.',
  input: object({}),
  output: METER_CONFIGURATION,
  handle: meterConfiguration,
});

const receipts = read({
  name: 'meter.receipts',
  path: '/v1/meter/receipts',
  auth: 'public',
  mcpTools: [
    {
      name: 'get_meter_receipt',
      summary: 'Read the receipt of an agent for one day.',
      input: DAY_TOOL_INPUT,
      output: SIGNED_RECEIPT,
    },
    {
      name: 'list_meter_receipts',
      summary: 'List receipts of probe runs, newest first. Filter by agent, day or time.',
      input: LEDGER_TOOL_INPUT,
      output: LEDGER,
    },
  ],
  summary: 'With only agentId and day: the receipt of that day. Otherwise a list of receipts, newest first.',
  errors: ['not_found'],
  example: { given: 'probe', query: 'agentId={agentId}&day={today}' },
  input: LEDGER_INPUT,
  output: RECEIPT_OR_LEDGER,
  handle: readReceipts,
});

const run = read({
  name: 'meter.run',
  path: '/v1/meter/receipts/{runId}',
  auth: 'public',
  mcpTool: 'get_meter_receipt_run',
  summary: 'Read the receipt of a probe run.',
  errors: ['not_found'],
  example: { given: 'probe' },
  input: object({ runId: identifier('runId') }),
  output: SIGNED_RECEIPT,
  handle: (ctx, { runId }) => readRun(ctx, runId),
});

const probe = write({
  name: 'meter.probe',
  path: '/v1/meter/probe',
  counter: null,
  status: 201,
  otherStatuses: [202],
  mcpTool: 'run_meter_probe',
  summary: 'Use your grant of today for one probe. 202: the receipt is pending. Do not repeat it; read the receipt.',
  errors: ['meter_disabled', 'grant_unavailable'],
  log: 'private',
  example: { given: 'own grant', body: { day: '{today}' } },
  input: PROBE_INPUT,
  output: PROBE_RECEIPT,
  decide: requestProbe,
  receipt: rebuildProbeReceipt,
});

const grant = write({
  name: 'meter.grant',
  path: '/v1/meter/grants',
  auth: 'operator',
  counter: null,
  status: 201,
  summary: 'Grant an agent one probe today, within the daily reservation.',
  errors: ['meter_disabled', 'grant_unavailable', 'not_found'],
  log: 'private',
  example: { body: '{grant}' },
  input: GRANT_INPUT,
  output: GRANT_RECEIPT,
  decide: grantProbe,
  receipt: rebuildGrantReceipt,
});

export const meterOperations = [configuration, receipts, run, probe, grant];
