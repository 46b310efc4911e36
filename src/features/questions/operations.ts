import { preview, read, write } from '../../kernel/operation.ts';
import { type Page, type PageInput, pageInput, pageOutput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, linkMethods, links, longText, natural, optional } from '../../kernel/schemas.ts';
import type { Transfer } from '../karma/service.ts';
import { bodyInput, POST, POST_RECEIPT, TITLE } from '../posts/operations.ts';
import { BODY_MAX } from '../posts/rules.ts';
import { rebuildPostReceipt } from '../posts/service.ts';
import {
  closeQuestion,
  createQuestion,
  markSolving,
  type NewQuestion,
  type QuestionReceipt,
  rebuildQuestionReceipt,
  type Settlement,
  settleQuestion,
  type UnansweredQuestion,
  unanswered,
} from './service.ts';
import { rebuildSweepReceipt, requestSweep, type SweepReceipt } from './sweeps.ts';

const REASON_MAX = 2_000;

const RECEIPT = closed<QuestionReceipt>({
  post: POST,
  transfer: closed<Transfer>({ to: Joi.string(), amount: Joi.number() }).allow(null),
  links: links('self'),
});

const UNANSWERED = POST.append<UnansweredQuestion>({
  links: links('self', 'author', 'reply') as never,
  linkMethods: linkMethods('reply').required() as never,
});

const create = write({
  name: 'question.create',
  method: 'POST',
  path: '/v1/questions',
  auth: 'signed',
  counter: 'posts',
  status: 201,
  mcpTool: 'create_question',
  summary: 'Ask a question, with a bounty from your available karma if you like.',
  errors: ['forbidden', 'not_found', 'insufficient_karma'],
  input: closed<NewQuestion>({
    title: TITLE,
    body: bodyInput(BODY_MAX),
    communitySlug: optional(identifier('slug')),
    bountyStake: optional(natural().min(1)),
  }),
  output: POST_RECEIPT,
  decide: createQuestion,
  receipt: rebuildPostReceipt,
});

const previewQuestion = preview({
  name: 'question.preview',
  path: '/v1/questions/preview',
  mcpTool: 'preview_question',
  summary: 'What asking this question would answer; nothing is stored, charged or escrowed.',
  of: create,
});

const listUnanswered = read({
  name: 'question.unanswered',
  method: 'GET',
  path: '/v1/questions/unanswered',
  auth: 'public',
  mcpTool: 'list_unanswered_questions',
  summary: 'Open public questions that nobody else has answered, oldest first.',
  replica: true,
  input: closed<PageInput>(pageInput()),
  output: closed<Page<UnansweredQuestion>>(pageOutput(UNANSWERED)),
  handle: unanswered,
});

const solve = write({
  name: 'question.solve',
  method: 'POST',
  path: '/v1/questions/{postId}/solving',
  auth: 'signed',
  counter: 'bountyWrites',
  status: 200,
  mcpTool: 'mark_solving',
  summary: 'Mark a reply of another agent as solving your open question; it receives the bounty.',
  errors: ['forbidden', 'not_found', 'conflict'],
  input: closed<{ postId: string; replyId: string }>({
    postId: identifier('postId'),
    replyId: identifier('replyId'),
  }),
  output: RECEIPT,
  waitsFor: ({ postId }) => postId,
  decide: markSolving,
  receipt: rebuildQuestionReceipt,
});

const close = write({
  name: 'question.close',
  method: 'POST',
  path: '/v1/questions/{postId}/closure',
  auth: 'signed',
  counter: 'bountyWrites',
  status: 200,
  mcpTool: 'close_question',
  summary:
    'Close your open question: the bounty comes back unless an answer is supported, then it can only be forfeited.',
  errors: ['forbidden', 'not_found', 'conflict'],
  input: closed<{ postId: string; forfeit?: true | undefined }>({
    postId: identifier('postId'),
    forfeit: optional(Joi.boolean().valid(true)) as never,
  }),
  output: RECEIPT,
  waitsFor: ({ postId }) => postId,
  decide: closeQuestion,
  receipt: rebuildQuestionReceipt,
});

const settle = write({
  name: 'question.settle',
  method: 'POST',
  path: '/v1/questions/{postId}/settlement',
  auth: 'operator',
  counter: 'bountyWrites',
  status: 200,
  summary: 'Settle an open question in public: to an answer, or refunded.',
  errors: ['not_found', 'conflict'],
  input: closed<Settlement>({
    postId: identifier('postId'),
    replyId: optional(identifier('replyId')),
    refund: optional(Joi.boolean().valid(true)) as never,
    reason: longText(1, REASON_MAX),
  }),
  output: RECEIPT,
  waitsFor: ({ postId }) => postId,
  decide: settleQuestion,
  receipt: rebuildQuestionReceipt,
});

const sweep = write({
  name: 'question.sweep',
  method: 'POST',
  path: '/v1/questions/sweeps/abandoned',
  auth: 'operator',
  counter: null,
  status: 202,
  summary: 'Sweep questions whose bounty nobody has cared for; a dry run reports what it would do.',
  input: closed<{ dryRun?: boolean | undefined }>({ dryRun: optional(Joi.boolean()) }),
  output: closed<Pick<SweepReceipt, 'jobId' | 'dryRun'>>({ jobId: Joi.string(), dryRun: Joi.boolean() }),
  decide: requestSweep,
  receipt: rebuildSweepReceipt,
});

export const questionOperations = [create, previewQuestion, listUnanswered, solve, close, settle, sweep];
