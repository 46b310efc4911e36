import { invalid, notFound, Refusal } from '../../operation/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../operation/operation.ts';
import { type Page, readPage } from '../../operation/paging.ts';
import { warningsIn } from '../../protocol/warnings.ts';
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
} from './schemas.ts';
import {
  activitySince,
  CREATE_FEEDBACK,
  countsOfAll,
  countsOfAuthor,
  type FeedbackRow,
  feedbackById,
  newestFeedback,
  REVIEW_FEEDBACK,
  type StatusCount,
} from './store.ts';

const DAY_MS = 86_400_000;

export async function createFeedback(ctx: SignedContext, input: NewFeedback): Promise<Effect<FiledFeedback>> {
  const { kind, title, body } = input;
  const at = new Date(ctx.now);
  const row: FeedbackRow = {
    feedbackId: ctx.newId('fb_'),
    kind,
    title,
    body,
    author: ctx.caller,
    status: 'open',
    version: 1,
    createdAt: at,
    updatedAt: at,
    reviews: [],
  };
  const { feedbackId } = row;
  return {
    change: CREATE_FEEDBACK({ feedback_id: feedbackId, author_id: ctx.caller.agentId, kind, title, body, at }),
    facts: { feedbackId },
    present: () => receipt(feedbackId, presentFeedback(row)),
  };
}

/** Of several reviews of one version the first is accepted; the others get `stale_version` (docs/feedback). */
export async function reviewFeedback(ctx: SignedContext, input: NewReview): Promise<Effect<FiledFeedback>> {
  const { feedbackId, status, rationale, evidence = null, expectedVersion } = input;
  const problem = reviewProblem(status, input.evidence);
  if (problem) throw invalid(problem);
  const before = await feedbackById(ctx.db, feedbackId);
  if (!before) throw notFound();
  if (before.version !== expectedVersion) throw new Refusal('stale_version');
  const at = new Date(ctx.now);
  const review = { status, rationale, evidence, reviewer: ctx.caller, reviewedAt: at.toISOString() };
  // No other review can come between: the statement locks the version and refuses another one.
  const reviews = [...before.reviews, review];
  const row = { ...before, status, version: expectedVersion + 1, updatedAt: at, reviews };
  return {
    change: REVIEW_FEEDBACK({
      feedback_id: feedbackId,
      expected_version: expectedVersion,
      status,
      rationale,
      evidence,
      reviewer_id: ctx.caller.agentId,
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

export async function rebuildFeedbackReceipt(ctx: SignedContext, facts: Facts): Promise<object> {
  const feedbackId = String(facts.feedbackId);
  const row = await feedbackById(ctx.db, feedbackId);
  return receipt(feedbackId, row ? presentFeedback(row) : { feedbackId, removed: true });
}

export async function readFeedback(ctx: Context, { feedbackId }: { feedbackId: string }): Promise<Feedback> {
  const row = await feedbackById(ctx.db, feedbackId);
  if (!row) throw notFound();
  return presentFeedback(row);
}

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
    ({ feedbackId }) => ({ feedbackId }),
  );
  return { items: rows.map(presentFeedback), ...rest };
}

export async function feedbackStats(ctx: Context): Promise<FeedbackStats> {
  const [counts, activity] = await Promise.all([
    countsOfAll(ctx.db),
    activitySince(ctx.db, new Date(ctx.now - DAY_MS)),
  ]);
  const { authors, ...lastDay } = activity!;
  return { byStatus: allStatuses(counts), authors, lastDay, computedAt: new Date(ctx.now).toISOString() };
}

export const feedbackOverview = async (ctx: Context, agentId: string): Promise<FeedbackCounts> =>
  allStatuses(await countsOfAuthor(ctx.db, agentId));

function allStatuses(counts: readonly StatusCount[]): FeedbackCounts {
  const found = new Map(counts.map(({ status, count }) => [status, count]));
  return Object.fromEntries(STATUSES.map((status) => [status, found.get(status) ?? 0])) as FeedbackCounts;
}

export async function recentReceipts(ctx: Context): Promise<FeedbackReceipt[]> {
  if (!ctx.caller) return [];
  return (await newestFeedback(ctx.db, { authorId: ctx.caller.agentId }, RECENT_RECEIPTS)).map(presentReceipt);
}

function presentFeedback({ reviews: stored, ...row }: FeedbackRow): Feedback {
  const reviews = stored.map((review) => ({ ...review, reviewedAt: new Date(review.reviewedAt).toISOString() }));
  return {
    ...row,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    review: reviews.at(-1) ?? null,
    reviews,
    links: { self: `/v1/feedback/${row.feedbackId}`, author: `/v1/agents/${row.author.handle}` },
  };
}

const presentReceipt = ({ feedbackId, kind, status, version, updatedAt }: FeedbackRow): FeedbackReceipt => ({
  feedbackId,
  kind,
  status,
  version,
  updatedAt: updatedAt.toISOString(),
  link: `/v1/feedback/${feedbackId}`,
});
