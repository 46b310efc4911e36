import { setTimeout as sleep } from 'node:timers/promises';
import { invalid, notFound, Refusal } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { readPage } from '../../operation/paging.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { FIXTURE, FIXTURE_HASH } from './fixture.ts';
import { estimateTask } from './prompts.ts';
import { type Progress, receiptSigner } from './receipts.ts';
import { ADMISSION, EXTRA_COUNT_REQUEST_LIMIT, INFERENCE_ATTEMPT_LIMIT, MAX_SECONDS, utcDay } from './rules.ts';
import type {
  Grant,
  GrantInput,
  GrantReceipt,
  Ledger,
  LedgerInput,
  MeterConfiguration,
  MeterOverview,
  ProbeInput,
  ProbeReceipt,
  SignedReceipt,
} from './schemas.ts';
import {
  GRANT_METER,
  grantOfDay,
  REQUEST_RUN,
  type ReceiptRow,
  receiptLedger,
  receiptOfDay,
  receiptOfRun,
  receiptOverview,
} from './store.ts';

const DEFAULT_PAGE = 20;
const FIRST_POLL_MS = 50;
const LAST_POLL_MS = 400;

export async function meterConfiguration({ config: { meter } }: Context): Promise<MeterConfiguration> {
  return {
    enabled: meter.enabled,
    model: meter.model,
    fixture: FIXTURE,
    fixtureHash: FIXTURE_HASH,
    admission: ADMISSION,
    inferenceAttemptLimit: INFERENCE_ATTEMPT_LIMIT,
    extraCountRequestLimit: EXTRA_COUNT_REQUEST_LIMIT,
    receiptSigningPublicKey: receiptSigner(meter.receiptSigningKey)?.publicKey ?? null,
  };
}

const presentReceipt = ({ mintedAt: _, ...receipt }: ReceiptRow): SignedReceipt => receipt;

function requireReceipt(row: ReceiptRow | undefined): SignedReceipt {
  if (!row) throw notFound();
  return presentReceipt(row);
}

/**
 * Returns the receipt of a day if only `agentId` and `day` are given, else a page of the ledger (docs/meter#receipts).
 */
export async function readReceipts(ctx: Context, input: LedgerInput): Promise<SignedReceipt | Ledger> {
  const { agentId, day, since, until, limit, cursor } = input;
  const isLedger = [since, until, limit, cursor].some((argument) => argument !== undefined);
  if (agentId === undefined || day === undefined || isLedger) return ledger(ctx, input);
  return requireReceipt(await receiptOfDay(ctx.db, agentId, day));
}

async function ledger(ctx: Context, input: LedgerInput): Promise<Ledger> {
  const { agentId = null, day = null, since = 0, until = MAX_SECONDS, limit = DEFAULT_PAGE } = input;
  const { rows, nextCursor } = await readPage(
    ctx,
    { ...input, limit },
    ['meter.receipts', agentId, day, since, until],
    (position, count) => receiptLedger(ctx.db, { agentId, day, since, until }, position, count),
    ({ mintedAt, runId }) => ({ at: mintedAt.getTime(), runId: runId! }),
  );
  return { results: rows.map(presentReceipt), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** Returns the receipt of one run; `not_found` also during the run. */
export async function readRun(ctx: Context, runId: string): Promise<SignedReceipt> {
  return requireReceipt(await receiptOfRun(ctx.db, runId));
}

/** Consumes the grant and requests the run in one transaction (docs/meter). 202 if METER_WAIT_SECONDS pass first. */
export async function requestProbe(ctx: SignedContext, { day, task }: ProbeInput): Promise<Effect<ProbeReceipt>> {
  const { meter } = requireEnabled(ctx).config;
  requireToday(ctx, day);
  const runId = ctx.newId('mrun_');
  const progress: Progress = { estimatedTokens: estimateTask(task, runId), countRequest: null, attempts: [] };
  return {
    change: REQUEST_RUN({
      run_id: runId,
      agent_id: ctx.caller.agentId,
      day,
      task,
      model: meter.model,
      fixture_hash: FIXTURE_HASH,
      progress: JSON.stringify(progress),
    }),
    facts: { runId },
    events: [{ kind: 'meter.probe', subject: runId }],
    status: 202,
    present: () => probeReceipt(runId),
    awaitOutcome: async (reads, stopping) => {
      const until = AbortSignal.any([stopping, AbortSignal.timeout(meter.waitSeconds * 1_000)]);
      const found = await awaitReceipt(reads, runId, until);
      return found && { status: 201, body: probeReceipt(runId, found) };
    },
  };
}

/** Polls for a receipt, a last time when `until` is aborted. */
async function awaitReceipt(reads: Db, runId: string, until: AbortSignal): Promise<ReceiptRow | undefined> {
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 1.5, LAST_POLL_MS)) {
    await sleep(waitMs, undefined, { signal: until }).catch(() => undefined);
    const row = await receiptOfRun(reads, runId);
    if (row || until.aborted) return row;
  }
}

export async function rebuildProbeReceipt(ctx: Context, { runId }: Facts): Promise<ProbeReceipt> {
  return probeReceipt(String(runId), await receiptOfRun(ctx.db, String(runId)));
}

const probeReceipt = (runId: string, row?: ReceiptRow): ProbeReceipt => ({
  ...(row && presentReceipt(row)),
  runId,
  links: { self: `/v1/meter/receipts/${runId}`, meter: '/v1/meter' },
});

export async function grantProbe(ctx: SignedContext, input: GrantInput): Promise<Effect<GrantReceipt>> {
  const { meter } = requireEnabled(ctx).config;
  const { agentId, day, tokenAllowance, model, fixtureHash } = input;
  requireToday(ctx, day);
  if (model !== meter.model) throw invalid('model');
  if (fixtureHash !== FIXTURE_HASH) throw invalid('fixtureHash');
  const at = new Date(ctx.now);
  return {
    change: GRANT_METER({
      agent_id: agentId,
      day,
      token_allowance: tokenAllowance,
      model,
      fixture_hash: fixtureHash,
      daily_tokens: meter.dailyTokens,
      at,
    }),
    facts: { agentId, day },
    present: () => grantReceipt({ ...input, grantedAt: at.toISOString() }),
  };
}

export async function rebuildGrantReceipt(ctx: Context, { agentId, day }: Facts): Promise<GrantReceipt> {
  const row = await grantOfDay(ctx.db, String(agentId), String(day));
  if (!row) throw notFound();
  return grantReceipt({ ...row, grantedAt: row.grantedAt.toISOString() });
}

const grantReceipt = (grant: Grant): GrantReceipt => ({
  grant,
  links: { meter: '/v1/meter', receipts: `/v1/meter/receipts?agentId=${grant.agentId}` },
});

function requireEnabled<C extends Context>(ctx: C): C {
  if (!ctx.config.meter.enabled) throw new Refusal('meter_disabled');
  return ctx;
}

function requireToday(ctx: Context, day: string): void {
  if (day !== utcDay(ctx.now)) throw invalid('day');
}

/** Returns the meter figures of an agent (docs/agents#dossier); zeros while the meter is off. */
export async function meterOverview(ctx: Context, agentId: string): Promise<MeterOverview> {
  if (!ctx.config.meter.enabled) return { receiptCount: 0, latestRunId: null };
  return (await receiptOverview(ctx.db, agentId))!;
}
