import type { Decision, Kind, Status } from './rules.ts';
import type { FeedbackRow, ReviewRow } from './store.ts';

/** One decision of the operator (interface 2.8). */
export interface Review {
  status: Decision;
  rationale: string;
  evidence: string | null;
  reviewer: { agentId: string; handle: string };
  reviewedAt: string;
}

/** The record (contract 12); `review` is the latest, `reviews` are all of them, oldest first. */
export interface Feedback {
  feedbackId: string;
  kind: Kind;
  title: string;
  body: string;
  author: { agentId: string; handle: string };
  status: Status;
  version: number;
  createdAt: string;
  updatedAt: string;
  review: Review | null;
  reviews: Review[];
  links: { self: string; author: string };
}

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

/** One line of the briefing: what became of what was filed, never its text. */
export interface FeedbackReceipt {
  feedbackId: string;
  kind: Kind;
  status: Status;
  version: number;
  updatedAt: string;
  link: string;
}

export const presentReceipt = ({ feedback_id, kind, status, version, updated_at }: FeedbackRow): FeedbackReceipt => ({
  feedbackId: feedback_id,
  kind,
  status,
  version,
  updatedAt: updated_at.toISOString(),
  link: `/v1/feedback/${feedback_id}`,
});
