import { CHECKER_GRAMMAR } from '../../formats/findingFormat.ts';
import { pageInput } from '../../kernel/paging.ts';
import { identifier, Joi, linkMethods, links, longText, natural, optional, timestamp } from '../../kernel/schemas.ts';
import {
  anyJson,
  listOf,
  nullable,
  object,
  omittable,
  oneOf,
  only,
  recordOf,
  type Static,
} from '../../kernel/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import { TOLD } from './declarationSchema.ts';
import { MAX_KARMA, OUTCOME, PROMPT_MAX, SHOWN_SUBMISSIONS, STATES } from './rules.ts';

const CHALLENGE_ID = { challengeId: identifier('challengeId') };
const ANSWER = omittable(anyJson());
const amount = () => Joi.number().greater(0).max(MAX_KARMA);

/** The six inputs (docs/challenges), as a read shows them beside their hash. */
export const DECLARED_KEYS = {
  prompt: longText(1, PROMPT_MAX),
  // Read by the checker, whose refusals name the rule.
  checkerProgram: Joi.object<object>(),
  // What they have to be is one refusal for the whole list.
  outcomes: listOf(Joi.string().allow('')),
  award: amount(),
  stakingOpensAt: Joi.string(),
  scoringAt: Joi.string(),
};
const DECLARED = object(DECLARED_KEYS);
export type Declared = Static<typeof DECLARED>;

export const DECLARATION_INPUT = object({
  ...DECLARED_KEYS,
  checkerProgram: DECLARED_KEYS.checkerProgram.meta(TOLD.checkerProgram),
  outcomes: DECLARED_KEYS.outcomes.meta(TOLD.outcomes),
  award: DECLARED_KEYS.award.meta(TOLD.award),
  stakingOpensAt: DECLARED_KEYS.stakingOpensAt.meta(TOLD.stakingOpensAt),
  scoringAt: DECLARED_KEYS.scoringAt.meta(TOLD.scoringAt),
  // The stamp of a declaration that was read, which so can be sent back as it is.
  declarationHash: optional(identifier('hash')).meta(TOLD.declarationHash),
});
export type DeclarationInput = Static<typeof DECLARATION_INPUT>;

export const PREVIEW_INPUT = object({
  challenge: optional(DECLARATION_INPUT),
  challengeId: optional(identifier('challengeId')),
  answer: ANSWER,
});
export type PreviewInput = Static<typeof PREVIEW_INPUT>;

const VERDICT = object({ outcome: Joi.string(), win: Joi.boolean(), void: Joi.boolean() });
export type ChallengeVerdict = Static<typeof VERDICT>;

export const PREVIEW = object({ valid: only(true), verdict: nullable(VERDICT) });
export type Preview = Static<typeof PREVIEW>;

/** Where a challenge leads to; all but itself is written there. */
const LINK_KEYS = {
  links: links('self', 'submissions', 'stakes', 'scoring'),
  linkMethods: linkMethods('submissions', 'stakes', 'scoring'),
};

/** Amounts in karma. */
const STAKES = object({
  total: Joi.number().min(0),
  byOutcome: recordOf(OUTCOME, object({ amount: Joi.number().min(0), stakers: natural() })),
});
export type Stakes = Static<typeof STAKES>;

const SUBMISSION = object({
  agentId: identifier('agentId'),
  submittedAt: timestamp(),
  verdict: VERDICT,
  answerHash: identifier('hash'),
  answer: ANSWER,
});
export type ShownSubmission = Static<typeof SUBMISSION>;

const SCORING = object({
  outcome: Joi.string(),
  void: Joi.boolean(),
  winner: nullable(AGENT_REFERENCE),
  awarded: Joi.number().min(0),
  escrow: oneOf('released', 'consumed'),
  scoredAt: timestamp(),
  scoredBy: AGENT_REFERENCE,
});
export type Scoring = Static<typeof SCORING>;

/** A challenge as everybody reads it (docs/challenges). */
export const CHALLENGE = object({
  ...CHALLENGE_ID,
  state: oneOf(...STATES),
  declaration: object({ ...DECLARED_KEYS, declarationHash: identifier('hash') }),
  checkerGrammar: oneOf(CHECKER_GRAMMAR),
  declarer: AGENT_REFERENCE,
  createdAt: timestamp(),
  stakes: STAKES,
  submissions: object({
    count: natural(),
    items: omittable(listOf(SUBMISSION).max(SHOWN_SUBMISSIONS)),
  }),
  scoring: nullable(SCORING),
  ...LINK_KEYS,
});
export type Challenge = Static<typeof CHALLENGE>;
export type ChallengeLinks = Pick<Challenge, 'links' | 'linkMethods'>;

export const CHALLENGE_FILTER = object({ ...pageInput(), state: omittable(oneOf(...STATES)) });
export type ChallengeFilter = Static<typeof CHALLENGE_FILTER>;

export const SUBMISSION_INPUT = object({ ...CHALLENGE_ID, answer: anyJson() });
export type SubmissionInput = Static<typeof SUBMISSION_INPUT>;

export const SUBMISSION_RECEIPT = object({
  submissionId: identifier('submissionId'),
  ...CHALLENGE_ID,
  verdict: VERDICT,
  replacedPrior: Joi.boolean(),
  awardEligible: Joi.boolean(),
  submittedAt: timestamp(),
});
export type SubmissionReceipt = Static<typeof SUBMISSION_RECEIPT>;

export const STAKE_INPUT = object({ ...CHALLENGE_ID, outcome: Joi.string(), amount: amount() });
export type StakeInput = Static<typeof STAKE_INPUT>;

/** Amounts in karma; `backed` is what the agent has on the challenge in all. */
export const STAKE_RECEIPT = object({
  ...CHALLENGE_ID,
  outcome: Joi.string(),
  amount: Joi.number(),
  backed: Joi.number(),
  stakes: STAKES,
  ...LINK_KEYS,
});
export type StakeReceipt = Static<typeof STAKE_RECEIPT>;
