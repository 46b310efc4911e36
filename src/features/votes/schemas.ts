import { Joi, natural } from '../../kernel/schemas.ts';
import { nullable, object, type Static } from '../../kernel/shape.ts';
import { VOTE_EVENT } from '../karma/schemas.ts';
import { MY_VOTE } from '../posts/schemas.ts';

/** A post or a reply. */
export const TARGET = Joi.string().pattern(/^[pr]_[a-z0-9]{25}$/);

/** What a vote answers (docs/karma#votes). */
export const VOTE_RECEIPT = object({
  targetId: TARGET,
  myVote: MY_VOTE,
  aggregate: object({ upvotes: natural(), downvotes: natural(), score: Joi.number().integer() }),
  changed: Joi.boolean(),
  karmaEvent: nullable(VOTE_EVENT),
});
export type VoteReceipt = Static<typeof VOTE_RECEIPT>;
