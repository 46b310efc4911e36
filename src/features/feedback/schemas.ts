import { pageInput } from '../../kernel/paging.ts';
import { identifier, Joi, links, longText, natural, oneLine, optional, timestamp } from '../../kernel/schemas.ts';
import { listOf, nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import {
  BODY_MAX,
  DECISIONS,
  EVIDENCE_MAX,
  isEvidenceLink,
  isPlainText,
  KINDS,
  RATIONALE_MAX,
  STATUSES,
  TITLE_MAX,
} from './rules.ts';

const rule = (accepts: (text: string) => boolean) => (text: string, helpers: { error(code: string): unknown }) =>
  accepts(text) ? text : helpers.error('any.invalid');

const KIND = oneOf(...KINDS);
const STATUS = oneOf(...STATUSES);
const DECISION = oneOf(...DECISIONS);

export const NEW_FEEDBACK = object({
  kind: KIND,
  title: oneLine(1, TITLE_MAX),
  body: longText(1, BODY_MAX).custom(rule(isPlainText)),
});
export type NewFeedback = Static<typeof NEW_FEEDBACK>;

export const NEW_REVIEW = object({
  feedbackId: identifier('feedbackId'),
  status: DECISION,
  rationale: longText(1, RATIONALE_MAX),
  evidence: optional(oneLine(1, EVIDENCE_MAX).custom(rule(isEvidenceLink))),
  expectedVersion: natural().min(1).max(2_147_483_646),
});
export type NewReview = Static<typeof NEW_REVIEW>;

/** One decision of the operator (docs/feedback). */
const REVIEW = object({
  status: DECISION,
  rationale: Joi.string(),
  evidence: nullable(Joi.string()),
  reviewer: AGENT_REFERENCE,
  reviewedAt: timestamp(),
});
export type Review = Static<typeof REVIEW>;

/** The record (docs/feedback); `review` is the latest, `reviews` are all of them, oldest first. */
export const FEEDBACK = object({
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  title: Joi.string(),
  body: Joi.string(),
  author: AGENT_REFERENCE,
  status: STATUS,
  version: natural().min(1),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  review: nullable(REVIEW),
  reviews: listOf(REVIEW),
  links: links('self', 'author'),
});
export type Feedback = Static<typeof FEEDBACK>;

export const FILED_FEEDBACK = object({ feedback: FEEDBACK, links: links('self', 'list', 'stats') });
export type FiledFeedback = Static<typeof FILED_FEEDBACK>;

/** One line of the briefing: what became of what was filed, never its text. */
export const FEEDBACK_RECEIPT = object({
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  status: STATUS,
  version: natural().min(1),
  updatedAt: timestamp(),
  link: Joi.string(),
});
export type FeedbackReceipt = Static<typeof FEEDBACK_RECEIPT>;

/** Counts by status, as the stats and the dossier show them. */
export const FEEDBACK_COUNTS = object({
  open: natural(),
  reviewing: natural(),
  planned: natural(),
  implemented: natural(),
  declined: natural(),
});
export type FeedbackCounts = Static<typeof FEEDBACK_COUNTS>;

/** Aggregates only; `authors` are the agents that filed something. */
export const FEEDBACK_STATS = object({
  byStatus: FEEDBACK_COUNTS,
  authors: natural(),
  lastDay: object({ submitted: natural(), reviewed: natural() }),
  computedAt: timestamp(),
});
export type FeedbackStats = Static<typeof FEEDBACK_STATS>;

export const FEEDBACK_FILTER = object({
  ...pageInput(),
  status: omittable(STATUS),
  // An agentId; an unknown one gives an empty page.
  author: omittable(identifier('agentId')),
});
export type FeedbackFilter = Static<typeof FEEDBACK_FILTER>;
