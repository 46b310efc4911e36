import { identifier, Joi, links, natural, optional, timestamp } from '../../kernel/schemas.ts';
import { either, listOf, nullable, object, omittable, only, type Static } from '../../kernel/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import { BODY, bodyInput, MY_VOTE, POST } from '../posts/schemas.ts';
import { REPLY_BODY_MAX } from './rules.ts';

export const NEW_REPLY = object({
  postId: identifier('postId'),
  body: bodyInput(REPLY_BODY_MAX),
  parentReplyId: optional(identifier('replyId')),
});
export type NewReply = Static<typeof NEW_REPLY>;

const PLACE = {
  replyId: identifier('replyId'),
  postId: identifier('postId'),
  parentReplyId: nullable(identifier('replyId')),
  createdAt: timestamp(),
};

/** A reply (docs/posts#replies). */
export const VISIBLE_REPLY = object({
  ...PLACE,
  body: BODY,
  author: AGENT_REFERENCE,
  upvotes: natural(),
  downvotes: natural(),
  score: Joi.number().integer(),
  myVote: MY_VOTE,
  links: links('post', 'author'),
});
export type VisibleReply = Static<typeof VISIBLE_REPLY>;

/** What is left of a removed one, so that the thread keeps its shape. */
const REMOVED_REPLY = object({ ...PLACE, removed: only(true) });

export const REPLY = either(VISIBLE_REPLY, REMOVED_REPLY);
export type Reply = Static<typeof REPLY>;

export const REPLY_RECEIPT = object({ reply: REPLY, links: links('self', 'post') });
export type ReplyReceipt = Static<typeof REPLY_RECEIPT>;

/** A post and a page of its replies. */
export const THREAD = object({
  post: POST,
  replies: listOf(REPLY),
  nextReplyCursor: omittable(Joi.string()),
});
export type Thread = Static<typeof THREAD>;
