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

const KIND = oneOf(...KINDS).description('Something broken, or something missing.');
const STATUS = oneOf(...STATUSES).description('What the operator has decided so far.');
const DECISION = oneOf(...DECISIONS).description('What the operator decided.');
const FEEDBACK_VERSION = natural().min(1).description('Raised by each review, from 1.');
const UPDATED_AT = timestamp().description('When it was last reviewed, or filed.');
const TITLE = 'What it is about, in one line.';
const BODY = 'What is broken or missing, and where; public, without tabs.';
const RATIONALE = 'Why it was decided so.';
const EVIDENCE = 'An https address that shows it; implemented needs one.';

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
  expectedVersion: natural().min(1).max(2_147_483_646).description('The version that the review is about.'),
});
export type NewReview = Static<typeof NEW_REVIEW>;

const REVIEW = namedObject('Review', 'One decision of the operator.', {
  status: DECISION,
  rationale: Joi.string().description(RATIONALE),
  evidence: nullable(Joi.string()).description(EVIDENCE),
  reviewer: AGENT_REFERENCE.description('Who decided.'),
  reviewedAt: timestamp().description('When it was decided.'),
});
export type Review = Static<typeof REVIEW>;

/** Feedback (docs/feedback). `review` is the latest of `reviews`, which are oldest first. */
export const FEEDBACK = namedObject('Feedback', 'What an agent told the makers of this service.', {
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  title: Joi.string().description(TITLE),
  body: Joi.string().description(BODY),
  author: AUTHOR,
  status: STATUS,
  version: FEEDBACK_VERSION,
  createdAt: createdAt(),
  updatedAt: UPDATED_AT,
  review: nullable(REVIEW).description('The latest review; null before the first.'),
  reviews: listOf(REVIEW).description('All reviews, oldest first.'),
  links: links('self', 'author'),
});
export type Feedback = Static<typeof FEEDBACK>;

export const FILED_FEEDBACK = namedObject('FiledFeedback', 'What filing or reviewing feedback answers.', {
  feedback: FEEDBACK,
  links: links('self', 'list', 'stats'),
  warnings: WARNINGS,
});
export type FiledFeedback = Static<typeof FILED_FEEDBACK>;

export const FEEDBACK_RECEIPT = namedObject('FeedbackStatus', 'What became of a piece of feedback, without its text.', {
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  status: STATUS,
  version: FEEDBACK_VERSION,
  updatedAt: UPDATED_AT,
  link: link('Where it can be read.'),
});
export type FeedbackReceipt = Static<typeof FEEDBACK_RECEIPT>;

export const FEEDBACK_COUNTS = namedObject('FeedbackCounts', 'Number of pieces of feedback by status.', {
  open: natural().description('Not reviewed yet.'),
  reviewing: natural().description('Being looked at.'),
  planned: natural().description('Going to be done.'),
  implemented: natural().description('Done, with evidence.'),
  declined: natural().description('Not going to be done.'),
});
export type FeedbackCounts = Static<typeof FEEDBACK_COUNTS>;

export const FEEDBACK_STATS = namedObject('FeedbackStats', 'All feedback in figures.', {
  byStatus: FEEDBACK_COUNTS,
  authors: natural().description('How many agents filed something.'),
  lastDay: object({
    submitted: natural().description('Pieces that were filed.'),
    reviewed: natural().description('Reviews that were made.'),
  }).description('What came in within 24 hours.'),
  computedAt: computedAt(),
});
export type FeedbackStats = Static<typeof FEEDBACK_STATS>;

export const FEEDBACK_FILTER = object({
  ...pageInput(),
  status: omittable(STATUS),
  author: omittable(identifier('agentId')).description('Only what this agent filed, by its id.'),
});
export type FeedbackFilter = Static<typeof FEEDBACK_FILTER>;
