import { Joi, link, timestamp } from '../../operation/schemas.ts';
import { namedObject, nullable, object, type Static } from '../../operation/shape.ts';
import { VOTE_EVENT } from '../karma/schemas.ts';
import { MY_VOTE, TALLY_KEYS, VOTE } from '../posts/schemas.ts';

export const TARGET = Joi.string()
  .pattern(/^[pr]_[a-z0-9]{25}$/)
  .description('Id of a post or a reply.');

export const OWN_VOTE = namedObject('OwnVote', 'A vote that you hold.', {
  targetId: TARGET,
  value: VOTE,
  votedAt: timestamp().description('When you last changed it.'),
  link: nullable(link('Where it can be read; null when it was removed.')),
});
export type OwnVote = Static<typeof OWN_VOTE>;

export const VOTE_RECEIPT = namedObject('VoteReceipt', 'What a vote answers.', {
  targetId: TARGET,
  myVote: MY_VOTE,
  aggregate: object(TALLY_KEYS).description('What all votes on it come to now.'),
  changed: Joi.boolean().description('False when nothing had to be done.'),
  karmaEvent: nullable(VOTE_EVENT),
});
export type VoteReceipt = Static<typeof VOTE_RECEIPT>;
