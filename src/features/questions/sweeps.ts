import type { Effect, Facts, SignedContext } from '../../kernel/operation.ts';
import { type Db, sql } from '../../platform/postgres.ts';
import type { SweepReport } from './abandoned.ts';

export interface Sweep {
  readonly dry_run: boolean;
  readonly requested_at: Date;
  readonly finished_at: Date | null;
  readonly report: string | null;
}

const REQUEST = sql('sweeps.request', 'SELECT request_sweep($1, $2, $3, $4, $5)');
const BY_JOB = sql('sweeps.byJob', 'SELECT dry_run, requested_at, finished_at, report FROM sweeps WHERE job_id = $1');
const FINISH = sql(
  'sweeps.finish',
  'UPDATE sweeps SET finished_at = clock_timestamp(), report = $2 WHERE job_id = $1 AND finished_at IS NULL',
);

export interface SweepReceipt {
  jobId: string;
  dryRun: boolean;
  /** Only in the receipt that `GET /v1/writes/{nonce}` rebuilds, once the job is done. */
  report?: SweepReport;
}

/** Asks for a sweep; the relay hands it to the queue as a job of its own. */
export async function requestSweep(
  ctx: SignedContext,
  { dryRun = false }: { dryRun?: boolean | undefined },
): Promise<Effect<SweepReceipt>> {
  const jobId = ctx.newId('job_');
  return {
    statement: REQUEST,
    values: [jobId, dryRun, new Date(ctx.now)],
    facts: { jobId, dryRun },
    present: () => ({ jobId, dryRun }),
  };
}

/** The receipt, with the report when the job is done: how the operator reads what a dry run would do. */
export async function rebuildSweepReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const sweep = await sweepByJob(ctx.db, String(facts.jobId));
  return { ...facts, ...(sweep?.report ? { report: JSON.parse(sweep.report) as SweepReport } : {}) };
}

export async function sweepByJob(db: Db, jobId: string): Promise<Sweep | undefined> {
  return (await db.query<Sweep>(BY_JOB, [jobId]))[0];
}

export async function finishSweep(db: Db, jobId: string, report: string): Promise<void> {
  await db.query(FINISH, [jobId, report]);
}
