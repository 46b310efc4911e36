import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import { DatabaseClock } from '../../platform/postgres/clock.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { FIXTURE_HASH } from './fixture.ts';
import { Journal, RunLostError } from './journal.ts';
import { SCRIPTS } from './prompts.ts';
import { type Progress, sealReceipt } from './receipts.ts';
import { estimateFromCount, INFERENCE_ATTEMPT_LIMIT } from './rules.ts';
import type { Status } from './schemas.ts';
import { claimRun, lostRuns, mintReceipt, type RunRow } from './store.ts';
import { Vendor } from './vendor.ts';

type MeterConfig = Config['meter'];

/** How many lost runs one job ends. */
const LOST_RUNS_BATCH = 100;

/** Claims the run first, so that a job that comes twice does nothing (docs/meter). `sweepLostRuns` ends lost runs. */
export async function runProbe(db: Db, meter: MeterConfig, outboxId: string, runId: string): Promise<Status | null> {
  const run = await claimRun(db, outboxId, runId, randomUUID());
  if (!run) return null;
  const clock = new DatabaseClock(db);
  await clock.start();
  try {
    const journal = new Journal(db, run, clock);
    const status = await perform(run, meter, journal);
    const sealed = sealReceipt(run, journal.progress, status, clock.now(), meter.receiptSigningKey);
    return (await mintReceipt(db, run, sealed, { lost: false })) ? status : null;
  } catch (error) {
    if (error instanceof RunLostError) return null;
    throw error;
  } finally {
    clock.stop();
  }
}

/** Sends perhaps a count, then two inferences, each only if the request before it succeeded (docs/meter#tasks). */
async function perform(run: RunRow, meter: MeterConfig, journal: Journal): Promise<Status> {
  // Since the request the meter was switched off, or a release brought another fixture.
  if (!meter.enabled || run.fixtureHash !== FIXTURE_HASH) return 'failed';
  const vendor = await Vendor.load(meter, run.model);
  const script = SCRIPTS[run.task];
  const first = script.first(run.runId);
  if (script.counts) {
    const counted = await journal.count(() => vendor.count(first));
    if (!counted.ok) return 'failed';
    journal.progress.estimatedTokens = estimateFromCount(counted.inputTokens, INFERENCE_ATTEMPT_LIMIT);
  }
  if (journal.progress.estimatedTokens > run.tokenAllowance) return 'refused';
  const answer = await journal.attempt(() => vendor.infer(first));
  if (!answer.ok) return 'failed';
  const second = await journal.attempt(() => vendor.infer(script.second(run.runId, answer.text)));
  return second.ok ? 'completed' : 'failed';
}

/** Ends runs whose worker was silent for too long, with an `uncertain` receipt; returns how many. */
export async function sweepLostRuns(db: Db, meter: MeterConfig): Promise<number> {
  const runs = await lostRuns(db, LOST_RUNS_BATCH);
  if (runs.length === 0) return 0;
  const clock = new DatabaseClock(db);
  await clock.start();
  clock.stop();
  let ended = 0;
  for (const run of runs) {
    const progress = JSON.parse(run.progress) as Progress;
    const sealed = sealReceipt(run, progress, 'uncertain', clock.now(), meter.receiptSigningKey);
    if (await mintReceipt(db, run, sealed, { lost: true })) ended += 1;
  }
  return ended;
}
