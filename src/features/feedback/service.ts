import { invalid, notFound, Refusal } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, readPage } from '../../operation/paging.ts';
import { warningsIn } from '../../operation/warnings.ts';
import { presentFeedback, presentReceipt } from './present.ts';
import { RECENT_RECEIPTS, reviewProblem, STATUSES } from './rules.ts';
import type {
  Feedback,
  FeedbackCounts,
  FeedbackFilter,
  FeedbackReceipt,
  FeedbackStats,
  FiledFeedback,
  NewFeedback,
  NewReview,
  Review,
} from './schemas.ts';
import {
  activitySince,
  CREATE_FEEDBACK,
  countsByStatus,
  type FeedbackRow,
  feedbackById,
  newestFeedback,
  REVIEW_FEEDBACK,
} from './store.ts';

const DAY_MS = 86_400_000;

/** Files feedback (docs/feedback), in one round trip. */
export async function createFeedback(ctx: SignedContext, input: NewFeedback): Promise<Effect<FiledFeedback>> {
  const { agentId, handle } = ctx.caller;
  const at = new Date(ctx.now);
  const row: FeedbackRow = {
    feedback_id: ctx.newId('fb_'),
    ...input,
    author_id: agentId,
    author_handle: handle,
    created_at: at,
    status: 'open',
    version: 1,
    updated_at: at,
    reviews: [],
  };
  return {
    change: CREATE_FEEDBACK({
      feedback_id: row.feedback_id,
      author_id: agentId,
      kind: row.kind,
      title: row.title,
      body: row.body,
      at,
    }),
    facts: { feedbackId: row.feedback_id },
    present: () => receipt(row.feedback_id, presentFeedback(row)),
  };
}

/**
 * The operator's review of one version (docs/feedback); the author is told through the outbox. Of several reviews of
 * one version the first is accepted, all others are `stale_version`.
 */
export async function reviewFeedback(ctx: SignedContext, input: NewReview): Promise<Effect<FiledFeedback>> {
  const { feedbackId, status, rationale, evidence, expectedVersion } = input;
  const problem = reviewProblem(status, evidence);
  if (problem) throw invalid(problem);
  const before = await feedbackById(ctx.db, feedbackId);
  if (!before) throw notFound();
  if (before.version !== expectedVersion) throw new Refusal('stale_version');
  const { agentId, handle } = ctx.caller;
  const at = new Date(ctx.now);
  const review: Review = {
    status,
    rationale,
    evidence: evidence ?? null,
    reviewer: { agentId, handle },
    reviewedAt: at.toISOString(),
  };
  // Nobody reviewed it meanwhile: the statement locks the version and refuses another one.
  const reviews = [...before.reviews, review];
  const row = { ...before, status, version: expectedVersion + 1, updated_at: at, reviews };
  return {
    change: REVIEW_FEEDBACK({
      feedback_id: feedbackId,
      expected_version: expectedVersion,
      status,
      rationale,
      evidence: evidence ?? null,
      reviewer_id: agentId,
      at,
    }),
    facts: { feedbackId },
    events: [{ kind: 'feedback.reviewed', subject: feedbackId }],
    present: () => receipt(feedbackId, presentFeedback(row)),
  };
}

const receipt = <F extends object>(feedbackId: string, feedback: F) => ({
  feedback,
  warnings: 'title' in feedback && 'body' in feedback ? warningsIn({ title: feedback.title, body: feedback.body }) : [],
  links: { self: `/v1/feedback/${feedbackId}`, list: '/v1/feedback', stats: '/v1/feedback/stats' },
});

/** The receipt as it would read now; feedback removed since shows its id only. */
export async function rebuildFeedbackReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const feedbackId = String(facts.feedbackId);
  const row = await feedbackById(ctx.db, feedbackId);
  return receipt(feedbackId, row ? presentFeedback(row) : { feedbackId, removed: true });
}

/** One record with its reviews; throws `not_found`. */
export async function readFeedback(ctx: Context, { feedbackId }: { feedbackId: string }): Promise<Feedback> {
  const row = await feedbackById(ctx.db, feedbackId);
  if (!row) throw notFound();
  return presentFeedback(row);
}

/** Feedback newest first. */
export async function listFeedback(ctx: Context, input: FeedbackFilter): Promise<Page<Feedback>> {
  const { status, author: authorId } = input;
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['feedback.list', status ?? null, authorId ?? null],
    (position, limit) => {
      const beforeId = position?.feedbackId as string | undefined;
      return newestFeedback(ctx.db, { status, authorId, beforeId }, limit);
    },
    (row) => ({ feedbackId: row.feedback_id }),
  );
  return { items: rows.map(presentFeedback), ...rest };
}

/** Aggregates only (docs/feedback). */
export async function feedbackStats(ctx: Context): Promise<FeedbackStats> {
  const [byStatus, { authors, ...lastDay }] = await Promise.all([
    countsByStatus(ctx.db).then(allStatuses),
    activitySince(ctx.db, new Date(ctx.now - DAY_MS)),
  ]);
  return { byStatus, authors, lastDay, computedAt: new Date(ctx.now).toISOString() };
}

/** What the dossier says of an agent's feedback: counts by status (docs/agents#dossier). */
export async function feedbackOverview(ctx: Context, agentId: string): Promise<FeedbackCounts> {
  return allStatuses(await countsByStatus(ctx.db, agentId));
}

function allStatuses(counts: Awaited<ReturnType<typeof countsByStatus>>): FeedbackCounts {
  const found = new Map(counts.map(({ status, count }) => [status, count]));
  return Object.fromEntries(STATUSES.map((status) => [status, found.get(status) ?? 0])) as FeedbackCounts;
}

/** The caller's most recent feedback for the briefing, newest first, without its text; none for an anonymous caller. */
export async function recentReceipts(ctx: Context): Promise<FeedbackReceipt[]> {
  if (!ctx.caller) return [];
  return (await newestFeedback(ctx.db, { authorId: ctx.caller.agentId }, RECENT_RECEIPTS)).map(presentReceipt);
}
