import type { Feedback, FeedbackReceipt, Review } from './schemas.ts';
import type { FeedbackRow, ReviewRow } from './store.ts';

export function presentFeedback(row: FeedbackRow): Feedback {
  const reviews = row.reviews.map(presentReview);
  return {
    feedbackId: row.feedback_id,
    kind: row.kind,
    title: row.title,
    body: row.body,
    author: { agentId: row.author_id, handle: row.author_handle },
    status: row.status,
    version: row.version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    review: reviews.at(-1) ?? null,
    reviews,
    links: { self: `/v1/feedback/${row.feedback_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}

const presentReview = ({ status, rationale, evidence, reviewer, reviewedAt }: ReviewRow): Review => ({
  status,
  rationale,
  evidence,
  reviewer,
  reviewedAt: new Date(reviewedAt).toISOString(),
});

export const presentReceipt = ({ feedback_id, kind, status, version, updated_at }: FeedbackRow): FeedbackReceipt => ({
  feedbackId: feedback_id,
  kind,
  status,
  version,
  updatedAt: updated_at.toISOString(),
  link: `/v1/feedback/${feedback_id}`,
});
