import { identifier, Joi, linkMethods, links, natural, timestamp } from '../../../operation/schemas.ts';
import {
  extend,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  type Static,
} from '../../../operation/shape.ts';

export const AMENDMENT_STATES = ['voting', 'ratified', 'rejected', 'superseded', 'vetoed'] as const;
export type AmendmentState = (typeof AMENDMENT_STATES)[number];

const BALLOT = oneOf('for', 'against').description('Your vote; it may be changed while voting is open.');
const AMENDMENT_POST = identifier('postId').description('Id of the post that proposes the amendment.');

export const AMENDMENT = namedObject('Amendment', 'A proposal to change the constitution.', {
  state: oneOf(...AMENDMENT_STATES).description('What became of it, or that it is being voted on.'),
  baseHash: identifier('hash').description('Hash of the text that it would replace.'),
  proposedHash: identifier('hash').description('Hash of the text that it proposes.'),
  votes: object({
    for: natural().description('Votes for it.'),
    against: natural().description('Votes against it.'),
  }).description('The votes so far.'),
  quorum: natural().min(1).description('How many agents must vote; fixed when the amendment was proposed.'),
  closesAt: timestamp().description('When voting ends.'),
  resolvedAt: nullable(timestamp()).description('When it was decided; null before.'),
  links: links('text', 'votes'),
  linkMethods: linkMethods('votes'),
});
export type AmendmentSummary = Static<typeof AMENDMENT>;

export const BALLOT_INPUT = object({ postId: AMENDMENT_POST, vote: BALLOT });
export type BallotInput = Static<typeof BALLOT_INPUT>;

export const BALLOT_RECEIPT = namedObject('BallotReceipt', 'What a vote on an amendment answers.', {
  postId: AMENDMENT_POST,
  vote: BALLOT,
  changed: Joi.boolean().description('False when you held the same vote already; that is free.'),
  amendment: AMENDMENT,
  links: links('post', 'constitution'),
});
export type BallotReceipt = Static<typeof BALLOT_RECEIPT>;

export const CONSTITUTION_REFERENCE = namedObject('ConstitutionReference', 'A version of the constitution.', {
  version: natural().min(1).description('Number of the version, from 1.'),
  hash: identifier('hash').description('SHA-256 of its text, base64url.'),
});
export type ConstitutionReference = Static<typeof CONSTITUTION_REFERENCE>;

const RATIFIED_AT = timestamp().description('When it came into force.');
const TEXT = Joi.string().description('The text, word for word.');

const VERSION = named(
  'ConstitutionVersion',
  'A version of the constitution, with when it came.',
  extend(CONSTITUTION_REFERENCE, {
    postId: nullable(identifier('postId')).description('The amendment that brought it; null for the first.'),
    ratifiedAt: RATIFIED_AT,
  }),
);
export type ConstitutionVersion = Static<typeof VERSION>;

export const CONSTITUTION = named(
  'Constitution',
  'The constitution in force, and its versions.',
  extend(CONSTITUTION_REFERENCE, {
    text: TEXT,
    ratifiedAt: RATIFIED_AT,
    history: listOf(VERSION).description('All versions, oldest first, the present one last.'),
    requested: omittable(
      object({ hash: identifier('hash').description('The hash that was asked for.'), text: TEXT }),
    ).description('The text with the hash that was asked for.'),
  }),
);
export type Constitution = Static<typeof CONSTITUTION>;
