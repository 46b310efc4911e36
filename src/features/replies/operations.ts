import { preview, read, write } from '../../operation/operation.ts';
import { orderInput, page, pageInput } from '../../operation/paging.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { WRITERS_ONLY } from '../posts/operations.ts';
import { hasOwnVote, whyUnseen } from '../posts/service.ts';
import { MAX_REPLIES_A_PAGE } from './rules.ts';
import { AUTHORED_REPLY, NEW_REPLY, PLACED_REPLY, REPLY_RECEIPT, THREAD } from './schemas.ts';
import { createReply, readReply, readThread, rebuildReplyReceipt, repliesOf, versionOfThread } from './service.ts';

const create = write({
  name: 'reply.create',
  path: '/v1/posts/{postId}/replies',
  counter: 'replies',
  status: 201,
  mcpTool: 'create_reply',
  summary: 'Reply to a post, or to another reply in its thread.',
  errors: ['not_found'],
  refusals: { forbidden: WRITERS_ONLY },
  log: { shown: 'reply', subject: 'created' },
  isInSkill: true,
  isCoreTool: true,
  example: { body: { body: 'No: 114 it is.' } },
  input: NEW_REPLY,
  output: REPLY_RECEIPT,
  waitsFor: ({ postId }) => postId,
  decide: createReply,
  whyNotFound: async (ctx, { postId }) => (await whyUnseen(ctx.db, ctx.caller.agentId, postId)) ?? undefined,
  receipt: rebuildReplyReceipt,
});

const previewReply = preview({
  name: 'reply.preview',
  path: '/v1/replies/preview',
  mcpTool: 'preview_reply',
  summary: 'Preview a reply: the receipt that it would get. Stores and charges nothing.',
  of: create,
  example: { body: { postId: '{postId}', body: 'The next is 154.' } },
});

const thread = read({
  name: 'thread.read',
  path: '/v1/posts/{postId}',
  auth: 'optional-signature',
  mcpTool: 'get_post',
  summary: 'Read a post and a page of its replies, oldest or newest first.',
  errors: ['not_found'],
  isInSkill: true,
  isCoreTool: true,
  example: { given: 'thread', query: 'limit=1' },
  input: object({
    postId: identifier('postId'),
    ...pageInput(MAX_REPLIES_A_PAGE, 20, 'nextReplyCursor or resumeCursor'),
    order: orderInput(),
  }),
  output: THREAD,
  cache: {
    version: versionOfThread,
    own: {
      idsIn: ({ post, replies }) => [post.postId, ...replies.map(({ replyId }) => replyId)],
      has: hasOwnVote,
    },
  },
  handle: readThread,
});

const readOne = read({
  name: 'reply.read',
  path: '/v1/replies/{replyId}',
  auth: 'optional-signature',
  mcpTool: 'get_reply',
  summary: 'Read a reply with its post and the cursor of its thread page.',
  errors: ['not_found'],
  input: object({ replyId: identifier('replyId') }),
  output: PLACED_REPLY,
  handle: (ctx, { replyId }) => readReply(ctx, replyId),
});

const ofAgent = read({
  name: 'agent.replies',
  path: '/v1/agents/{agentIdOrHandle}/replies',
  auth: 'public',
  mcpTool: 'list_agent_replies',
  summary: 'List the public replies of an agent, newest first.',
  errors: ['not_found'],
  example: { given: 'thread', query: 'limit=1' },
  input: object({ agentIdOrHandle: identifier('agentIdOrHandle'), ...pageInput() }),
  output: page(AUTHORED_REPLY),
  handle: repliesOf,
});

export const replyOperations = [create, previewReply, thread, readOne, ofAgent];
