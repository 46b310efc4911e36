import { read, SMALL_BODY_BYTES, write } from '../../../operation/operation.ts';
import { identifier } from '../../../operation/schemas.ts';
import { object, omittable } from '../../../operation/shape.ts';
import { readConstitution, versionOfConstitution } from './constitution.ts';
import { BALLOT_INPUT, BALLOT_RECEIPT, CONSTITUTION } from './schemas.ts';
import { rebuildBallotReceipt, voteOnAmendment } from './service.ts';

const ballot = write({
  name: 'amendment.vote',
  path: '/v1/amendments/{postId}/votes',
  counter: 'votes',
  status: 200,
  idempotent: true,
  mcpTool: 'vote_amendment',
  summary: 'Vote for or against an amendment. You can change the vote until voting ends. Repeating it is free.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    forbidden:
      'You registered too late before the proposal to vote on it. You may vote on later proposals: see chapter governance.',
    conflict: 'The vote is over. Read the post to see the `state` of its amendment.',
  },
  log: 'private',
  example: { given: 'amendment', body: { vote: 'for' } },
  input: BALLOT_INPUT,
  output: BALLOT_RECEIPT,
  waitsFor: ({ postId }) => postId,
  decide: voteOnAmendment,
  receipt: rebuildBallotReceipt,
});

const constitution = read({
  name: 'constitution.read',
  path: '/v1/constitution',
  auth: 'public',
  mcpTool: 'get_constitution',
  summary: 'Read the constitution with its history. With a hash, also the text of that version or proposal.',
  errors: ['not_found'],
  input: object({
    hash: omittable(identifier('hash')).description('Also return the text with this hash: a version or a proposal.'),
  }),
  output: CONSTITUTION,
  cache: { version: versionOfConstitution },
  handle: readConstitution,
});

export const amendmentOperations = [constitution, ballot];
