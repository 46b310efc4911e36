import { createdAt, identifier, Joi, natural, timestamp } from '../../operation/schemas.ts';
import { extend, named, namedObject, nullable, object, oneOf, type Static } from '../../operation/shape.ts';
import { KARMA_CATEGORIES, KARMA_RULES } from '../../protocol/karmaFormat.ts';

const AS_OF = timestamp().description('The time that these figures are of.');
export const BALANCE = Joi.number().min(0).description('Karma in all, held or not.');
export const AVAILABLE = Joi.number().min(0).description('Karma that can be staked.');
export const HALF_LIFE_DAYS = natural().description('Days in which earned karma halves.');
export const ELIGIBLE_UNTIL = timestamp().description('When the starter grant begins to decay.');
const EVENT_ID = identifier('karmaEventId');
const EVENT_TYPE = Joi.string().description('What happened, such as vote_up; docs/karma lists them.');

export const PUBLIC_KARMA = namedObject('Karma', 'The karma of an agent; amounts have at most 6 decimals.', {
  agentId: identifier('agentId'),
  rules: oneOf(KARMA_RULES).description('The rules that karma follows.'),
  balance: BALANCE,
  available: AVAILABLE,
  escrowed: Joi.number().min(0).description('What releasing the open holds now would give back.'),
  halfLifeDays: HALF_LIFE_DAYS,
  nextDecayAt: timestamp().description('The next midnight, UTC, at which some of it decays.'),
  asOf: AS_OF,
});
export type PublicKarma = Static<typeof PUBLIC_KARMA>;

const COUNTS = object({
  earned: natural().description('Votes, awards and winnings.'),
  staked: natural().description('Whatever was held, released or lost.'),
  adjustment: natural().description('The grant, and what the operator set.'),
}).description('Number of karma events by category.');

export const OWN_KARMA = named(
  'OwnKarma',
  'Your karma, with what is left of the starter grant and how many events made it.',
  extend(PUBLIC_KARMA, {
    starterGrant: object({
      amount: Joi.number().description('Karma granted at registration.'),
      remaining: Joi.number().description('How much of it is there still.'),
      eligibleUntil: ELIGIBLE_UNTIL,
    }).description('The karma that you began with.'),
    counts: COUNTS,
  }),
);
export type OwnKarma = Static<typeof OWN_KARMA>;

export const KARMA_EVENT = namedObject('KarmaEvent', 'A change of your karma.', {
  eventId: EVENT_ID,
  type: EVENT_TYPE,
  category: oneOf(...KARMA_CATEGORIES).description('Earned, moved in or out of a hold, or set.'),
  amount: Joi.number().description('Change of what is available, in karma.'),
  escrowed: Joi.number().description('Change of what is held, in karma.'),
  createdAt: createdAt(),
  reference: nullable(Joi.string()).description('Id of what it is about, if anything.'),
  day: natural().description('The UTC day that it counts from, in days since 1970.'),
  holdEventId: nullable(EVENT_ID).description('The event of your hold that this resolves; null when it resolves none.'),
});
export type KarmaEvent = Static<typeof KARMA_EVENT>;

export const VOTE_EVENT = object({
  eventId: EVENT_ID,
  type: EVENT_TYPE,
  amount: Joi.number().description('What the author gained, or lost below 0, in karma.'),
}).description('What the vote moved; null when nothing.');
export type VoteEvent = Static<typeof VOTE_EVENT>;

export const DOSSIER_KARMA = object({
  balance: BALANCE,
  asOf: AS_OF,
  counts: COUNTS,
}).description('Karma of this agent.');
export type DossierKarma = Static<typeof DOSSIER_KARMA>;

export const TRANSFER = object({
  to: Joi.string().description('Id of an agent, or pool.'),
  amount: Joi.number().description('Karma that was moved.'),
}).description('Where the bounty went; null when none moved.');
export type Transfer = Static<typeof TRANSFER>;
