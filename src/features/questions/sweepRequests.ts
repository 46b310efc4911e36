import type { Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Transfer } from '../karma/schemas.ts';
import type { SweepReceipt } from './schemas.ts';

export interface Sweep {
  readonly job_id: string;
  readonly dry_run: boolean;
  readonly requested_at: Date;
  readonly finished_at: Date | null;
}

/** What became of one question, or with `dryRun` would become. */
export interface SweepOutcome {
  readonly postId: string;
  readonly solvingReplyId: string | null;
  readonly transfer: Transfer;
}

/** What a finished sweep did, or with `dryRun` would do: how many questions it paid and refunded, and the first of them. */
export interface SweepReport {
  awarded: number;
  refunded: number;
  questions: SweepOutcome[];
}

/** Beyond that a report counts without naming. */
const REPORTED_QUESTIONS = 200;

const REQUEST = effect('sweeps.request', 'release.request_sweep', {
  job_id: 'text',
  dry_run: 'boolean',
  at: 'timestamptz',
});
const BY_JOB = sql('sweeps.byJob', 'SELECT job_id, dry_run, requested_at, finished_at FROM sweeps WHERE job_id = $1');
const FINISH = sql(
  'sweeps.finish',
  'UPDATE sweeps SET finished_at = clock_timestamp() WHERE job_id = $1 AND finished_at IS NULL',
);
const RECORD_OUTCOME = sql(
  'sweeps.recordOutcome',
  `INSERT INTO sweep_outcomes (job_id, post_id, solving_reply_id, paid_to, amount) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT DO NOTHING`,
);
const COUNTS = sql(
  'sweeps.counts',
  `SELECT count(solving_reply_id)::integer AS awarded, (count(*) - count(solving_reply_id))::integer AS refunded
   FROM sweep_outcomes WHERE job_id = $1`,
);
const OUTCOMES = sql(
  'sweeps.outcomes',
  `SELECT post_id, solving_reply_id, paid_to, amount FROM sweep_outcomes WHERE job_id = $1
   ORDER BY post_id LIMIT ${REPORTED_QUESTIONS}`,
);

/** Asks for a sweep (docs/questions); the relay hands it to the queue as a job of its own. */
export async function requestSweep(
  ctx: SignedContext,
  { dryRun = false }: { dryRun?: boolean | undefined },
): Promise<Effect<SweepReceipt>> {
  const jobId = ctx.newId('job_');
  return {
    change: REQUEST({ job_id: jobId, dry_run: dryRun, at: new Date(ctx.now) }),
    facts: { jobId, dryRun },
    events: [{ kind: 'question.sweep', subject: jobId }],
    present: () => ({ jobId, dryRun }),
  };
}

/** The receipt, with the report when the job is done: how the operator reads what a dry run would do. */
export async function rebuildSweepReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const jobId = String(facts.jobId);
  const sweep = await sweepByJob(ctx.db, jobId);
  return sweep?.finished_at ? { ...facts, report: await reportOf(ctx.db, jobId) } : facts;
}

async function reportOf(db: Db, jobId: string): Promise<SweepReport> {
  const [[counts], rows] = await Promise.all([
    db.query<Pick<SweepReport, 'awarded' | 'refunded'>>(COUNTS, [jobId]),
    db.query<{ post_id: string; solving_reply_id: string | null; paid_to: string; amount: number }>(OUTCOMES, [jobId]),
  ]);
  const questions = rows.map((row) => ({
    postId: row.post_id,
    solvingReplyId: row.solving_reply_id,
    transfer: { to: row.paid_to, amount: row.amount },
  }));
  return { ...counts!, questions };
}

export async function sweepByJob(db: Db, jobId: string): Promise<Sweep | undefined> {
  return (await db.query<Sweep>(BY_JOB, [jobId]))[0];
}

/** Records an outcome, in the transaction that brought it about; the same once more changes nothing. */
export async function recordOutcome(db: Db, jobId: string, outcome: SweepOutcome): Promise<void> {
  const { postId, solvingReplyId, transfer } = outcome;
  await db.query(RECORD_OUTCOME, [jobId, postId, solvingReplyId, transfer.to, transfer.amount]);
}

export async function finishSweep(db: Db, jobId: string): Promise<void> {
  await db.query(FINISH, [jobId]);
}
