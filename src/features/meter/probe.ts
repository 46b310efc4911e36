import { randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import { DatabaseClock } from '../../platform/postgres/clock.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { FIXTURE_HASH } from './fixture.ts';
import { Journal, RunLostError } from './journal.ts';
import { SCRIPTS } from './prompts.ts';
import { sealReceipt } from './receipts.ts';
import { estimateFromCount, INFERENCE_ATTEMPT_LIMIT } from './rules.ts';
import type { Status } from './schemas.ts';
import { claimRun, mintReceipt, type RunRow } from './store.ts';
import { Vendor } from './vendor.ts';

type MeterConfig = Config['meter'];

/**
 * Makes a run that was asked for, and mints its receipt (docs/meter). Claims it first, in the database: whatever brings
 * the job a second time (a stalled job, the relay, an operator's hand) finds it claimed and does nothing. If this
 * process dies, or cannot write down what it does, `sweepLostRuns` ends the run as `uncertain`.
 */
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

/**
 * What a probe sends, and above which estimate it is `refused` (docs/meter#tasks): perhaps a count, then two inferences, each
 * only when what came before it went well.
 */
async function perform(run: RunRow, meter: MeterConfig, journal: Journal): Promise<Status> {
  // Switched off, or another version's fixture, since the run was asked for.
  if (!meter.enabled || run.fixture_hash !== FIXTURE_HASH) return 'failed';
  const vendor = await Vendor.load(meter, run.model);
  const script = SCRIPTS[run.task];
  const first = script.first(run.run_id);
  if (script.counts) {
    const counted = await journal.count(() => vendor.count(first));
    if (!counted.ok) return 'failed';
    journal.progress.estimatedTokens = estimateFromCount(counted.inputTokens, INFERENCE_ATTEMPT_LIMIT);
  }
  if (journal.progress.estimatedTokens > run.token_allowance) return 'refused';
  const answer = await journal.attempt(() => vendor.infer(first));
  if (!answer.ok) return 'failed';
  const second = await journal.attempt(() => vendor.infer(script.second(run.run_id, answer.text)));
  return second.ok ? 'completed' : 'failed';
}
