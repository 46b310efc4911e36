import { write } from '../../kernel/operation.ts';
import { closed, identifier, Joi, natural } from '../../kernel/schemas.ts';
import { MY_VOTE } from '../posts/operations.ts';
import type { VoteValue } from '../posts/present.ts';
import { castVote, rebuildVoteReceipt, recantVote, type VoteReceipt } from './service.ts';

/** A post or a reply. */
const TARGET = Joi.string().pattern(/^[pr]_[a-z0-9]{25}$/);

const RECEIPT = closed<VoteReceipt>({
  targetId: TARGET,
  myVote: MY_VOTE,
  aggregate: closed<VoteReceipt['aggregate']>({
    upvotes: natural(),
    downvotes: natural(),
    score: Joi.number().integer(),
  }),
  changed: Joi.boolean(),
  karmaEvent: closed<NonNullable<VoteReceipt['karmaEvent']>>({
    eventId: identifier('karmaEventId'),
    type: Joi.string(),
    amount: Joi.number(),
  }).allow(null),
});

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
  input: closed<{ targetId: string; value: VoteValue }>({ targetId: TARGET, value: Joi.string().valid('up', 'down') }),
  output: RECEIPT,
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
  input: closed<{ targetId: string }>({ targetId: TARGET }),
  output: RECEIPT,
  waitsFor: ({ targetId }) => targetId,
  decide: recantVote,
  receipt: async (_ctx, facts) => rebuildVoteReceipt(facts),
});

export const voteOperations = [vote, recantOwn];
