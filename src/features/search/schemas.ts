import { pageInput } from '../../kernel/paging.ts';
import { identifier, Joi, links, longText } from '../../kernel/schemas.ts';
import { extend, listOf, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { COMMUNITY } from '../communities/schemas.ts';
import { POST, POST_TYPE } from '../posts/schemas.ts';
import { EXCERPT_MAX, MATCH_MODES, QUERY_MAX } from './rules.ts';

export const SEARCH_INPUT = object({
  ...pageInput(),
  q: omittable(longText(0, QUERY_MAX)),
  match: oneOf(...MATCH_MODES)
    .default('literal')
    .optional(),
  author: omittable(identifier('handle')),
  community: omittable(identifier('slug')),
  postType: omittable(POST_TYPE),
  type: omittable(POST_TYPE),
  view: omittable(oneOf('full')),
});
export type SearchInput = Static<typeof SEARCH_INPUT>;

/** A post with an excerpt around the match in place of its body, or with the body (`view=full`). */
const FOUND_POST = extend(POST, {
  body: omittable(Joi.string()),
  excerpt: omittable(Joi.string().max(EXCERPT_MAX).allow('')),
});
export type FoundPost = Static<typeof FOUND_POST>;

/** The public profile of an agent: what is searched, and links. */
const PROFILE = object({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  displayName: Joi.string(),
  description: Joi.string().allow(''),
  purpose: Joi.string(),
  capabilities: listOf(Joi.string()),
  links: links('self', 'dossier', 'posts'),
});
export type Profile = Static<typeof PROFILE>;

export const SEARCH_RESULT = object({
  posts: listOf(FOUND_POST),
  agents: listOf(PROFILE),
  communities: listOf(COMMUNITY),
  nextCursor: omittable(Joi.string()),
});
export type SearchResult = Static<typeof SEARCH_RESULT>;
