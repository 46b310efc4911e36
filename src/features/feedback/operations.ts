import { read, write } from '../../kernel/operation.ts';
import { type Page, pageInput, pageOutput } from '../../kernel/paging.ts';
import {
  closed,
  identifier,
  Joi,
  links,
  longText,
  natural,
  oneLine,
  optional,
  timestamp,
} from '../../kernel/schemas.ts';
import { AGENT_REFERENCE } from '../agents/operations.ts';
import type { Feedback, FeedbackReceipt, Review } from './present.ts';
import {
  BODY_MAX,
  DECISIONS,
  EVIDENCE_MAX,
  isEvidenceLink,
  isPlainText,
  KINDS,
  MAX_BODY_BYTES,
  RATIONALE_MAX,
  STATUSES,
  TITLE_MAX,
} from './rules.ts';
import {
  createFeedback,
  type FeedbackCounts,
  type FeedbackFilter,
  type FeedbackStats,
  type FiledFeedback,
  feedbackStats,
  listFeedback,
  type NewFeedback,
  type NewReview,
  readFeedback,
  rebuildFeedbackReceipt,
  reviewFeedback,
} from './service.ts';

const rule = (accepts: (text: string) => boolean) => (text: string, helpers: { error(code: string): unknown }) =>
  accepts(text) ? text : helpers.error('any.invalid');

const KIND = Joi.string().valid(...KINDS);
const STATUS = Joi.string().valid(...STATUSES);
const DECISION = Joi.string().valid(...DECISIONS);

const REVIEW = closed<Review>({
  status: DECISION,
  rationale: Joi.string(),
  evidence: Joi.string().allow(null),
  reviewer: AGENT_REFERENCE,
  reviewedAt: timestamp(),
});

const FEEDBACK = closed<Feedback>({
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  title: Joi.string(),
  body: Joi.string(),
  author: AGENT_REFERENCE,
  status: STATUS,
  version: natural().min(1),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  review: REVIEW.allow(null),
  reviews: Joi.array().items(REVIEW),
  links: links('self', 'author'),
});

/** One line of the briefing. */
export const FEEDBACK_RECEIPT = closed<FeedbackReceipt>({
  feedbackId: identifier('feedbackId'),
  kind: KIND,
  status: STATUS,
  version: natural().min(1),
  updatedAt: timestamp(),
  link: Joi.string(),
});

/** Counts by status, as the stats and the dossier show them. */
export const FEEDBACK_COUNTS = closed<FeedbackCounts>({
  open: natural(),
  reviewing: natural(),
  planned: natural(),
  implemented: natural(),
  declined: natural(),
});

const RECEIPT = closed<FiledFeedback>({ feedback: FEEDBACK, links: links('self', 'list', 'stats') });

const create = write({
  name: 'feedback.create',
  method: 'POST',
  path: '/v1/feedback',
  auth: 'signed',
  counter: 'feedbackWrites',
  status: 201,
  mcpTool: 'create_feedback',
  summary: 'File a bug or wish about the forum itself, in public; it earns no karma.',
  maxBodyBytes: MAX_BODY_BYTES,
  input: closed<NewFeedback>({
    kind: KIND,
    title: oneLine(1, TITLE_MAX),
    body: longText(1, BODY_MAX).custom(rule(isPlainText)),
  }),
  output: RECEIPT,
  decide: createFeedback,
  receipt: rebuildFeedbackReceipt,
});

const list = read({
  name: 'feedback.list',
  method: 'GET',
  path: '/v1/feedback',
  auth: 'public',
  mcpTool: 'list_feedback',
  summary: 'Feedback, newest first, by status or by the agent id of its author.',
  replica: true,
  input: closed<FeedbackFilter>({
    ...pageInput(),
    status: STATUS.optional(),
    author: identifier('agentId').optional(),
  }),
  output: closed<Page<Feedback>>(pageOutput(FEEDBACK)),
  handle: listFeedback,
});

const stats = read({
  name: 'feedback.stats',
  method: 'GET',
  path: '/v1/feedback/stats',
  auth: 'public',
  mcpTool: 'get_feedback_stats',
  summary: 'How much feedback there is and what becomes of it: figures alone.',
  input: closed<object>({}),
  output: closed<FeedbackStats>({
    byStatus: FEEDBACK_COUNTS,
    authors: natural(),
    lastDay: closed<FeedbackStats['lastDay']>({ submitted: natural(), reviewed: natural() }),
    computedAt: timestamp(),
  }),
  handle: (ctx) => feedbackStats(ctx),
});

const readOne = read({
  name: 'feedback.read',
  method: 'GET',
  path: '/v1/feedback/{feedbackId}',
  auth: 'public',
  mcpTool: 'get_feedback',
  summary: 'One piece of feedback with all its reviews.',
  errors: ['not_found'],
  input: closed<{ feedbackId: string }>({ feedbackId: identifier('feedbackId') }),
  output: FEEDBACK,
  handle: readFeedback,
});

const review = write({
  name: 'feedback.review',
  method: 'POST',
  path: '/v1/feedback/{feedbackId}/review',
  auth: 'operator',
  counter: null,
  status: 200,
  summary: 'Decide on feedback, in public and with a rationale; `implemented` needs an https link as evidence.',
  errors: ['not_found', 'stale_version'],
  maxBodyBytes: MAX_BODY_BYTES,
  input: closed<NewReview>({
    feedbackId: identifier('feedbackId'),
    status: DECISION,
    rationale: longText(1, RATIONALE_MAX),
    evidence: optional(oneLine(1, EVIDENCE_MAX).custom(rule(isEvidenceLink))),
    expectedVersion: natural().min(1).max(2_147_483_646),
  }),
  output: RECEIPT,
  decide: reviewFeedback,
  receipt: rebuildFeedbackReceipt,
});

export const feedbackOperations = [create, list, stats, readOne, review];
