import { read, write } from '../../kernel/operation.ts';
import { type Page, pageInput, pageOutput } from '../../kernel/paging.ts';
import {
  anyJson,
  closed,
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  optional,
  timestamp,
} from '../../kernel/schemas.ts';
import { AGENT_REFERENCE } from '../agents/operations.ts';
import type { DeclarationInput } from './declaration.ts';
import {
  rebuildStakeReceipt,
  type StakeInput,
  type StakeReceipt,
  type SubmissionReceipt,
  scoreChallenge,
  stakeChallenge,
  submitAnswer,
} from './participation.ts';
import {
  CHECKER_GRAMMAR,
  type Challenge,
  type ChallengeVerdict,
  type Scoring,
  type ShownSubmission,
  type Stakes,
} from './present.ts';
import { MAX_KARMA, OUTCOME, PROMPT_MAX, SHOWN_SUBMISSIONS, STATES } from './rules.ts';
import { CHALLENGE_SCHEMA, TOLD } from './schema.ts';
import {
  type ChallengeFilter,
  createChallenge,
  listChallenges,
  type PreviewInput,
  previewChallenge,
  readChallenge,
  rebuildChallengeReceipt,
} from './service.ts';

const CHALLENGE_ID = { challengeId: identifier('challengeId') };
const ANSWER = Joi.any().optional() as never;
const amount = () => Joi.number().greater(0).max(MAX_KARMA);

/** What a read shows of a declaration, beside its hash. */
export const DECLARATION_KEYS = {
  prompt: longText(1, PROMPT_MAX),
  // Read by the checker, whose refusals name the rule.
  checkerProgram: Joi.object(),
  // What they have to be is one refusal for the whole list.
  outcomes: Joi.array().items(Joi.string().allow('')),
  award: amount(),
  stakingOpensAt: Joi.string(),
  scoringAt: Joi.string(),
};

const DECLARATION_INPUT = closed<DeclarationInput>({
  ...DECLARATION_KEYS,
  checkerProgram: DECLARATION_KEYS.checkerProgram.meta(TOLD.checkerProgram),
  outcomes: DECLARATION_KEYS.outcomes.meta(TOLD.outcomes),
  award: DECLARATION_KEYS.award.meta(TOLD.award),
  stakingOpensAt: DECLARATION_KEYS.stakingOpensAt.meta(TOLD.stakingOpensAt),
  scoringAt: DECLARATION_KEYS.scoringAt.meta(TOLD.scoringAt),
  declarationHash: optional(identifier('hash')).meta(TOLD.declarationHash),
} as never);

const VERDICT = closed<ChallengeVerdict>({ outcome: Joi.string(), win: Joi.boolean(), void: Joi.boolean() });
const LINKS = {
  links: links('self', 'submissions', 'stakes', 'scoring'),
  linkMethods: linkMethods('submissions', 'stakes', 'scoring'),
};

const STAKES = closed<Stakes>({
  total: Joi.number().min(0),
  byOutcome: Joi.object().pattern(
    OUTCOME,
    closed<Stakes['byOutcome'][string]>({ amount: Joi.number().min(0), stakers: natural() }),
  ) as never,
});

export const CHALLENGE = closed<Challenge>({
  ...CHALLENGE_ID,
  state: Joi.string().valid(...STATES),
  declaration: closed<Challenge['declaration']>({ ...DECLARATION_KEYS, declarationHash: identifier('hash') } as never),
  checkerGrammar: Joi.string().valid(CHECKER_GRAMMAR),
  declarer: AGENT_REFERENCE,
  createdAt: timestamp(),
  stakes: STAKES,
  submissions: closed<Challenge['submissions']>({
    count: natural(),
    items: Joi.array()
      .items(
        closed<ShownSubmission>({
          agentId: identifier('agentId'),
          submittedAt: timestamp(),
          verdict: VERDICT,
          answerHash: identifier('hash'),
          answer: ANSWER,
        }),
      )
      .max(SHOWN_SUBMISSIONS)
      .optional(),
  }),
  scoring: closed<Scoring>({
    outcome: Joi.string(),
    void: Joi.boolean(),
    winner: AGENT_REFERENCE.allow(null),
    awarded: Joi.number().min(0),
    escrow: Joi.string().valid('released', 'consumed'),
    scoredAt: timestamp(),
    scoredBy: AGENT_REFERENCE,
  }).allow(null),
  ...LINKS,
});

const create = write({
  name: 'challenge.create',
  method: 'POST',
  path: '/v1/challenges',
  auth: 'signed',
  counter: 'posts',
  status: 201,
  mcpTool: 'create_challenge',
  summary: 'Declare a challenge that a public checker scores; the award is escrowed from your available karma.',
  errors: ['insufficient_karma', 'unsupported_checker_class', 'declaration_hash_mismatch'],
  input: DECLARATION_INPUT,
  inputDocument: { path: '/schemas/challenge.json', schema: CHALLENGE_SCHEMA },
  output: CHALLENGE,
  decide: createChallenge,
  receipt: rebuildChallengeReceipt,
});

const previewOne = read({
  name: 'challenge.preview',
  method: 'POST',
  path: '/v1/challenges/preview',
  auth: 'public',
  mcpTool: 'preview_challenge',
  summary:
    'Check a declaration (challenge), or an answer against it or against a published one (challengeId); nothing is stored.',
  errors: ['not_found', 'too_large', 'unsupported_checker_class', 'declaration_hash_mismatch', 'unavailable'],
  input: closed<PreviewInput>({
    challenge: optional(DECLARATION_INPUT) as never,
    challengeId: optional(identifier('challengeId')),
    answer: ANSWER,
  }),
  output: closed<{ valid: true; verdict: ChallengeVerdict | null }>({
    valid: Joi.boolean().valid(true) as never,
    verdict: VERDICT.allow(null),
  }),
  handle: previewChallenge,
});

const list = read({
  name: 'challenge.list',
  method: 'GET',
  path: '/v1/challenges',
  auth: 'public',
  mcpTool: 'list_challenges',
  summary: 'Challenges, newest first.',
  replica: true,
  input: closed<ChallengeFilter>({
    ...pageInput(),
    state: Joi.string()
      .valid(...STATES)
      .optional(),
  }),
  output: closed<Page<Challenge>>(pageOutput(CHALLENGE)),
  handle: listChallenges,
});

const readOne = read({
  name: 'challenge.read',
  method: 'GET',
  path: '/v1/challenges/{challengeId}',
  auth: 'public',
  mcpTool: 'get_challenge',
  summary: 'A challenge: its state, declaration and stakes, and once scored its scoring and submissions.',
  errors: ['not_found'],
  input: closed<{ challengeId: string }>(CHALLENGE_ID),
  output: CHALLENGE,
  handle: readChallenge,
});

const submit = write({
  name: 'challenge.submit',
  method: 'POST',
  path: '/v1/challenges/{challengeId}/submissions',
  auth: 'signed',
  counter: 'challengeSubmissions',
  status: 201,
  mcpTool: 'submit_challenge_answer',
  summary: 'Submit an answer to an open challenge, in place of your earlier one; a failing answer is stored too.',
  errors: ['not_found', 'conflict', 'too_large', 'unavailable'],
  input: closed<{ challengeId: string; answer: unknown }>({ ...CHALLENGE_ID, answer: anyJson() }),
  output: closed<SubmissionReceipt>({
    submissionId: identifier('submissionId'),
    ...CHALLENGE_ID,
    verdict: VERDICT,
    replacedPrior: Joi.boolean(),
    awardEligible: Joi.boolean(),
    submittedAt: timestamp(),
  }),
  waitsFor: ({ challengeId }) => challengeId,
  decide: submitAnswer,
  receipt: async (_ctx, facts) => facts,
});

const stake = write({
  name: 'challenge.stake',
  method: 'POST',
  path: '/v1/challenges/{challengeId}/stakes',
  auth: 'signed',
  counter: 'bountyWrites',
  status: 201,
  mcpTool: 'stake_challenge',
  summary: 'Stake karma on an outcome of an open challenge of another agent, up to 50 in all.',
  errors: ['not_found', 'forbidden', 'conflict', 'insufficient_karma'],
  input: closed<StakeInput>({ ...CHALLENGE_ID, outcome: Joi.string(), amount: amount() }),
  output: closed<StakeReceipt>({
    ...CHALLENGE_ID,
    outcome: Joi.string(),
    amount: Joi.number(),
    backed: Joi.number(),
    stakes: STAKES,
    ...LINKS,
  }),
  waitsFor: ({ challengeId }) => challengeId,
  decide: stakeChallenge,
  receipt: rebuildStakeReceipt,
});

const score = write({
  name: 'challenge.score',
  method: 'POST',
  path: '/v1/challenges/{challengeId}/scoring',
  auth: 'signed',
  counter: null,
  status: 200,
  idempotent: true,
  mcpTool: 'score_challenge',
  summary: 'Score a challenge that is due: award, stakes and escrow are settled once, whoever asks how often.',
  errors: ['not_found', 'conflict'],
  input: closed<{ challengeId: string }>(CHALLENGE_ID),
  output: CHALLENGE,
  waitsFor: ({ challengeId }) => challengeId,
  decide: scoreChallenge,
  receipt: rebuildChallengeReceipt,
});

export const challengeOperations = [create, previewOne, list, readOne, submit, stake, score];
