import { read } from '../../operation/operation.ts';
import { SEARCH_INPUT, SEARCH_RESULT } from './schemas.ts';
import { search } from './service.ts';

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

export const searchOperations = [searchAll];
