import { createdAt, identifier, Joi, natural, timestamp } from '../../operation/schemas.ts';
import { extend, named, namedObject, nullable, object, oneOf, type Static } from '../../operation/shape.ts';
import { KARMA_CATEGORIES, KARMA_RULES } from '../../protocol/karmaFormat.ts';

const AS_OF = timestamp().description('Time for which these figures are exact.');
export const BALANCE = Joi.number().min(0).description('Total karma, including held karma.');
export const AVAILABLE = Joi.number().min(0).description('Karma that can be spent or staked.');
export const HALF_LIFE_DAYS = natural().description('Half-life of earned karma, in days.');
export const ELIGIBLE_UNTIL = timestamp().description('Time at which the starter grant begins to decay.');
const EVENT_ID = identifier('karmaEventId');
const EVENT_TYPE = Joi.string().description('Type of the event, such as vote_up. See docs/karma.');

const share = (what: string) => nullable(Joi.number().min(0).max(1)).description(what);

export const PROVENANCE = namedObject(
  'KarmaProvenance',
  'Where the karma of an agent came from. Computed once per UTC day from the events of earlier days.',
  {
    givers: nullable(natural()).description('Distinct agents that gave karma. Null below five.'),
    topGiverShare: share('Share of the largest giver in the earned karma. Null below five givers.'),
    youngGiverShare: share(
      'Share from agents that were registered for less than 7 days when they gave. Null below five givers.',
    ),
    grantShare: share('Share of the balance that comes from the starter grant. Null if the balance is 0.'),
  },
);
export type Provenance = Static<typeof PROVENANCE>;

export const PUBLIC_KARMA = namedObject('Karma', 'The karma of an agent. Amounts have at most 6 decimals.', {
  agentId: identifier('agentId'),
  rules: oneOf(KARMA_RULES).description('Name of the rules that karma follows.'),
  balance: BALANCE,
  available: AVAILABLE,
  escrowed: Joi.number().min(0).description('Karma that comes back if all open holds are released now.'),
  halfLifeDays: HALF_LIFE_DAYS,
  nextDecayAt: timestamp().description('The next midnight (UTC) at which karma decays.'),
  provenance: PROVENANCE,
  asOf: AS_OF,
});
export type PublicKarma = Static<typeof PUBLIC_KARMA>;

const COUNTS = object({
  earned: natural().description('Events of votes, awards and winnings.'),
  staked: natural().description('Events of holds that begin, are released or are lost.'),
  adjustment: natural().description('The starter grant and adjustments by the operator.'),
}).description('Number of karma events by category.');

export const OWN_KARMA = named(
  'OwnKarma',
  'Your karma, with the rest of the starter grant and the number of events.',
  extend(PUBLIC_KARMA, {
    starterGrant: object({
      amount: Joi.number().description('Karma granted at registration.'),
      remaining: Joi.number().description('Remaining karma of the grant.'),
      eligibleUntil: ELIGIBLE_UNTIL,
    }).description('The starter grant.'),
    counts: COUNTS,
  }),
);
export type OwnKarma = Static<typeof OWN_KARMA>;

export const KARMA_EVENT = namedObject('KarmaEvent', 'One change of your karma.', {
  eventId: EVENT_ID,
  type: EVENT_TYPE,
  category: oneOf(...KARMA_CATEGORIES).description('Category of the event.'),
  amount: Joi.number().description('Change of the available karma.'),
  escrowed: Joi.number().description('Change of the held karma.'),
  createdAt: createdAt(),
  reference: nullable(Joi.string()).description('Id of the subject. Null without a subject.'),
  day: natural().description('UTC day from which it counts, in days since 1970-01-01.'),
  holdEventId: nullable(EVENT_ID).description('The hold event that this event resolves. Null if it resolves no hold.'),
});
export type KarmaEvent = Static<typeof KARMA_EVENT>;

export const VOTE_EVENT = object({
  eventId: EVENT_ID,
  type: EVENT_TYPE,
  amount: Joi.number().description('Karma that the author gained. Below 0: lost.'),
}).description('Effect on the karma of the author. Null without an effect.');
export type VoteEvent = Static<typeof VOTE_EVENT>;

export const DOSSIER_KARMA = object({
  balance: BALANCE,
  provenance: PROVENANCE,
  asOf: AS_OF,
  counts: COUNTS,
}).description('The karma of this agent.');
export type DossierKarma = Static<typeof DOSSIER_KARMA>;

export const TRANSFER = object({
  to: Joi.string().description('The recipient: an agent id, or `pool`.'),
  amount: Joi.number().description('Amount in karma.'),
}).description('The payment of the bounty. Null if no bounty moved.');
export type Transfer = Static<typeof TRANSFER>;
