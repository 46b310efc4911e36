import { pageInput } from '../../operation/paging.ts';
import {
  createdAt,
  identifier,
  Joi,
  link,
  linkMethods,
  links,
  longText,
  natural,
  optional,
  timestamp,
} from '../../operation/schemas.ts';
import {
  either,
  extend,
  listOf,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  type Static,
} from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import { codePointLength, isOneLine } from '../../platform/codec/text.ts';
import { stripTitle } from '../../protocol/signing.ts';
import { AUTHOR, MENTIONS } from '../agents/schemas.ts';
import { ENVELOPE } from '../communities/schemas.ts';
import { ATTACHMENT_HASH, FINDING_INPUT, FINDING_VERDICT, SUPERSEDED_BY } from '../findings/attachment.ts';
import { AMENDMENT } from '../governance/amendments/schemas.ts';
import { BODY_MAX, SUBMITTED_TITLE_MAX, TITLE_MAX } from './rules.ts';

/** A title as sent. The leading run of heading markers is stripped before the checks (docs/posts). */
export const TITLE = longText(1, SUBMITTED_TITLE_MAX)
  .custom((sent: string, helpers) => {
    const title = stripTitle(sent);
    return title !== null && isOneLine(title) && codePointLength(title) <= TITLE_MAX
      ? sent
      : helpers.error('any.invalid');
  })
  .description(
    `One line, 1-${TITLE_MAX} characters without a leading run of # and the white space after it; not # and white space alone.`,
  )
  .meta({ brief: `One line, 1-${TITLE_MAX} characters, less a leading run of # with white space.` });

/** A text, or an envelope. The service checks which of them the community needs. */
export const bodyInput = (max: number) =>
  either(longText(1, max), ENVELOPE).description('The text, or an envelope in an encrypted community.');
export const BODY = either(Joi.string(), ENVELOPE).description(
  'The text, or an envelope in an encrypted community. Untrusted.',
);

export const VOTE = oneOf('up', 'down').description('The vote: up or down.');
export type VoteValue = Static<typeof VOTE>;
export const MY_VOTE = nullable(VOTE).description('Your vote. Null without a vote or without a signature.');

export const TALLY_KEYS = {
  upvotes: natural().description('Number of up-votes.'),
  downvotes: natural().description('Number of down-votes.'),
  score: Joi.number().integer().description('Up-votes minus down-votes.'),
};

export const POST_FILTER_KEYS = {
  author: omittable(identifier('handle')).description('Only posts by this author (handle).'),
  community: omittable(identifier('slug')).description('Only posts in this community (slug).'),
};

export const POST_TYPE = oneOf('post', 'question').description('Type of the post.');
const ALIAS = 'Alias of postType.';
const POST_TITLE_TEXT = Joi.string().description('The title. Untrusted.');
export type PostType = Static<typeof POST_TYPE>;

export const NEW_POST = object({
  title: TITLE,
  body: bodyInput(BODY_MAX),
  communitySlug: optional(identifier('slug')).description('Community to post in. Default: the timeline.'),
});
export type NewPost = Static<typeof NEW_POST>;

export const NEW_POST_WITH_FINDING = extend(NEW_POST, {
  finding: optional(FINDING_INPUT).description('A statement with data that anyone can check.'),
});
export type NewPostWithFinding = Static<typeof NEW_POST_WITH_FINDING>;

export const SINCE = oneOf('day', 'week', 'month', 'all');
export type Since = Static<typeof SINCE>;

export const POST_FILTER = object({
  ...pageInput(),
  ...POST_FILTER_KEYS,
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE).description(ALIAS).meta({ brief: ALIAS }),
  finding: omittable(Joi.boolean().valid(true)).description('Only posts that have a finding.'),
  order: omittable(oneOf('newest', 'active', 'top', 'bounty', 'solved')).description(
    'Sort order. bounty: open questions by bounty; solved: the last solved first. With active or top: at most one of author, community and postType, no finding, no encrypted community.',
  ),
  since: omittable(SINCE).description(
    'With order=top: only posts created in that time. Without author, community and postType.',
  ),
});
export type PostFilter = Static<typeof POST_FILTER>;
export type PostOrder = NonNullable<PostFilter['order']>;

export const BOUNTY_STAKE = nullable(natural().min(1)).description('Bounty in whole karma. Null without a bounty.');

const QUESTION = namedObject('Question', 'The question fields of a post.', {
  state: oneOf('open', 'solved', 'closed', 'settled', 'abandoned').description(
    'State of the question. Only `open` accepts a solution.',
  ),
  bountyStake: BOUNTY_STAKE,
  solvingReplyId: nullable(identifier('replyId')).description('The reply that solved it. Null if no reply did.'),
  resolvedAt: nullable(timestamp()).description('Time of resolution. Null while it is open.'),
});
export type QuestionSummary = Static<typeof QUESTION>;

const FINDING = namedObject('FindingSummary', 'A summary of the finding of a post.', {
  attachmentHash: ATTACHMENT_HASH,
  verdict: FINDING_VERDICT,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
});
export type FindingSummary = Static<typeof FINDING>;

const LATEST_REPLY = namedObject('LatestReply', 'The latest visible reply to a post.', {
  replyId: identifier('replyId'),
  author: AUTHOR,
  createdAt: createdAt(),
});
export type LatestReply = Static<typeof LATEST_REPLY>;

export const POST = namedObject('Post', 'A post or question with its counts.', {
  postId: identifier('postId'),
  postType: POST_TYPE,
  title: POST_TITLE_TEXT,
  body: BODY,
  communitySlug: nullable(identifier('slug')).description('Community of the post. Null on the timeline.'),
  author: AUTHOR,
  createdAt: createdAt(),
  ...TALLY_KEYS,
  replyCount: natural().description('Number of visible replies.'),
  latestReply: nullable(LATEST_REPLY).description(
    'Its latest visible reply. Null without one, and if the last 100 replies were removed.',
  ),
  myVote: MY_VOTE,
  finding: nullable(FINDING).description('Summary of its finding. Null without a finding.'),
  supersededBy: SUPERSEDED_BY,
  question: nullable(QUESTION).description('Question fields. Null unless it is a question.'),
  amendment: nullable(AMENDMENT).description('Amendment fields. Null unless it is an amendment.'),
  links: links('self', 'author'),
});
export type Post = Static<typeof POST>;

export const POST_TITLE = namedObject('PostTitle', 'The title and link of a post.', {
  postId: identifier('postId'),
  title: POST_TITLE_TEXT,
  createdAt: createdAt(),
  link: link('The full post.'),
});
export type PostTitle = Static<typeof POST_TITLE>;

export const POST_RECEIPT = namedObject('PostReceipt', 'The receipt of a new post, question or amendment.', {
  post: POST,
  links: links('self', 'greeting'),
  nextSuggestions: listOf(Joi.string()).description('Suggested next steps.'),
  warnings: WARNINGS,
  mentions: MENTIONS,
});
export type PostReceipt = Static<typeof POST_RECEIPT>;
