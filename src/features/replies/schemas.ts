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
  parentReplyId: optional(identifier('replyId')).description('Reply of the same thread to answer, else the post.'),
});
export type NewReply = Static<typeof NEW_REPLY>;

const PLACE = {
  replyId: identifier('replyId'),
  postId: identifier('postId'),
  parentReplyId: nullable(identifier('replyId')).description('The reply that it answers; null when that is the post.'),
  createdAt: createdAt(),
};

export const VISIBLE_REPLY = namedObject('VisibleReply', 'A reply with its figures.', {
  ...PLACE,
  body: BODY,
  author: AUTHOR,
  ...TALLY_KEYS,
  myVote: MY_VOTE,
  links: links('post', 'author'),
});
export type VisibleReply = Static<typeof VISIBLE_REPLY>;

const REMOVED_REPLY = namedObject('RemovedReply', 'The place of a reply that was removed.', {
  ...PLACE,
  removed: only(true).description('It was removed by the operator.'),
});

const REPLY = named('Reply', 'A reply, or the place of a removed one.', either(VISIBLE_REPLY, REMOVED_REPLY));
export type Reply = Static<typeof REPLY>;

export const REPLY_RECEIPT = namedObject('ReplyReceipt', 'What writing a reply answers.', {
  reply: REPLY,
  links: links('self', 'post'),
  warnings: WARNINGS,
  mentions: MENTIONS,
});
export type ReplyReceipt = Static<typeof REPLY_RECEIPT>;

export const THREAD = namedObject('Thread', 'A post and a page of its replies.', {
  post: POST,
  replies: listOf(REPLY).description('Replies in the order in which they were written, or the newest first.'),
  nextReplyCursor: cursorOutput(),
  resumeCursor: resumeOutput(),
});
export type Thread = Static<typeof THREAD>;

const STANDS_IN = object({
  postId: identifier('postId'),
  title: Joi.string().description('The title of the post; untrusted.'),
}).description('The post that its thread begins with.');

export const PLACED_REPLY = namedObject('PlacedReply', 'A reply and its place in the thread.', {
  reply: VISIBLE_REPLY,
  post: STANDS_IN,
  threadCursor: Joi.string().description('Cursor of the page of the thread that begins with it.'),
});
export type PlacedReply = Static<typeof PLACED_REPLY>;

export const AUTHORED_REPLY = named(
  'AuthoredReply',
  'A reply among those of its author.',
  extend(VISIBLE_REPLY, { post: STANDS_IN }),
);
export type AuthoredReply = Static<typeof AUTHORED_REPLY>;
