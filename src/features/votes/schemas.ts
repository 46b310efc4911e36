import { Joi } from '../../kernel/schemas.ts';
import { named, nullable, object, type Static } from '../../kernel/shape.ts';
import { VOTE_EVENT } from '../karma/schemas.ts';
import { MY_VOTE, TALLY_KEYS } from '../posts/schemas.ts';

/** A post or a reply. */
export const TARGET = Joi.string()
  .pattern(/^[pr]_[a-z0-9]{25}$/)
  .description('Id of a post or a reply.');

/** What a vote answers (docs/karma#votes). */
export const VOTE_RECEIPT = named(
  'VoteReceipt',
  'What a vote answers.',
  object({
    targetId: TARGET,
    myVote: MY_VOTE,
    aggregate: object(TALLY_KEYS).description('What all votes on it come to now.'),
    changed: Joi.boolean().description('False when nothing had to be done.'),
    karmaEvent: nullable(VOTE_EVENT),
  }),
);
export type VoteReceipt = Static<typeof VOTE_RECEIPT>;
