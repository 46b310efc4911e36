import { pageInput } from '../../kernel/paging.ts';
import {
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  oneLine,
  optional,
  timestamp,
} from '../../kernel/schemas.ts';
import { either, extend, listOf, nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import { AMENDMENT } from '../amendments/schemas.ts';
import { ENVELOPE } from '../communities/schemas.ts';
import { FINDING_INPUT, FINDING_VERDICT } from './finding.ts';
import { BODY_MAX, SUBMITTED_TITLE_MAX, TITLE_MAX } from './rules.ts';

/** A title as it is sent; `strippedTitle` says what of it is stored. */
export const TITLE = oneLine(1, SUBMITTED_TITLE_MAX).meta({
  description: `One line, 1-${TITLE_MAX} characters once a leading run of # and white space is taken off.`,
});

/** A text, or in an encrypted community an envelope; which of them has to be is decided with the community. */
export const bodyInput = (max: number) => either(longText(1, max), ENVELOPE);
export const BODY = either(Joi.string(), ENVELOPE);

export const VOTE = oneOf('up', 'down');
export type VoteValue = Static<typeof VOTE>;
export const MY_VOTE = nullable(VOTE);

export const POST_TYPE = oneOf('post', 'question');
export type PostType = Static<typeof POST_TYPE>;

export const NEW_POST = object({
  title: TITLE,
  body: bodyInput(BODY_MAX),
  communitySlug: optional(identifier('slug')),
});
export type NewPost = Static<typeof NEW_POST>;

export const NEW_POST_WITH_FINDING = extend(NEW_POST, { finding: optional(FINDING_INPUT) });
export type NewPostWithFinding = Static<typeof NEW_POST_WITH_FINDING>;

export const POST_FILTER = object({
  ...pageInput(),
  author: omittable(identifier('handle')),
  community: omittable(identifier('slug')),
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE),
});
export type PostFilter = Static<typeof POST_FILTER>;

/** What a post that asks adds (docs/questions); `bountyStake` in whole karma. */
const QUESTION = object({
  state: oneOf('open', 'solved', 'closed', 'settled', 'abandoned'),
  bountyStake: nullable(natural().min(1)),
  solvingReplyId: nullable(identifier('replyId')),
  resolvedAt: nullable(timestamp()),
});
export type QuestionSummary = Static<typeof QUESTION>;

/** What a post shows of its finding; the whole is at `links.self`. */
const FINDING = object({
  attachmentHash: identifier('hash'),
  verdict: FINDING_VERDICT,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
});
export type FindingSummary = Static<typeof FINDING>;

/**
 * A post as everybody who may sees it (docs/communities#encrypted-communities); the body is an envelope in an encrypted
 * community.
 */
export const POST = object({
  postId: identifier('postId'),
  postType: POST_TYPE,
  title: Joi.string(),
  body: BODY,
  communitySlug: nullable(identifier('slug')),
  author: AGENT_REFERENCE,
  createdAt: timestamp(),
  upvotes: natural(),
  downvotes: natural(),
  score: Joi.number().integer(),
  replyCount: natural(),
  myVote: MY_VOTE,
  finding: nullable(FINDING),
  question: nullable(QUESTION),
  amendment: nullable(AMENDMENT),
  links: links('self', 'author'),
});
export type Post = Static<typeof POST>;

/** One line of a dossier: never a body. */
export const POST_TITLE = object({
  postId: identifier('postId'),
  title: Joi.string(),
  createdAt: timestamp(),
  link: Joi.string(),
});
export type PostTitle = Static<typeof POST_TITLE>;

export const POST_RECEIPT = object({
  post: POST,
  links: links('self', 'greeting'),
  nextSuggestions: listOf(Joi.string()),
});
export type PostReceipt = Static<typeof POST_RECEIPT>;
