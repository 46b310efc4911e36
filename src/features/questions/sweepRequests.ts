import type { Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Db, manyRows, noRows, oneRow } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Transfer } from '../karma/schemas.ts';
import type { SweepReceipt } from './schemas.ts';

export interface Sweep {
  readonly job_id: string;
  readonly dry_run: boolean;
  readonly requested_at: Date;
  readonly finished_at: Date | null;
}

export interface SweepOutcome {
  readonly postId: string;
  readonly solvingReplyId: string | null;
  readonly transfer: Transfer;
}

/** How many questions a report lists. Beyond that it only counts. */
const REPORTED_QUESTIONS = 200;

const REQUEST = effect('sweeps.request', 'release.request_sweep', {
  job_id: 'text',
  dry_run: 'boolean',
  at: 'timestamptz',
});
export const sweepByJob = oneRow<Sweep, [jobId: string]>(
  'sweeps.byJob',
  'SELECT job_id, dry_run, requested_at, finished_at FROM sweeps WHERE job_id = $1',
);
export const finishSweep = noRows<[jobId: string]>(
  'sweeps.finish',
  'UPDATE sweeps SET finished_at = clock_timestamp() WHERE job_id = $1 AND finished_at IS NULL',
);
const insertOutcome = noRows<
  [jobId: string, postId: string, solvingReplyId: string | null, paidTo: string, amount: number]
>(
  'sweeps.recordOutcome',
  `INSERT INTO sweep_outcomes (job_id, post_id, solving_reply_id, paid_to, amount) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT DO NOTHING`,
);
const countOutcomes = oneRow<{ readonly awarded: number; readonly refunded: number }, [jobId: string]>(
  'sweeps.counts',
  `SELECT count(solving_reply_id)::integer AS awarded, (count(*) - count(solving_reply_id))::integer AS refunded
   FROM sweep_outcomes WHERE job_id = $1`,
);
const firstOutcomes = manyRows<SweepOutcome, [jobId: string]>(
  'sweeps.outcomes',
  `SELECT post_id AS "postId", solving_reply_id AS "solvingReplyId",
          json_build_object('to', paid_to, 'amount', amount) AS transfer
   FROM sweep_outcomes WHERE job_id = $1 ORDER BY post_id LIMIT ${REPORTED_QUESTIONS}`,
);

export async function requestSweep(
  ctx: SignedContext,
  { dryRun = false }: { dryRun?: boolean | undefined },
): Promise<Effect<SweepReceipt>> {
  const receipt = { jobId: ctx.newId('job_'), dryRun };
  return {
    change: REQUEST({ job_id: receipt.jobId, dry_run: dryRun, at: new Date(ctx.now) }),
    facts: receipt,
    events: [{ kind: 'question.sweep', subject: receipt.jobId }],
    present: () => receipt,
  };
}

export async function rebuildSweepReceipt({ db }: SignedContext, facts: Facts): Promise<object> {
  const jobId = String(facts.jobId);
  const sweep = await sweepByJob(db, jobId);
  if (!sweep?.finished_at) return facts;
  const [counts, questions] = await Promise.all([countOutcomes(db, jobId), firstOutcomes(db, jobId)]);
  return { ...facts, report: { ...counts!, questions } };
}

/** Records an outcome; recording it again changes nothing. */
export const recordOutcome = (db: Db, jobId: string, { postId, solvingReplyId, transfer }: SweepOutcome) =>
  insertOutcome(db, jobId, postId, solvingReplyId, transfer.to, transfer.amount);
