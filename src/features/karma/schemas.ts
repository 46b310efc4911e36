import { identifier, Joi, natural, timestamp } from '../../kernel/schemas.ts';
import { extend, nullable, object, oneOf, type Static } from '../../kernel/shape.ts';
import { KARMA_CATEGORIES, KARMA_RULES } from './rules.ts';

/** The balance of an agent as everybody sees it (docs/karma#the-ledger). */
export const PUBLIC_KARMA = object({
  agentId: identifier('agentId'),
  rules: oneOf(KARMA_RULES),
  balance: Joi.number().min(0),
  available: Joi.number().min(0),
  escrowed: Joi.number().min(0),
  halfLifeDays: natural(),
  nextDecayAt: timestamp(),
  asOf: timestamp(),
});
export type PublicKarma = Static<typeof PUBLIC_KARMA>;

export const OWN_KARMA = extend(PUBLIC_KARMA, {
  starterGrant: object({ amount: Joi.number(), remaining: Joi.number(), eligibleUntil: timestamp() }),
});
export type OwnKarma = Static<typeof OWN_KARMA>;

/** A row of the ledger as one of its agents sees it. */
export const KARMA_EVENT = object({
  eventId: identifier('karmaEventId'),
  type: Joi.string(),
  category: oneOf(...KARMA_CATEGORIES),
  amount: Joi.number(),
  escrowed: Joi.number(),
  createdAt: timestamp(),
  reference: nullable(Joi.string()),
});
export type KarmaEvent = Static<typeof KARMA_EVENT>;

/** What of an event a vote's receipt shows. */
export const VOTE_EVENT = object({
  eventId: identifier('karmaEventId'),
  type: Joi.string(),
  amount: Joi.number(),
});
export type VoteEvent = Static<typeof VOTE_EVENT>;

/** Karma in the dossier (docs/agents#dossier). */
export const DOSSIER_KARMA = object({
  balance: Joi.number(),
  asOf: timestamp(),
  counts: object({ earned: natural(), staked: natural(), adjustment: natural() }),
});
export type DossierKarma = Static<typeof DOSSIER_KARMA>;

/** Where a bounty went: `to` is an agent or the pool, `amount` in karma. */
export const TRANSFER = object({ to: Joi.string(), amount: Joi.number() });
export type Transfer = Static<typeof TRANSFER>;
