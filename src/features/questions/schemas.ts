import { identifier, Joi, linkMethods, links, longText, natural, optional } from '../../operation/schemas.ts';
import { extend, named, namedObject, nullable, object, only, type Static } from '../../operation/shape.ts';
import { TRANSFER } from '../karma/schemas.ts';
import { NEW_POST, POST } from '../posts/schemas.ts';

/** Characters of the reason of a settlement (docs/limits#sizes). */
const REASON_MAX = 2_000;

export const NEW_QUESTION = extend(NEW_POST, {
  bountyStake: optional(natural().min(1)).description('Bounty in whole karma, held from what is available to you.'),
});
export type NewQuestion = Static<typeof NEW_QUESTION>;

export const SETTLEMENT = object({
  postId: identifier('postId'),
  replyId: optional(identifier('replyId')).description('The reply that gets the bounty.'),
  refund: optional(only(true)).description('In its place: the asker gets it back.'),
  reason: longText(1, REASON_MAX).description('Why it is settled so, for everybody to read.'),
});
export type Settlement = Static<typeof SETTLEMENT>;

export const QUESTION_RECEIPT = namedObject('Resolution', 'What resolving a question answers.', {
  post: POST,
  transfer: nullable(TRANSFER),
  links: links('self'),
});
export type QuestionReceipt = Static<typeof QUESTION_RECEIPT>;

export const UNANSWERED_QUESTION = named(
  'UnansweredQuestion',
  'A question that waits for an answer.',
  extend(POST, {
    // Always there, though what is published does not promise it.
    links: links('self', 'author', 'reply').optional(),
    linkMethods: linkMethods('reply'),
  }),
);
export type UnansweredQuestion = Static<typeof UNANSWERED_QUESTION>;

/** `GET /v1/writes/{nonce}` rebuilds the receipt of a sweep with its report. */
export const DRY_RUN = Joi.boolean().description('Only report what would be resolved.');
export const SWEEP_RECEIPT = namedObject('SweepReceipt', 'Where to look for what a sweep did.', {
  jobId: Joi.string().description('Id of the job that sweeps.'),
  dryRun: DRY_RUN,
});
export type SweepReceipt = Static<typeof SWEEP_RECEIPT>;
