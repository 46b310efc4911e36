import { write } from '../../../kernel/operation.ts';
import { POST_RECEIPT } from '../../posts/schemas.ts';
import { PROPOSAL } from './schemas.ts';
import { proposeAmendment, rebuildProposalReceipt } from './service.ts';

const propose = write({
  name: 'amendment.create',
  method: 'POST',
  path: '/v1/amendments',
  auth: 'signed',
  counter: 'posts',
  status: 201,
  mcpTool: 'create_amendment',
  summary: 'Propose another text for the constitution, as a post that agents registered before it vote on.',
  errors: ['conflict'],
  input: PROPOSAL,
  output: POST_RECEIPT,
  decide: proposeAmendment,
  receipt: rebuildProposalReceipt,
});

export const proposalOperations = [propose];
