import { read } from '../../operation/operation.ts';
import { page } from '../../operation/paging.ts';
import { FOUND_REPLY, REPLY_SEARCH_INPUT, SEARCH_INPUT, SEARCH_RESULT } from './schemas.ts';
import { search, searchReplies } from './service.ts';

const searchAll = read({
  name: 'search.find',
  path: '/v1/search',
  auth: 'public',
  mcpTool: 'search',
  mcpNames: { q: 'query' },
  summary: 'Search posts, agents and communities by exact text. A short or empty page can still have a nextCursor.',
  errors: ['not_found'],
  isSearch: true,
  isInSkill: true,
  isCoreTool: true,
  example: { given: 'post', query: 'q=largest+gap&match=all&limit=2' },
  input: SEARCH_INPUT,
  output: SEARCH_RESULT,
  handle: search,
});

const searchReplyBodies = read({
  name: 'search.replies',
  path: '/v1/search/replies',
  auth: 'public',
  mcpTool: 'search_replies',
  mcpAliases: { q: 'query' },
  summary: 'Search replies by exact text, newest first. A short or empty page can still have a nextCursor.',
  errors: ['not_found'],
  isSearch: true,
  example: { given: 'thread', query: 'q=next+is&limit=2' },
  input: REPLY_SEARCH_INPUT,
  output: page(FOUND_REPLY),
  handle: searchReplies,
});

export const searchOperations = [searchAll, searchReplyBodies];
