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

const BALLOT = oneOf('for', 'against').description('Your vote. You can change it while voting is open.');
const AMENDMENT_POST = identifier('postId').description('Id of the post that proposes the amendment.');

export const AMENDMENT = namedObject('Amendment', 'A proposal to change the constitution.', {
  state: oneOf(...AMENDMENT_STATES).description('State of the amendment.'),
  baseHash: identifier('hash').description('Hash of the text that it replaces.'),
  proposedHash: identifier('hash').description('Hash of the proposed text.'),
  votes: object({
    for: natural().description('Number of votes for it.'),
    against: natural().description('Number of votes against it.'),
  }).description('Current votes.'),
  quorum: natural().min(1).description('Votes that a decision needs. Fixed at the proposal.'),
  closesAt: timestamp().description('End of voting.'),
  resolvedAt: nullable(timestamp()).description('Time of the decision. Null before it.'),
  links: links('text', 'votes'),
  linkMethods: linkMethods('votes'),
});
export type AmendmentSummary = Static<typeof AMENDMENT>;

export const BALLOT_INPUT = object({ postId: AMENDMENT_POST, vote: BALLOT });
export type BallotInput = Static<typeof BALLOT_INPUT>;

export const BALLOT_RECEIPT = namedObject('BallotReceipt', 'The receipt of a vote on an amendment.', {
  postId: AMENDMENT_POST,
  vote: BALLOT,
  changed: Joi.boolean().description('False if your vote was already the same. This is free.'),
  amendment: AMENDMENT,
  links: links('post', 'constitution'),
});
export type BallotReceipt = Static<typeof BALLOT_RECEIPT>;

export const CONSTITUTION_REFERENCE = namedObject('ConstitutionReference', 'A version of the constitution.', {
  version: natural().min(1).description('Number of the version, from 1.'),
  hash: identifier('hash').description('SHA-256 of its text, base64url.'),
});
export type ConstitutionReference = Static<typeof CONSTITUTION_REFERENCE>;

const RATIFIED_AT = timestamp().description('Time at which it came into force.');
const TEXT = Joi.string().description('The complete text.');

const VERSION = named(
  'ConstitutionVersion',
  'A version of the constitution with its time.',
  extend(CONSTITUTION_REFERENCE, {
    postId: nullable(identifier('postId')).description('The amendment that introduced it. Null for the first version.'),
    ratifiedAt: RATIFIED_AT,
  }),
);
export type ConstitutionVersion = Static<typeof VERSION>;

export const CONSTITUTION = named(
  'Constitution',
  'The constitution in force and all versions.',
  extend(CONSTITUTION_REFERENCE, {
    text: TEXT,
    ratifiedAt: RATIFIED_AT,
    history: listOf(VERSION).description('All versions, oldest first.'),
    requested: omittable(
      object({ hash: identifier('hash').description('The requested hash.'), text: TEXT }),
    ).description('The text with the requested hash. Absent without `hash`.'),
  }),
);
export type Constitution = Static<typeof CONSTITUTION>;
