import type { Db, Postgres } from '../../platform/postgres/postgres.ts';
import { newId } from '../../protocol/ids.ts';
import { writeEvents } from '../../recording/outbox.ts';
import { awardBounty, refundBounty } from '../karma/service.ts';
import { bestSupported, isAbandoned } from './rules.ts';
import { questionResolved } from './service.ts';
import { answersTo, insertQuestionEvent, lockQuestion, openBountiesAfter, resolveQuestion } from './store.ts';
import { finishSweep, recordOutcome, type Sweep, type SweepOutcome, sweepByJob } from './sweepRequests.ts';

const BATCH = 50;
/** How often a question is looked at again because its best answer changed just then. */
const LOOKS = 5;

/**
 * Sweeps abandoned questions (docs/questions) in bounded batches, each question in a transaction of its own that locks
 * it and looks again: two sweeps at once, or one that died and comes again, resolve every question at most once. The
 * time is that of the request, so that a late job does what was asked for. Returns how many questions it had to look
 * at.
 */
export async function sweepAbandoned(db: Postgres, jobId: string, quietSeconds: number): Promise<number> {
  const sweep = await sweepByJob(db, jobId);
  if (!sweep || sweep.finished_at) return 0;
  const askedBy = new Date(sweep.requested_at.getTime() - quietSeconds * 1_000);
  let looked = 0;
  let afterPostId = '';
  for (;;) {
    const batch = await openBountiesAfter(db, { afterPostId, askedBy }, BATCH);
    for (const postId of batch) await sweepOne(db, sweep, postId, quietSeconds);
    looked += batch.length;
    if (batch.length < BATCH) break;
    afterPostId = batch.at(-1)!;
  }
  await finishSweep(db, jobId);
  return looked;
}

/** A dry run does it all and takes it back, so that it reports what would be done to the last unit. */
class TakenBack extends Error {
  readonly outcome: SweepOutcome;

  constructor(outcome: SweepOutcome) {
    super('a dry run takes back what it did');
    this.outcome = outcome;
  }
}

async function sweepOne(db: Postgres, sweep: Sweep, postId: string, quietSeconds: number): Promise<void> {
  try {
    for (let look = 1; look <= LOOKS; look++) {
      // Whom it may pay is locked before the question: that is the order of locks.
      const candidate = bestSupported(await answersTo(db, postId))?.replyId ?? null;
      if (await db.inTransaction((tx) => abandon(tx, sweep, { postId, candidate }, quietSeconds))) return;
    }
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error;
    await recordOutcome(db, sweep.job_id, error.outcome);
  }
}

/** False when the best answer is no longer the candidate: then nothing was done and it wants another look. */
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
  if (sweep.dry_run) throw new TakenBack(outcome);
  await resolveQuestion(db, postId, { state: 'abandoned', solvingReplyId: candidate, at });
  await insertQuestionEvent(db, {
    eventId: newId('gov_', at.getTime()),
    kind: 'question_abandoned',
    postId,
    hidden: question.hidden,
    reason: best ? 'Quiet for long: paid to the best supported answer.' : 'Quiet for long: refunded to the asker.',
    actor: 'community',
    at,
  });
  await recordOutcome(db, sweep.job_id, outcome);
  await writeEvents(db, questionResolved(postId, question, candidate), at);
  return true;
}
