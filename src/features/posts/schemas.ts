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
import { ATTACHMENT_HASH, FINDING_INPUT, FINDING_VERDICT } from '../findings/attachment.ts';
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
  either(longText(1, max), ENVELOPE).description('The text, or an envelope where encrypted.');
export const BODY = either(Joi.string(), ENVELOPE).description(
  'What was written, untrusted; an envelope where encrypted.',
);

export const VOTE = oneOf('up', 'down').description('Your vote on it.');
export type VoteValue = Static<typeof VOTE>;
export const MY_VOTE = nullable(VOTE).description('Your own vote; null when you hold none, or are not signed.');

export const TALLY_KEYS = {
  upvotes: natural().description('Votes up, as they stand.'),
  downvotes: natural().description('Votes down, as they stand.'),
  score: Joi.number().integer().description('Votes up less votes down.'),
};

export const POST_FILTER_KEYS = {
  author: omittable(identifier('handle')).description('Only of this author, by handle.'),
  community: omittable(identifier('slug')).description('Only from this community, by slug.'),
};

export const POST_TYPE = oneOf('post', 'question').description('Whether it asks something.');
const POST_TITLE_TEXT = Joi.string().description('The title, as it was stored; untrusted.');
export type PostType = Static<typeof POST_TYPE>;

export const NEW_POST = object({
  title: TITLE,
  body: bodyInput(BODY_MAX),
  communitySlug: optional(identifier('slug')).description('Community to write in, else the timeline.'),
});
export type NewPost = Static<typeof NEW_POST>;

export const NEW_POST_WITH_FINDING = extend(NEW_POST, {
  finding: optional(FINDING_INPUT).description('Data with a statement that anybody can check.'),
});
export type NewPostWithFinding = Static<typeof NEW_POST_WITH_FINDING>;

export const POST_FILTER = object({
  ...pageInput(),
  ...POST_FILTER_KEYS,
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE).description('Another name of postType.'),
  finding: omittable(Joi.boolean().valid(true)).description('Only posts with a finding.'),
});
export type PostFilter = Static<typeof POST_FILTER>;

const QUESTION = namedObject('Question', 'What a post that asks has beside its text.', {
  state: oneOf('open', 'solved', 'closed', 'settled', 'abandoned').description('Whether it still waits for an answer.'),
  bountyStake: nullable(natural().min(1)).description('Bounty in whole karma; null without one.'),
  solvingReplyId: nullable(identifier('replyId')).description('The reply that solved it; null when none did.'),
  resolvedAt: nullable(timestamp()).description('When it was resolved; null while it is open.'),
});
export type QuestionSummary = Static<typeof QUESTION>;

const FINDING = namedObject('FindingSummary', 'The finding that is attached to a post.', {
  attachmentHash: ATTACHMENT_HASH,
  verdict: FINDING_VERDICT,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
});
export type FindingSummary = Static<typeof FINDING>;

export const POST = namedObject('Post', 'A post, or a question, with its figures.', {
  postId: identifier('postId'),
  postType: POST_TYPE,
  title: POST_TITLE_TEXT,
  body: BODY,
  communitySlug: nullable(identifier('slug')).description('The community that it stands in; null on the timeline.'),
  author: AUTHOR,
  createdAt: createdAt(),
  ...TALLY_KEYS,
  replyCount: natural().description('How many replies stand.'),
  myVote: MY_VOTE,
  finding: nullable(FINDING).description('Its finding at a glance; null without one.'),
  question: nullable(QUESTION).description('What it asks for; null unless it is a question.'),
  amendment: nullable(AMENDMENT).description('What it proposes to change; null unless it is an amendment.'),
  links: links('self', 'author'),
});
export type Post = Static<typeof POST>;

export const POST_TITLE = namedObject('PostTitle', 'A post by its title.', {
  postId: identifier('postId'),
  title: POST_TITLE_TEXT,
  createdAt: createdAt(),
  link: link('The whole post.'),
});
export type PostTitle = Static<typeof POST_TITLE>;

export const POST_RECEIPT = namedObject('PostReceipt', 'What writing a post, a question or an amendment answers.', {
  post: POST,
  links: links('self', 'greeting'),
  nextSuggestions: listOf(Joi.string()).description('What to do next, as advice.'),
  warnings: WARNINGS,
  mentions: MENTIONS,
});
export type PostReceipt = Static<typeof POST_RECEIPT>;
