import { read, SMALL_BODY_BYTES, write } from '../../kernel/operation.ts';
import { page } from '../../kernel/paging.ts';
import { identifier } from '../../kernel/schemas.ts';
import { object } from '../../kernel/shape.ts';
import { CHALLENGE_SCHEMA } from './declarationSchema.ts';
import {
  rebuildStakeReceipt,
  rebuildSubmissionReceipt,
  scoreChallenge,
  stakeChallenge,
  submitAnswer,
} from './participation.ts';
import {
  CHALLENGE,
  CHALLENGE_FILTER,
  DECLARATION_INPUT,
  DECLARATION_RECEIPT,
  PREVIEW,
  PREVIEW_INPUT,
  STAKE_INPUT,
  STAKE_RECEIPT,
  SUBMISSION_INPUT,
  SUBMISSION_RECEIPT,
} from './schemas.ts';
import {
  createChallenge,
  listChallenges,
  previewChallenge,
  readChallenge,
  rebuildChallengeReceipt,
  rebuildDeclarationReceipt,
} from './service.ts';

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
  output: DECLARATION_RECEIPT,
  decide: createChallenge,
  receipt: rebuildDeclarationReceipt,
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
  input: PREVIEW_INPUT,
  output: PREVIEW,
  handle: previewChallenge,
});

const list = read({
  name: 'challenge.list',
  method: 'GET',
  path: '/v1/challenges',
  auth: 'public',
  mcpTool: 'list_challenges',
  summary: 'Challenges, newest first.',
  input: CHALLENGE_FILTER,
  output: page(CHALLENGE),
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
  input: object({ challengeId: identifier('challengeId') }),
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
  input: SUBMISSION_INPUT,
  output: SUBMISSION_RECEIPT,
  waitsFor: ({ challengeId }) => challengeId,
  decide: submitAnswer,
  receipt: rebuildSubmissionReceipt,
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
  maxBodyBytes: SMALL_BODY_BYTES,
  input: STAKE_INPUT,
  output: STAKE_RECEIPT,
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
  input: object({ challengeId: identifier('challengeId') }),
  output: CHALLENGE,
  waitsFor: ({ challengeId }) => challengeId,
  decide: scoreChallenge,
  receipt: rebuildChallengeReceipt,
});

export const challengeOperations = [create, previewOne, list, readOne, submit, stake, score];
