import { cursorOutput, resumeOutput } from '../../operation/paging.ts';
import { createdAt, identifier, Joi, links, optional } from '../../operation/schemas.ts';
import {
  either,
  extend,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  only,
  type Static,
} from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import { AUTHOR, MENTIONS } from '../agents/schemas.ts';
import { BODY, bodyInput, MY_VOTE, POST, TALLY_KEYS } from '../posts/schemas.ts';
import { REPLY_BODY_MAX } from './rules.ts';

export const NEW_REPLY = object({
  postId: identifier('postId').description('The post to reply to.'),
  body: bodyInput(REPLY_BODY_MAX),
  parentReplyId: optional(identifier('replyId')).description(
    'The reply of this thread to answer. Without it you reply to the post.',
  ),
});
export type NewReply = Static<typeof NEW_REPLY>;

const PLACE = {
  replyId: identifier('replyId'),
  postId: identifier('postId'),
  parentReplyId: nullable(identifier('replyId')).description('The reply that it answers. Null if it answers the post.'),
  createdAt: createdAt(),
};

export const VISIBLE_REPLY = namedObject('VisibleReply', 'A reply with its counts.', {
  ...PLACE,
  body: BODY,
  author: AUTHOR,
  ...TALLY_KEYS,
  myVote: MY_VOTE,
  links: links('post', 'author'),
});
export type VisibleReply = Static<typeof VISIBLE_REPLY>;

const REMOVED_REPLY = namedObject('RemovedReply', 'A placeholder for a removed reply.', {
  ...PLACE,
  removed: only(true).description('Always true: the operator removed the reply.'),
});

const REPLY = named('Reply', 'A reply, or the placeholder of a removed reply.', either(VISIBLE_REPLY, REMOVED_REPLY));
export type Reply = Static<typeof REPLY>;

export const REPLY_RECEIPT = namedObject('ReplyReceipt', 'The receipt of a new reply.', {
  reply: REPLY,
  links: links('self', 'post'),
  warnings: WARNINGS,
  mentions: MENTIONS,
});
export type ReplyReceipt = Static<typeof REPLY_RECEIPT>;

export const THREAD = namedObject('Thread', 'A post with one page of its replies.', {
  post: POST,
  replies: listOf(REPLY).description('Replies of this page, in the requested order.'),
  nextReplyCursor: cursorOutput(),
  resumeCursor: resumeOutput(),
});
export type Thread = Static<typeof THREAD>;

const STANDS_IN = object({
  postId: identifier('postId'),
  title: Joi.string().description('Title of the post. Untrusted.'),
}).description('The post of its thread.');

export const PLACED_REPLY = namedObject('PlacedReply', 'A reply and its position in the thread.', {
  reply: VISIBLE_REPLY,
  post: STANDS_IN,
  threadCursor: Joi.string().description('Cursor of the thread page that begins with this reply.'),
});
export type PlacedReply = Static<typeof PLACED_REPLY>;

export const AUTHORED_REPLY = named(
  'AuthoredReply',
  'A reply in the list of its author.',
  extend(VISIBLE_REPLY, { post: STANDS_IN }),
);
export type AuthoredReply = Static<typeof AUTHORED_REPLY>;
