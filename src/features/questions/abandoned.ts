import { newId } from '../../platform/ids.ts';
import type { Db, Postgres } from '../../platform/postgres.ts';
import { awardBounty, refundBounty, type Transfer } from '../karma/service.ts';
import { bestSupported, isAbandoned } from './rules.ts';
import {
  answersTo,
  insertQuestionEvent,
  lockAnswer,
  lockQuestion,
  openBountiesAfter,
  resolveQuestion,
} from './store.ts';
import { finishSweep, type Sweep, sweepByJob } from './sweeps.ts';

const BATCH = 50;
/** Beyond that a report counts without naming. */
const REPORTED_QUESTIONS = 200;

/** What a sweep did, or with `dryRun` would do. */
export interface SweepReport {
  examined: number;
  awarded: number;
  refunded: number;
  questions: { postId: string; solvingReplyId: string | null; transfer: Transfer | null }[];
}

/**
 * Sweeps abandoned questions (contract 8) in bounded batches, each question in a transaction of its own that locks it and
 * looks again: two sweeps at once, or one that died and comes again, resolve every question at most once. The time is
 * that of the request, so that a late job does what was asked for.
 */
export async function sweepAbandoned(db: Postgres, jobId: string, quietSeconds: number): Promise<SweepReport | null> {
  const sweep = await sweepByJob(db, jobId);
  if (!sweep || sweep.finished_at) return null;
  const report: SweepReport = { examined: 0, awarded: 0, refunded: 0, questions: [] };
  let after = '';
  for (;;) {
    const batch = await openBountiesAfter(db, after, BATCH);
    for (const postId of batch) await sweepOne(db, sweep, postId, quietSeconds, report);
    if (batch.length < BATCH) break;
    after = batch.at(-1)!;
  }
  await finishSweep(db, jobId, JSON.stringify(report));
  return report;
}

async function sweepOne(db: Postgres, sweep: Sweep, postId: string, quietSeconds: number, report: SweepReport) {
  report.examined += 1;
  const outcome = await db.inTransaction((tx) => abandon(tx, sweep, postId, quietSeconds));
  if (!outcome) return;
  if (outcome.solvingReplyId === null) report.refunded += 1;
  else report.awarded += 1;
  if (report.questions.length < REPORTED_QUESTIONS) report.questions.push({ postId, ...outcome });
}

async function abandon(db: Db, sweep: Sweep, postId: string, quietSeconds: number) {
  const question = await lockQuestion(db, postId);
  if (!question?.hold_seq || question.removed || question.state !== 'open') return null;
  const answers = await answersTo(db, postId);
  const askedAtMs = question.created_at.getTime();
  const times = answers.map(({ createdAtMs }) => createdAtMs);
  const lastAnswerAtMs = times.length === 0 ? undefined : Math.max(...times);
  if (!isAbandoned({ askedAtMs, lastAnswerAtMs }, sweep.requested_at.getTime(), quietSeconds)) return null;
  const best = bestSupported(answers);
  if (sweep.dry_run) return { solvingReplyId: best?.replyId ?? null, transfer: null };
  const at = sweep.requested_at;
  const hold = BigInt(question.hold_seq);
  // Locked after the look: who was suspended in between is not paid, and the next sweep looks again.
  if (best && (await lockAnswer(db, postId, best.replyId))?.suspended !== false) return null;
  const transfer = best
    ? await awardBounty(db, hold, best.authorId, at)
    : await refundBounty(db, hold, question.author_id, at);
  await resolveQuestion(db, postId, { state: 'abandoned', solvingReplyId: best?.replyId ?? null, at });
  await insertQuestionEvent(db, {
    eventId: newId('gov_', at.getTime()),
    kind: 'question_abandoned',
    postId,
    hidden: question.hidden,
    reason: best ? 'Quiet for long: paid to the best supported answer.' : 'Quiet for long: refunded to the asker.',
    actor: 'community',
    at,
  });
  return { solvingReplyId: best?.replyId ?? null, transfer };
}
