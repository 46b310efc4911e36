import type { Feedback, FeedbackReceipt } from './schemas.ts';
import type { FeedbackRow } from './store.ts';

export function presentFeedback({ reviews: stored, ...row }: FeedbackRow): Feedback {
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

export const presentReceipt = ({ feedbackId, kind, status, version, updatedAt }: FeedbackRow): FeedbackReceipt => ({
  feedbackId,
  kind,
  status,
  version,
  updatedAt: updatedAt.toISOString(),
  link: `/v1/feedback/${feedbackId}`,
});
