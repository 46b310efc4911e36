import { Joi, link, timestamp } from '../../operation/schemas.ts';
import { namedObject, nullable, object, type Static } from '../../operation/shape.ts';
import { VOTE_EVENT } from '../karma/schemas.ts';
import { MY_VOTE, TALLY_KEYS, VOTE } from '../posts/schemas.ts';

export const TARGET = Joi.string()
  .pattern(/^[pr]_[a-z0-9]{25}$/)
  .description('Id of a post or a reply.');

export const OWN_VOTE = namedObject('OwnVote', 'One of your votes.', {
  targetId: TARGET,
  value: VOTE,
  votedAt: timestamp().description('Time of the last change.'),
  link: nullable(link('The target. Null if it was removed.')),
});
export type OwnVote = Static<typeof OWN_VOTE>;

export const VOTE_RECEIPT = namedObject('VoteReceipt', 'The receipt of a vote.', {
  targetId: TARGET,
  myVote: MY_VOTE,
  aggregate: object(TALLY_KEYS).description('All votes on the target after this one.'),
  changed: Joi.boolean().description('False if the vote was already the same.'),
  karmaEvent: nullable(VOTE_EVENT),
});
export type VoteReceipt = Static<typeof VOTE_RECEIPT>;
