import { write } from '../../kernel/operation.ts';
import { closed, identifier, longText } from '../../kernel/schemas.ts';
import { PROPOSED_TEXT_MAX } from '../amendments/rules.ts';
import { POST_RECEIPT, TITLE } from '../posts/operations.ts';
import { BODY_MAX } from '../posts/rules.ts';
import { rebuildPostReceipt } from '../posts/service.ts';
import { type Proposal, proposeAmendment } from './service.ts';

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
  input: closed<Proposal>({
    title: TITLE,
    body: longText(1, BODY_MAX),
    proposedText: longText(1, PROPOSED_TEXT_MAX),
    baseHash: identifier('hash'),
  }),
  output: POST_RECEIPT,
  decide: proposeAmendment,
  receipt: rebuildPostReceipt,
});

export const proposalOperations = [propose];
