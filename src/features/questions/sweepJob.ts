import type { Db, Postgres } from '../../platform/postgres/postgres.ts';
import { newId } from '../../protocol/ids.ts';
import { writeEvents } from '../../recording/outbox.ts';
import { awardBounty, refundBounty } from '../karma/service.ts';
import { bestSupported, isAbandoned } from './rules.ts';
import { questionResolved } from './service.ts';
import { answersTo, insertQuestionEvent, lockQuestion, openBountiesAfter, resolveQuestion } from './store.ts';
import { finishSweep, recordOutcome, type Sweep, type SweepOutcome, sweepByJob } from './sweepRequests.ts';

const BATCH = 50;
/** How often a sweep retries a question whose best answer has just changed. */
const LOOKS = 5;

/** One transaction per question: repeated sweeps resolve it once (docs/questions). The request's time decides. */
export async function sweepAbandoned(db: Postgres, jobId: string, quietSeconds: number): Promise<number> {
  const sweep = await sweepByJob(db, jobId);
  if (!sweep || sweep.finished_at) return 0;
  const askedBy = new Date(sweep.requested_at.getTime() - quietSeconds * 1_000);
  let looked = 0;
  let afterPostId = '';
  for (;;) {
    const batch = await openBountiesAfter(db, afterPostId, askedBy, BATCH);
    for (const { post_id } of batch) await sweepOne(db, sweep, post_id, quietSeconds);
    looked += batch.length;
    if (batch.length < BATCH) break;
    afterPostId = batch.at(-1)!.post_id;
  }
  await finishSweep(db, jobId);
  return looked;
}

/** Rolls a dry run back after it did everything, so that its report is exact. */
class DryRunDone extends Error {
  readonly outcome: SweepOutcome;

  constructor(outcome: SweepOutcome) {
    super('a dry run is rolled back');
    this.outcome = outcome;
  }
}

async function sweepOne(db: Postgres, sweep: Sweep, postId: string, quietSeconds: number): Promise<void> {
  try {
    for (let look = 1; look <= LOOKS; look++) {
      // The agent that may be paid is locked before the question, in the usual order of locks.
      const candidate = bestSupported(await answersTo(db, postId))?.replyId ?? null;
      if (await db.inTransaction((tx) => abandon(tx, sweep, { postId, candidate }, quietSeconds))) return;
    }
  } catch (error) {
    if (!(error instanceof DryRunDone)) throw error;
    await recordOutcome(db, sweep.job_id, error.outcome);
  }
}

/** Returns false, having done nothing, if the best answer is no longer the candidate. */
async function abandon(
  db: Db,
  sweep: Sweep,
  { postId, candidate }: { postId: string; candidate: string | null },
  quietSeconds: number,
): Promise<boolean> {
  const question = await lockQuestion(db, postId, { replyId: candidate });
  if (!question?.hold_seq || question.removed || question.state !== 'open') return true;
  const answers = await answersTo(db, postId);
  const askedAtMs = question.created_at.getTime();
  const lastAnswerAtMs = answers.reduce((last, { createdAtMs }) => Math.max(last, createdAtMs), askedAtMs);
  if (!isAbandoned({ askedAtMs, lastAnswerAtMs }, sweep.requested_at.getTime(), quietSeconds)) return true;
  const best = bestSupported(answers);
  if ((best?.replyId ?? null) !== candidate) return false;

  const at = sweep.requested_at;
  const hold = BigInt(question.hold_seq);
  const transfer = best
    ? await awardBounty(db, hold, best.authorId, at)
    : await refundBounty(db, hold, question.author_id, at);
  const outcome = { postId, solvingReplyId: candidate, transfer };
  if (sweep.dry_run) throw new DryRunDone(outcome);
  await resolveQuestion(db, postId, 'abandoned', candidate, at);
  const reason = best
    ? 'Abandoned: the bounty was paid to the best supported answer.'
    : 'Abandoned: the bounty was refunded to the asker.';
  const eventId = newId('gov_', at.getTime());
  await insertQuestionEvent(db, eventId, 'question_abandoned', postId, question.hidden, reason, 'community', at);
  await recordOutcome(db, sweep.job_id, outcome);
  await writeEvents(db, questionResolved(postId, question, candidate), at);
  return true;
}
