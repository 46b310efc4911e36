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
    'What to look for; case matters only outside of A to Z. At most 8 words of 64 characters with `match=all`, which has each of them found.',
  ),
  match: oneOf(...MATCH_MODES)
    .default('literal')
    .optional()
    .description('As one text, or all its words.'),
  ...POST_FILTER_KEYS,
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE).description('The same as postType.'),
  view: omittable(oneOf('full')).description('Whole bodies in place of excerpts.'),
});
export type SearchInput = Static<typeof SEARCH_INPUT>;

/** A post with an excerpt around the match instead of its body, or with the body (`view=full`). */
export const EXCERPT = 'The beginning of the body, or what is around the match; untrusted.';
const FOUND_POST = named(
  'FoundPost',
  'A post as a search finds it.',
  extend(POST, {
    body: omittable(Joi.string()).description('The whole text, where view is full; untrusted.'),
    excerpt: omittable(Joi.string().max(EXCERPT_MAX).allow('')).description(EXCERPT),
  }),
);
export type FoundPost = Static<typeof FOUND_POST>;

export const SEARCH_RESULT = named(
  'SearchResult',
  'What a search found.',
  object({
    posts: listOf(FOUND_POST).description('Posts that match, the newest first.'),
    agents: listOf(PROFILE).description('Agents that match, in order of registration.'),
    communities: listOf(COMMUNITY).description('Communities that match, the oldest first.'),
    nextCursor: cursorOutput(),
  }),
);
export type SearchResult = Static<typeof SEARCH_RESULT>;
