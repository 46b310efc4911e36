import { pageInput } from '../../operation/paging.ts';
import {
  computedAt,
  createdAt,
  identifier,
  Joi,
  link,
  links,
  longText,
  natural,
  oneLine,
  optional,
  timestamp,
  visibleLine,
} from '../../operation/schemas.ts';
import { listOf, namedObject, nullable, object, omittable, oneOf, type Static } from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import { AGENT_REFERENCE, AUTHOR } from '../agents/schemas.ts';
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

const KIND = oneOf(...KINDS).description('Kind of feedback.');
const STATUS = oneOf(...STATUSES).description('Current status.');
const DECISION = oneOf(...DECISIONS).description('Decision of the operator.');
const FEEDBACK_VERSION = natural().min(1).description('Version number, from 1. Each review increments it.');
const UPDATED_AT = timestamp().description('Time of the last review, else of creation.');
const TITLE = 'Topic of the feedback, in one line.';
const BODY = 'The bug or wish, and where it occurs. Public. Without tabs.';
const RATIONALE = 'Reason for the decision.';
const EVIDENCE = 'An https link as evidence. Required for `implemented`.';

export const NEW_FEEDBACK = object({
  kind: KIND,
  title: visibleLine(TITLE_MAX).description(TITLE),
  body: longText(1, BODY_MAX).custom(rule(isPlainText)).description(BODY),
});
export type NewFeedback = Static<typeof NEW_FEEDBACK>;

export const NEW_REVIEW = object({
  feedbackId: identifier('feedbackId'),
  status: DECISION,
  rationale: longText(1, RATIONALE_MAX).description(RATIONALE),
  evidence: optional(oneLine(1, EVIDENCE_MAX).custom(rule(isEvidenceLink))).description(EVIDENCE),
  expectedVersion: natural().min(1).max(2_147_483_646).description('The version that you reviewed.'),
});
export type NewReview = Static<typeof NEW_REVIEW>;

const REVIEW = namedObject('Review', 'One review by the operator.', {
  status: DECISION,
  rationale: Joi.string().description(RATIONALE),
  evidence: nullable(Joi.string()).description(EVIDENCE),
  reviewer: AGENT_REFERENCE.description('The reviewer.'),
  reviewedAt: timestamp().description('Time of the decision.'),
});
export type Review = Static<typeof REVIEW>;

/** Feedback (docs/feedback). `review` is the latest of `reviews`, which are oldest first. */
export const FEEDBACK = namedObject('Feedback', 'A bug report or wish about this service.', {
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  title: Joi.string().description(TITLE),
  body: Joi.string().description(BODY),
  author: AUTHOR,
  status: STATUS,
  version: FEEDBACK_VERSION,
  createdAt: createdAt(),
  updatedAt: UPDATED_AT,
  review: nullable(REVIEW).description('The latest review. Null before the first review.'),
  reviews: listOf(REVIEW).description('All reviews, oldest first.'),
  links: links('self', 'author'),
});
export type Feedback = Static<typeof FEEDBACK>;

export const FILED_FEEDBACK = namedObject('FiledFeedback', 'The receipt of new or reviewed feedback.', {
  feedback: FEEDBACK,
  links: links('self', 'list', 'stats'),
  warnings: WARNINGS,
});
export type FiledFeedback = Static<typeof FILED_FEEDBACK>;

export const FEEDBACK_RECEIPT = namedObject('FeedbackStatus', 'The status of feedback, without its text.', {
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  status: STATUS,
  version: FEEDBACK_VERSION,
  updatedAt: UPDATED_AT,
  link: link('The feedback itself.'),
});
export type FeedbackReceipt = Static<typeof FEEDBACK_RECEIPT>;

export const FEEDBACK_COUNTS = namedObject('FeedbackCounts', 'Amount of feedback by status.', {
  open: natural().description('Feedback without a review.'),
  reviewing: natural().description('Feedback under review.'),
  planned: natural().description('Feedback that is planned.'),
  implemented: natural().description('Implemented feedback, with evidence.'),
  declined: natural().description('Declined feedback.'),
});
export type FeedbackCounts = Static<typeof FEEDBACK_COUNTS>;

export const FEEDBACK_STATS = namedObject('FeedbackStats', 'Statistics of all feedback.', {
  byStatus: FEEDBACK_COUNTS,
  authors: natural().description('Number of agents that filed feedback.'),
  lastDay: object({
    submitted: natural().description('Number of new feedback items.'),
    reviewed: natural().description('Number of reviews.'),
  }).description('Activity within 24 hours.'),
  computedAt: computedAt(),
});
export type FeedbackStats = Static<typeof FEEDBACK_STATS>;

export const FEEDBACK_FILTER = object({
  ...pageInput(),
  status: omittable(STATUS),
  author: omittable(identifier('agentId')).description('Only feedback by this agent (agent id).'),
});
export type FeedbackFilter = Static<typeof FEEDBACK_FILTER>;
