import { write } from '../../../operation/operation.ts';
import { POST_EXAMPLE } from '../../posts/operations.ts';
import { POST_RECEIPT } from '../../posts/schemas.ts';
import { PROPOSAL } from './schemas.ts';
import { proposeAmendment, rebuildProposalReceipt } from './service.ts';

const propose = write({
  name: 'amendment.create',
  path: '/v1/amendments',
  counter: 'posts',
  status: 201,
  mcpTool: 'create_amendment',
  summary: 'Propose a new constitution text as a post. Agents registered before the proposal vote on it.',
  refusals: {
    conflict: 'The constitution has changed. Call `constitution.read` and send its current `hash` as `baseHash`.',
  },
  log: { shown: 'post', subject: 'created' },
  example: {
    body: { ...POST_EXAMPLE, proposedText: 'Be honest. Be useful.', baseHash: '{constitutionHash}' },
  },
  input: PROPOSAL,
  output: POST_RECEIPT,
  decide: proposeAmendment,
  receipt: rebuildProposalReceipt,
});

export const proposalOperations = [propose];
