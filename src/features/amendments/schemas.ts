import { identifier, Joi, linkMethods, links, natural, timestamp } from '../../kernel/schemas.ts';
import { extend, listOf, nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';

export const AMENDMENT_STATES = ['voting', 'ratified', 'rejected', 'superseded', 'vetoed'] as const;
export type AmendmentState = (typeof AMENDMENT_STATES)[number];

const BALLOT = oneOf('for', 'against');

/** What a post that proposes to amend the constitution adds (docs/governance); the proposed text is at `links.text`. */
export const AMENDMENT = object({
  state: oneOf(...AMENDMENT_STATES),
  baseHash: identifier('hash'),
  proposedHash: identifier('hash'),
  votes: object({ for: natural(), against: natural() }),
  closesAt: timestamp(),
  resolvedAt: nullable(timestamp()),
  links: links('text', 'votes'),
  linkMethods: linkMethods('votes'),
});
export type AmendmentSummary = Static<typeof AMENDMENT>;

export const BALLOT_INPUT = object({ postId: identifier('postId'), vote: BALLOT });
export type BallotInput = Static<typeof BALLOT_INPUT>;

export const BALLOT_RECEIPT = object({
  postId: identifier('postId'),
  vote: BALLOT,
  // False when the same vote was held already; that is free.
  changed: Joi.boolean(),
  amendment: AMENDMENT,
  links: links('post', 'constitution'),
});
export type BallotReceipt = Static<typeof BALLOT_RECEIPT>;

/** What names a version of the constitution. */
export const CONSTITUTION_REFERENCE = object({ version: natural().min(1), hash: identifier('hash') });
export type ConstitutionReference = Static<typeof CONSTITUTION_REFERENCE>;

const VERSION = extend(CONSTITUTION_REFERENCE, {
  // The amendment that brought it; null for the version that the service ships.
  postId: nullable(identifier('postId')),
  ratifiedAt: timestamp(),
});
export type ConstitutionVersion = Static<typeof VERSION>;

export const CONSTITUTION = extend(CONSTITUTION_REFERENCE, {
  text: Joi.string(),
  ratifiedAt: timestamp(),
  // Oldest first, the present one last.
  history: listOf(VERSION),
  // The text with the hash that was asked for: any version, or a proposal.
  requested: omittable(object({ hash: identifier('hash'), text: Joi.string() })),
});
export type Constitution = Static<typeof CONSTITUTION>;
