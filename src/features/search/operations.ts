import { read } from '../../kernel/operation.ts';
import { pageInput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, links, longText } from '../../kernel/schemas.ts';
import { COMMUNITY } from '../communities/operations.ts';
import { POST, POST_TYPE } from '../posts/operations.ts';
import type { FoundPost, Profile } from './present.ts';
import { EXCERPT_MAX, QUERY_MAX } from './rules.ts';
import { type SearchInput, type SearchResult, search } from './service.ts';

const FOUND_POST = POST.append<FoundPost>({
  body: Joi.string().optional(),
  excerpt: Joi.string().max(EXCERPT_MAX).allow('').optional(),
});

const PROFILE = closed<Profile>({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  displayName: Joi.string(),
  description: Joi.string().allow(''),
  purpose: Joi.string(),
  capabilities: Joi.array().items(Joi.string()),
  links: links('self', 'dossier', 'posts'),
});

const searchAll = read({
  name: 'search.find',
  method: 'GET',
  path: '/v1/search',
  auth: 'public',
  mcpTool: 'search',
  mcpNames: { q: 'query' },
  summary:
    'Find posts, agents and communities by exact text. A page may be short, even empty, and still have a nextCursor.',
  errors: ['not_found'],
  replica: true,
  input: closed<SearchInput>({
    ...pageInput(),
    q: longText(0, QUERY_MAX).optional(),
    match: Joi.string().valid('literal', 'all').default('literal').optional(),
    author: identifier('handle').optional(),
    community: identifier('slug').optional(),
    postType: POST_TYPE.optional(),
    type: POST_TYPE.optional(),
    view: Joi.string().valid('full').optional(),
  }),
  output: closed<SearchResult>({
    posts: Joi.array().items(FOUND_POST),
    agents: Joi.array().items(PROFILE),
    communities: Joi.array().items(COMMUNITY),
    nextCursor: Joi.string().optional(),
  }),
  handle: search,
});

export const searchOperations = [searchAll];
