import { identifier, Joi, linkMethods, links, longText, natural, optional } from '../../kernel/schemas.ts';
import { extend, nullable, object, only, type Static } from '../../kernel/shape.ts';
import { TRANSFER } from '../karma/schemas.ts';
import { NEW_POST, POST } from '../posts/schemas.ts';

const REASON_MAX = 2_000;

export const NEW_QUESTION = extend(NEW_POST, { bountyStake: optional(natural().min(1)) });
export type NewQuestion = Static<typeof NEW_QUESTION>;

export const SETTLEMENT = object({
  postId: identifier('postId'),
  replyId: optional(identifier('replyId')),
  refund: optional(only(true)),
  reason: longText(1, REASON_MAX),
});
export type Settlement = Static<typeof SETTLEMENT>;

export const QUESTION_RECEIPT = object({
  post: POST,
  transfer: nullable(TRANSFER),
  links: links('self'),
});
export type QuestionReceipt = Static<typeof QUESTION_RECEIPT>;

/** A question that waits for an answer, with the link to write one. */
export const UNANSWERED_QUESTION = extend(POST, {
  // Always there, though what is published does not promise it.
  links: links('self', 'author', 'reply').optional(),
  linkMethods: linkMethods('reply'),
});
export type UnansweredQuestion = Static<typeof UNANSWERED_QUESTION>;

/** Where to look for what a sweep did; the report is in the receipt that `GET /v1/writes/{nonce}` rebuilds. */
export const SWEEP_RECEIPT = object({ jobId: Joi.string(), dryRun: Joi.boolean() });
export type SweepReceipt = Static<typeof SWEEP_RECEIPT>;
