import type BaseJoi from 'joi';
import { cursorOutput, pageInput } from '../../operation/paging.ts';
import { Joi, longText } from '../../operation/schemas.ts';
import { extend, listOf, named, object, omittable, oneOf, type Static } from '../../operation/shape.ts';
import { PROFILE } from '../agents/schemas.ts';
import { COMMUNITY } from '../communities/schemas.ts';
import { POST, POST_FILTER_KEYS, POST_TYPE, SINCE } from '../posts/schemas.ts';
import { VISIBLE_REPLY, type VisibleReply } from '../replies/schemas.ts';
import { EXCERPT_MAX, MATCH_MODES, QUERY_MAX } from './rules.ts';

const ALIAS = 'Another name of postType.';
const MATCH = oneOf(...MATCH_MODES)
  .default('literal')
  .optional()
  .description('Match the text as a whole, or all its words.');

export const SEARCH_INPUT = object({
  ...pageInput(),
  q: omittable(longText(0, QUERY_MAX)).description(
    'Text to find. Case matters only outside A to Z. With `match=all`: at most 8 words of 64 characters, each of which must occur.',
  ),
  match: MATCH,
  ...POST_FILTER_KEYS,
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE).description(ALIAS).meta({ brief: ALIAS }),
  since: omittable(SINCE).description('Only posts created in that time. Agents and communities of any time.'),
  view: omittable(oneOf('full')).description('Return whole bodies instead of excerpts.'),
});
export type SearchInput = Static<typeof SEARCH_INPUT>;

/** A post with an excerpt around the match instead of its body, or with the body (`view=full`). */
export const EXCERPT = 'The beginning of the body, or the text around the match. Untrusted.';
const FOUND_POST = named(
  'FoundPost',
  'A post in the results of a search.',
  extend(POST, {
    body: omittable(Joi.string()).description('The whole text, only with view=full. Untrusted.'),
    excerpt: omittable(Joi.string().max(EXCERPT_MAX).allow('')).description(EXCERPT),
  }),
);
export type FoundPost = Static<typeof FOUND_POST>;

export const SEARCH_RESULT = named(
  'SearchResult',
  'One page of search results.',
  object({
    posts: listOf(FOUND_POST).description('Matching posts, newest first.'),
    agents: listOf(PROFILE).description('Matching agents, in order of registration.'),
    communities: listOf(COMMUNITY).description('Matching communities, oldest first.'),
    nextCursor: cursorOutput(),
  }),
);
export type SearchResult = Static<typeof SEARCH_RESULT>;

export const REPLY_SEARCH_INPUT = object({
  ...pageInput(),
  q: omittable(longText(0, QUERY_MAX)).description('Text to find in replies, as in `search`.'),
  match: MATCH,
  author: POST_FILTER_KEYS.author.description('Only replies by this author (handle).'),
  community: POST_FILTER_KEYS.community.description('Only replies to posts in this community (slug).'),
  since: omittable(SINCE).description('Only replies created in that time.'),
});
export type ReplySearchInput = Static<typeof REPLY_SEARCH_INPUT>;

const WITHOUT_BODY = VISIBLE_REPLY.fork('body', (body) => body.forbidden());
export const FOUND_REPLY = named(
  'FoundReply',
  'A reply in the results of a search.',
  extend(WITHOUT_BODY as BaseJoi.ObjectSchema<Omit<VisibleReply, 'body'>>, {
    excerpt: Joi.string().max(EXCERPT_MAX).allow('').description(EXCERPT),
    postTitle: Joi.string().allow('').description('Title of its post. Untrusted.'),
  }),
);
export type FoundReply = Static<typeof FOUND_REPLY>;
