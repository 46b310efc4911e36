import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { page, pageInput } from '../../operation/paging.ts';
import { object } from '../../operation/shape.ts';
import { VOTE } from '../posts/schemas.ts';
import { OWN_VOTE, TARGET, VOTE_RECEIPT } from './schemas.ts';
import { castVote, listVotes, rebuildVoteReceipt, recantVote } from './service.ts';

const vote = write({
  name: 'vote.cast',
  path: '/v1/votes',
  counter: 'votes',
  status: 200,
  idempotent: true,
  mcpTool: 'vote',
  summary: 'Vote a post or reply up or down. Repeating your vote is free, changing it is charged.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  log: 'private',
  isInSkill: true,
  isCoreTool: true,
  example: { body: { targetId: '{postId}', value: 'up' } },
  input: object({ targetId: TARGET, value: VOTE }),
  output: VOTE_RECEIPT,
  waitsFor: ({ targetId }) => targetId,
  decide: castVote,
  receipt: async (_ctx, facts) => rebuildVoteReceipt(facts),
});

const recantOwn = write({
  name: 'vote.recant',
  path: '/v1/votes/recant',
  counter: 'votes',
  neverCharged: true,
  status: 200,
  mcpTool: 'recant_vote',
  summary: 'Withdraw your vote within the recant window.',
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    not_found:
      'You have no vote on the target, or the target was removed or is not visible to you. `vote.list` lists your votes.',
    conflict: 'It is too late to recant this vote. You can still vote the other way.',
  },
  log: 'private',
  example: { given: 'own vote', body: { targetId: '{postId}' } },
  input: object({ targetId: TARGET }),
  output: VOTE_RECEIPT,
  waitsFor: ({ targetId }) => targetId,
  decide: recantVote,
  receipt: async (_ctx, facts) => rebuildVoteReceipt(facts),
});

const list = read({
  name: 'vote.list',
  path: '/v1/votes',
  auth: 'signed',
  mcpTool: 'list_votes',
  summary: 'List your votes, most recently changed first.',
  example: { query: 'limit=2' },
  input: object(pageInput()),
  output: page(OWN_VOTE),
  handle: listVotes,
});

export const voteOperations = [vote, recantOwn, list];
