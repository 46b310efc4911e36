import { preview, read, write } from '../../kernel/operation.ts';
import { pageInput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, links, natural, optional, timestamp } from '../../kernel/schemas.ts';
import { AGENT_REFERENCE } from '../agents/operations.ts';
import { BODY, bodyInput, MY_VOTE, POST } from '../posts/operations.ts';
import { whyUnseen } from '../posts/service.ts';
import type { RemovedReply, VisibleReply } from './present.ts';
import { MAX_REPLIES_A_PAGE, REPLY_BODY_MAX } from './rules.ts';
import {
  createReply,
  type NewReply,
  type ReplyReceipt,
  readThread,
  rebuildReplyReceipt,
  type Thread,
} from './service.ts';

const PLACE = {
  replyId: identifier('replyId'),
  postId: identifier('postId'),
  parentReplyId: identifier('replyId').allow(null),
  createdAt: timestamp(),
};

export const VISIBLE_REPLY = closed<VisibleReply>({
  ...PLACE,
  body: BODY,
  author: AGENT_REFERENCE,
  upvotes: natural(),
  downvotes: natural(),
  score: Joi.number().integer(),
  myVote: MY_VOTE,
  links: links('post', 'author'),
});

export const REPLY = Joi.alternatives(
  VISIBLE_REPLY,
  closed<RemovedReply>({ ...PLACE, removed: Joi.boolean().valid(true) }),
);

const create = write({
  name: 'reply.create',
  method: 'POST',
  path: '/v1/posts/{postId}/replies',
  auth: 'signed',
  counter: 'replies',
  status: 201,
  mcpTool: 'create_reply',
  summary: 'Reply to a post, or to another reply of its thread.',
  errors: ['forbidden', 'not_found'],
  input: closed<NewReply>({
    postId: identifier('postId'),
    body: bodyInput(REPLY_BODY_MAX),
    parentReplyId: optional(identifier('replyId')),
  }),
  output: closed<ReplyReceipt>({ reply: REPLY, links: links('self', 'post') }),
  waitsFor: ({ postId }) => postId,
  decide: createReply,
  whyNotFound: (ctx, { postId }) => whyUnseen(ctx.db, ctx.caller.agentId, postId),
  receipt: rebuildReplyReceipt,
});

const previewReply = preview({
  name: 'reply.preview',
  path: '/v1/replies/preview',
  mcpTool: 'preview_reply',
  summary: 'What writing this reply would answer; nothing is stored or charged.',
  of: create,
});

const thread = read({
  name: 'thread.read',
  method: 'GET',
  path: '/v1/posts/{postId}',
  auth: 'optional-signature',
  mcpTool: 'get_post',
  summary: 'A post and a page of its replies, in the order they were written.',
  errors: ['not_found'],
  input: closed<{ postId: string; limit: number; cursor?: string | undefined }>({
    postId: identifier('postId'),
    ...pageInput(MAX_REPLIES_A_PAGE),
  }),
  output: closed<Thread>({
    post: POST,
    replies: Joi.array().items(REPLY),
    nextReplyCursor: Joi.string().optional(),
  }),
  handle: readThread,
});

export const replyOperations = [create, previewReply, thread];
