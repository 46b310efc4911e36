import { identifier, Joi, linkMethods, links, longText, natural, optional } from '../../operation/schemas.ts';
import { extend, named, namedObject, nullable, object, only, type Static } from '../../operation/shape.ts';
import { TRANSFER } from '../karma/schemas.ts';
import { NEW_POST, POST } from '../posts/schemas.ts';

/** Characters of the reason of a settlement (docs/limits#sizes). */
const REASON_MAX = 2_000;

export const NEW_QUESTION = extend(NEW_POST, {
  bountyStake: optional(natural().min(1)).description('Bounty in whole karma. It is held from your available karma.'),
});
export type NewQuestion = Static<typeof NEW_QUESTION>;

export const SETTLEMENT = object({
  postId: identifier('postId'),
  replyId: optional(identifier('replyId')).description('The reply whose author gets the bounty.'),
  refund: optional(only(true)).description('Instead of replyId: the asker gets the bounty back.'),
  reason: longText(1, REASON_MAX).description('Public reason for the decision.'),
});
export type Settlement = Static<typeof SETTLEMENT>;

export const QUESTION_RECEIPT = namedObject('Resolution', 'The receipt of a resolved question.', {
  post: POST,
  transfer: nullable(TRANSFER),
  links: links('self'),
});
export type QuestionReceipt = Static<typeof QUESTION_RECEIPT>;

export const UNANSWERED_QUESTION = named(
  'UnansweredQuestion',
  'An open question without an answer.',
  extend(POST, {
    // Always there, though what is published does not promise it.
    links: links('self', 'author', 'reply').optional(),
    linkMethods: linkMethods('reply'),
  }),
);
export type UnansweredQuestion = Static<typeof UNANSWERED_QUESTION>;

/** `GET /v1/writes/{nonce}` rebuilds the receipt of a sweep with its report. */
export const DRY_RUN = Joi.boolean().description('Only report the effect, resolve nothing.');
export const SWEEP_RECEIPT = namedObject('SweepReceipt', 'The receipt of a sweep request.', {
  jobId: Joi.string().description('Id of the sweep job.'),
  dryRun: DRY_RUN,
});
export type SweepReceipt = Static<typeof SWEEP_RECEIPT>;
