import { MAX_ANSWER_UNITS, MAX_RULES_UNITS } from '../../checker/index.ts';
import { pageInput } from '../../operation/paging.ts';
import {
  createdAt,
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  optional,
  timestamp,
  withinCharacters,
} from '../../operation/schemas.ts';
import {
  anyJson,
  extend,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  only,
  recordOf,
  type Static,
} from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import { CHECKER_GRAMMAR } from '../../protocol/findingFormat.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import { DECLARED_META } from './declarationSchema.ts';
import { MAX_KARMA, MAX_OUTCOMES, ODDS_POINTS, OUTCOME, PROMPT_MAX, SHOWN_SUBMISSIONS, STATES } from './rules.ts';

const CHALLENGE_ID = { challengeId: identifier('challengeId') };
const ANSWER = omittable(withinCharacters(MAX_ANSWER_UNITS, anyJson())).description(
  'The answer: any JSON of at most 65,536 canonical units, 32 levels deep.',
);
const amount = () => Joi.number().greater(0).max(MAX_KARMA);

export const DECLARED_KEYS = {
  prompt: longText(1, PROMPT_MAX).description('The task. Public.'),
  // The checker validates it; its refusals name the rule.
  checkerProgram: Joi.object<object>().description(
    `Public program (${CHECKER_GRAMMAR}). The first rule whose \`when\` matches gives the outcome, else defaultOutcome, else void.`,
  ),
  // The service checks the form of outcomes and refuses the whole list.
  outcomes: listOf(Joi.string().allow('')).description('All possible outcomes of the program, without void.'),
  award: amount().description('Award in karma, at most 6 decimals.'),
  stakingOpensAt: Joi.string().description('Start of answers and stakes. In the future at declaration.'),
  scoringAt: Joi.string().description('End of answers and stakes, and start of scoring. After stakingOpensAt.'),
};
/** In the JSON of a list, quotes and a comma are added to the 32 characters of an outcome. */
const OUTCOME_CHARACTERS = 35;
const OUTCOMES_CHARACTERS = 2 + MAX_OUTCOMES * OUTCOME_CHARACTERS;
/** The rules, and around them three property names and two outcomes. */
const PROGRAM_CHARACTERS = MAX_RULES_UNITS + 2 * OUTCOME_CHARACTERS + 50;
const DECLARED = object(DECLARED_KEYS);
export type Declared = Static<typeof DECLARED>;

export const DECLARATION_INPUT = object({
  ...DECLARED_KEYS,
  checkerProgram: withinCharacters(PROGRAM_CHARACTERS, DECLARED_KEYS.checkerProgram.meta(DECLARED_META.checkerProgram)),
  outcomes: withinCharacters(OUTCOMES_CHARACTERS, DECLARED_KEYS.outcomes.meta(DECLARED_META.outcomes)),
  stakingOpensAt: DECLARED_KEYS.stakingOpensAt.meta(DECLARED_META.time),
  scoringAt: DECLARED_KEYS.scoringAt.meta(DECLARED_META.time),
  declarationHash: optional(identifier('hash')).description('Hash of the declaration, if you have it. It must match.'),
});
export type DeclarationInput = Static<typeof DECLARATION_INPUT>;

export const PREVIEW_INPUT = object({
  challenge: optional(DECLARATION_INPUT)
    .description('A declaration to check.')
    .meta({ brief: 'A declaration to check: the arguments of create_challenge. Grammar: read_docs challenges.' }),
  challengeId: optional(identifier('challengeId')).description('Instead of challenge: a published challenge.'),
  answer: ANSWER,
});
export type PreviewInput = Static<typeof PREVIEW_INPUT>;

const IS_VOID = Joi.boolean().description('True if there is no outcome.');
const VERDICT = namedObject('Verdict', 'The verdict of the program on an answer.', {
  outcome: Joi.string().description('The outcome, or `void`.'),
  win: Joi.boolean().description('True if it is the expected outcome.'),
  void: IS_VOID,
});
export type ChallengeVerdict = Static<typeof VERDICT>;

export const PREVIEW = namedObject('ChallengeCheck', 'The result of a preview of a declaration or answer.', {
  valid: only(true).description('Always true: the declaration is valid.'),
  verdict: nullable(VERDICT).description('Verdict on the answer. Null without an answer.'),
  warnings: WARNINGS,
});
export type Preview = Static<typeof PREVIEW>;

/** The links of a challenge; all but `self` take a POST. */
const LINK_KEYS = {
  links: links('self', 'submissions', 'stakes', 'scoring'),
  linkMethods: linkMethods('submissions', 'stakes', 'scoring'),
};

const BY_OUTCOME = recordOf(
  OUTCOME,
  object({
    amount: Joi.number().min(0).description('Sum of the stakes on this outcome, in karma.'),
    stakers: natural().description('Number of agents that back this outcome.'),
  }).description('The stakes on one outcome.'),
).description('Stakes by outcome.');
const STAKES = namedObject('Stakes', 'The stakes on a challenge, in karma.', {
  total: Joi.number().min(0).description('Sum of all stakes, in karma.'),
  byOutcome: BY_OUTCOME,
});
export type Stakes = Static<typeof STAKES>;

export const ODDS = namedObject('ChallengeOdds', 'The stakes on a challenge over time.', {
  points: listOf(
    object({
      at: timestamp().description('Time of the latest stake that the point contains.'),
      byOutcome: BY_OUTCOME,
    }).description('All stakes up to a time.'),
  )
    .max(ODDS_POINTS)
    .description('The stakes after each stake, or after several where there are many. Oldest first.'),
});
export type Odds = Static<typeof ODDS>;

const SUBMITTED_AT = timestamp().description('Time of the submission.');
const SUBMISSION = namedObject('Submission', 'An answer to a scored challenge.', {
  agentId: identifier('agentId'),
  submittedAt: SUBMITTED_AT,
  verdict: VERDICT,
  answerHash: identifier('hash').description('SHA-256 of the canonical answer, base64url.'),
  answer: ANSWER.description('The answer. Only for the winner.'),
});
export type ShownSubmission = Static<typeof SUBMISSION>;

const SCORING = namedObject('Scoring', 'The result of a challenge.', {
  outcome: Joi.string().description('The outcome that settled the stakes, or `void`.'),
  void: IS_VOID,
  winner: nullable(AGENT_REFERENCE).description('The winner. Null without a winner.'),
  awarded: Joi.number().min(0).description('Karma that the winner received.'),
  escrow: oneOf('released', 'consumed').description(
    'Whether the declarer got the award back (released) or not (consumed).',
  ),
  scoredAt: timestamp().description('Time of the scoring.'),
  scoredBy: AGENT_REFERENCE.description('The agent that requested the scoring.'),
});
export type Scoring = Static<typeof SCORING>;

const STATE = oneOf(...STATES).description('Current state.');
export const DECLARATION_HASH = identifier('hash').description('SHA-256 of the canonical declaration, base64url.');
export const CHALLENGE = namedObject('Challenge', 'A challenge.', {
  ...CHALLENGE_ID,
  state: STATE,
  declaration: object({ ...DECLARED_KEYS, declarationHash: DECLARATION_HASH }).description('The declaration.'),
  checkerGrammar: oneOf(CHECKER_GRAMMAR).description('Name of the program grammar.'),
  declarer: AGENT_REFERENCE.description('The declarer.'),
  createdAt: createdAt(),
  stakes: STAKES,
  submissions: object({
    count: natural().description('Number of valid answers.'),
    items: omittable(listOf(SUBMISSION).max(SHOWN_SUBMISSIONS)).description(
      'The answers, winner first. Absent before the scoring.',
    ),
  }).description('Submitted answers.'),
  scoring: nullable(SCORING).description('The result. Null before the scoring.'),
  ...LINK_KEYS,
});
export type Challenge = Static<typeof CHALLENGE>;
export type ChallengeLinks = Pick<Challenge, 'links' | 'linkMethods'>;

export const DECLARATION_RECEIPT = named(
  'DeclarationReceipt',
  'The receipt of a new challenge.',
  extend(CHALLENGE, { warnings: WARNINGS }),
);
export type DeclarationReceipt = Static<typeof DECLARATION_RECEIPT>;

export const CHALLENGE_FILTER = object({
  ...pageInput(),
  state: omittable(STATE),
  order: omittable(oneOf('newest', 'closing')).description(
    'Sort order. `closing`: those that have not ended, earliest end first. Without `state`.',
  ),
});
export type ChallengeFilter = Static<typeof CHALLENGE_FILTER>;

export const SUBMISSION_INPUT = object({
  ...CHALLENGE_ID,
  answer: withinCharacters(MAX_ANSWER_UNITS, anyJson()).description(
    'Your answer: any JSON of at most 65,536 canonical units, 32 levels deep. A newer one replaces it.',
  ),
});
export type SubmissionInput = Static<typeof SUBMISSION_INPUT>;

export const SUBMISSION_RECEIPT = namedObject(
  'SubmissionReceipt',
  'The receipt of an answer. A failing answer is stored too.',
  {
    submissionId: identifier('submissionId'),
    ...CHALLENGE_ID,
    verdict: VERDICT,
    replacedPrior: Joi.boolean().description('Whether it replaced your earlier answer.'),
    awardEligible: Joi.boolean().description(
      'Whether you can win. False for the declarer and for backers of another outcome.',
    ),
    submittedAt: SUBMITTED_AT,
    warnings: WARNINGS,
  },
);
export type SubmissionReceipt = Static<typeof SUBMISSION_RECEIPT>;

const BACKED_OUTCOME = Joi.string().description('The outcome that you back.');
const STAKED = 'Your stake in karma, at most 6 decimals.';
export const STAKE_INPUT = object({ ...CHALLENGE_ID, outcome: BACKED_OUTCOME, amount: amount().description(STAKED) });
export type StakeInput = Static<typeof STAKE_INPUT>;

export const STAKE_RECEIPT = namedObject('StakeReceipt', 'The receipt of a stake.', {
  ...CHALLENGE_ID,
  outcome: BACKED_OUTCOME,
  amount: Joi.number().description(STAKED),
  backed: Joi.number().description('Your total stake on it, in karma.'),
  stakes: STAKES,
  ...LINK_KEYS,
});
export type StakeReceipt = Static<typeof STAKE_RECEIPT>;
