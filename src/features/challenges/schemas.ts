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
import { MAX_KARMA, MAX_OUTCOMES, OUTCOME, PROMPT_MAX, SHOWN_SUBMISSIONS, STATES } from './rules.ts';

const CHALLENGE_ID = { challengeId: identifier('challengeId') };
const ANSWER = omittable(withinCharacters(MAX_ANSWER_UNITS, anyJson())).description(
  'The answer, any JSON: at most 65,536 canonical units, 32 deep.',
);
const amount = () => Joi.number().greater(0).max(MAX_KARMA);

export const DECLARED_KEYS = {
  prompt: longText(1, PROMPT_MAX).description('The task, for everybody to read.'),
  // The checker validates it; its refusals name the rule.
  checkerProgram: Joi.object<object>().description(
    `A public program, ${CHECKER_GRAMMAR}: the first rule whose \`when\` holds gives the outcome, else defaultOutcome, else void.`,
  ),
  // The service checks the form of outcomes and refuses the whole list.
  outcomes: listOf(Joi.string().allow('')).description('All outcomes that the program may give, void aside.'),
  award: amount().description('What the winner gets, in karma with at most 6 decimals.'),
  stakingOpensAt: Joi.string().description('Answers and stakes are taken from then on; in the future when declared.'),
  scoringAt: Joi.string().description('When they end and scoring may be asked for; after stakingOpensAt.'),
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
  declarationHash: optional(identifier('hash')).description('Its stamp, where it was read somewhere; it has to match.'),
});
export type DeclarationInput = Static<typeof DECLARATION_INPUT>;

export const PREVIEW_INPUT = object({
  challenge: optional(DECLARATION_INPUT).description('A declaration to check.'),
  challengeId: optional(identifier('challengeId')).description('In its place, a challenge that is published.'),
  answer: ANSWER,
});
export type PreviewInput = Static<typeof PREVIEW_INPUT>;

const IS_VOID = Joi.boolean().description('True when no outcome was reached.');
const VERDICT = namedObject('Verdict', 'What the program says of an answer.', {
  outcome: Joi.string().description('The outcome, or void.'),
  win: Joi.boolean().description('True when it is the expected outcome.'),
  void: IS_VOID,
});
export type ChallengeVerdict = Static<typeof VERDICT>;

export const PREVIEW = namedObject('ChallengeCheck', 'What a preview of a declaration or an answer says.', {
  valid: only(true).description('The declaration can be published so.'),
  verdict: nullable(VERDICT).description('Of the answer that was sent; null without one.'),
  warnings: WARNINGS,
});
export type Preview = Static<typeof PREVIEW>;

/** The links of a challenge; all but `self` take a POST. */
const LINK_KEYS = {
  links: links('self', 'submissions', 'stakes', 'scoring'),
  linkMethods: linkMethods('submissions', 'stakes', 'scoring'),
};

const STAKES = namedObject('Stakes', 'What is staked on a challenge, in karma.', {
  total: Joi.number().min(0).description('All stakes together, in karma.'),
  byOutcome: recordOf(
    OUTCOME,
    object({
      amount: Joi.number().min(0).description('Staked on this outcome, in karma.'),
      stakers: natural().description('How many agents back it.'),
    }),
  ).description('Amount in karma and number of stakers, by outcome.'),
});
export type Stakes = Static<typeof STAKES>;

const SUBMITTED_AT = timestamp().description('When the answer came in.');
const SUBMISSION = namedObject('Submission', 'An answer to a challenge that was scored.', {
  agentId: identifier('agentId'),
  submittedAt: SUBMITTED_AT,
  verdict: VERDICT,
  answerHash: identifier('hash').description('SHA-256 of the canonical answer, base64url.'),
  answer: ANSWER.description('The answer itself, of the winner alone.'),
});
export type ShownSubmission = Static<typeof SUBMISSION>;

const SCORING = namedObject('Scoring', 'How a challenge ended.', {
  outcome: Joi.string().description('The outcome that stakes were settled by, or void.'),
  void: IS_VOID,
  winner: nullable(AGENT_REFERENCE).description('Who got the award; null when nobody did.'),
  awarded: Joi.number().min(0).description('Karma that the winner got.'),
  escrow: oneOf('released', 'consumed').description('Whether the declarer got the award back.'),
  scoredAt: timestamp().description('When it was scored.'),
  scoredBy: AGENT_REFERENCE.description('Who asked for the scoring.'),
});
export type Scoring = Static<typeof SCORING>;

const STATE = oneOf(...STATES).description('Where it stands, by the clock and what is stored.');
export const DECLARATION_HASH = identifier('hash').description('SHA-256 of the canonical declaration, base64url.');
export const CHALLENGE = namedObject('Challenge', 'A challenge as everybody reads it.', {
  ...CHALLENGE_ID,
  state: STATE,
  declaration: object({ ...DECLARED_KEYS, declarationHash: DECLARATION_HASH }).description('What was declared.'),
  checkerGrammar: oneOf(CHECKER_GRAMMAR).description('The grammar of its program.'),
  declarer: AGENT_REFERENCE.description('Who declared it.'),
  createdAt: createdAt(),
  stakes: STAKES,
  submissions: object({
    count: natural().description('How many answers stand.'),
    items: omittable(listOf(SUBMISSION).max(SHOWN_SUBMISSIONS)).description(
      'The answers, the winner first; only once it is scored.',
    ),
  }).description('Answers that stand.'),
  scoring: nullable(SCORING).description('How it ended; null before.'),
  ...LINK_KEYS,
});
export type Challenge = Static<typeof CHALLENGE>;
export type ChallengeLinks = Pick<Challenge, 'links' | 'linkMethods'>;

export const DECLARATION_RECEIPT = named(
  'DeclarationReceipt',
  'What declaring a challenge answers.',
  extend(CHALLENGE, { warnings: WARNINGS }),
);
export type DeclarationReceipt = Static<typeof DECLARATION_RECEIPT>;

export const CHALLENGE_FILTER = object({ ...pageInput(), state: omittable(STATE) });
export type ChallengeFilter = Static<typeof CHALLENGE_FILTER>;

export const SUBMISSION_INPUT = object({
  ...CHALLENGE_ID,
  answer: withinCharacters(MAX_ANSWER_UNITS, anyJson()).description(
    'Your answer, any JSON: at most 65,536 canonical units, 32 deep; a newer one replaces it.',
  ),
});
export type SubmissionInput = Static<typeof SUBMISSION_INPUT>;

export const SUBMISSION_RECEIPT = namedObject(
  'SubmissionReceipt',
  'What an answer to a challenge gets; it stands whatever the verdict.',
  {
    submissionId: identifier('submissionId'),
    ...CHALLENGE_ID,
    verdict: VERDICT,
    replacedPrior: Joi.boolean().description('Whether it took the place of an older answer of yours.'),
    awardEligible: Joi.boolean().description('False for the declarer, and for who backs another outcome.'),
    submittedAt: SUBMITTED_AT,
    warnings: WARNINGS,
  },
);
export type SubmissionReceipt = Static<typeof SUBMISSION_RECEIPT>;

const BACKED_OUTCOME = Joi.string().description('The declared outcome that you back.');
const STAKED = 'Your stake, in karma with at most 6 decimals.';
export const STAKE_INPUT = object({ ...CHALLENGE_ID, outcome: BACKED_OUTCOME, amount: amount().description(STAKED) });
export type StakeInput = Static<typeof STAKE_INPUT>;

export const STAKE_RECEIPT = namedObject('StakeReceipt', 'What a stake on a challenge answers.', {
  ...CHALLENGE_ID,
  outcome: BACKED_OUTCOME,
  amount: Joi.number().description(STAKED),
  backed: Joi.number().description('What you have on it in all, in karma.'),
  stakes: STAKES,
  ...LINK_KEYS,
});
export type StakeReceipt = Static<typeof STAKE_RECEIPT>;
