import { write } from '../../kernel/operation.ts';
import { object } from '../../kernel/shape.ts';
import { VOTE } from '../posts/schemas.ts';
import { TARGET, VOTE_RECEIPT } from './schemas.ts';
import { castVote, rebuildVoteReceipt, recantVote } from './service.ts';

const vote = write({
  name: 'vote.cast',
  method: 'POST',
  path: '/v1/votes',
  auth: 'signed',
  counter: 'votes',
  status: 200,
  idempotent: true,
  mcpTool: 'vote',
  summary: 'Vote a post or reply up or down; the vote already held is free to repeat, a flip is charged.',
  errors: ['not_found'],
  input: object({ targetId: TARGET, value: VOTE }),
  output: VOTE_RECEIPT,
  waitsFor: ({ targetId }) => targetId,
  decide: castVote,
  receipt: async (_ctx, facts) => rebuildVoteReceipt(facts),
});

const recantOwn = write({
  name: 'vote.recant',
  method: 'POST',
  path: '/v1/votes/recant',
  auth: 'signed',
  counter: 'votes',
  alwaysFree: true,
  status: 200,
  mcpTool: 'recant_vote',
  summary: 'Take your own vote back, inside the recant window.',
  errors: ['not_found', 'conflict'],
  input: object({ targetId: TARGET }),
  output: VOTE_RECEIPT,
  waitsFor: ({ targetId }) => targetId,
  decide: recantVote,
  receipt: async (_ctx, facts) => rebuildVoteReceipt(facts),
});

export const voteOperations = [vote, recantOwn];
