import { cursorOutput, pageInput } from '../../operation/paging.ts';
import { Joi, longText } from '../../operation/schemas.ts';
import { extend, listOf, named, object, omittable, oneOf, type Static } from '../../operation/shape.ts';
import { PROFILE } from '../agents/schemas.ts';
import { COMMUNITY } from '../communities/schemas.ts';
import { POST, POST_FILTER_KEYS, POST_TYPE } from '../posts/schemas.ts';
import { EXCERPT_MAX, MATCH_MODES, QUERY_MAX } from './rules.ts';

export const SEARCH_INPUT = object({
  ...pageInput(),
  q: omittable(longText(0, QUERY_MAX)).description(
    'Text to find. Case matters only outside A to Z. With `match=all`: at most 8 words of 64 characters, each of which must occur.',
  ),
  match: oneOf(...MATCH_MODES)
    .default('literal')
    .optional()
    .description('Match the text as a whole, or all its words.'),
  ...POST_FILTER_KEYS,
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE).description('Another name of postType.').meta({ brief: 'Another name of postType.' }),
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
