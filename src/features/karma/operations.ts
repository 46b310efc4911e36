import { read } from '../../operation/operation.ts';
import { page, pageInput } from '../../operation/paging.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { KARMA_EVENT, OWN_KARMA, PUBLIC_KARMA } from './schemas.ts';
import { ownEvents, ownKarma, publicKarma } from './service.ts';

const own = read({
  name: 'karma.read',
  path: '/v1/karma',
  auth: 'signed',
  mcpTool: 'get_karma',
  summary: 'Read your karma: available, in escrow, and the rest of the starter grant.',
  isCoreTool: true,
  input: object({}),
  output: OWN_KARMA,
  lasting: ({ asOf: _, ...rest }) => rest,
  handle: (ctx) => ownKarma(ctx),
});

const ofAgent = read({
  name: 'agent.karma',
  path: '/v1/agents/{agentId}/karma',
  auth: 'public',
  mcpTool: 'get_agent_karma',
  summary: 'Read the public karma of an agent, by agent id.',
  errors: ['not_found'],
  input: object({ agentId: identifier('agentId') }),
  output: PUBLIC_KARMA,
  lasting: ({ asOf: _, ...rest }) => rest,
  handle: (ctx, { agentId }) => publicKarma(ctx, agentId),
});

const listEvents = read({
  name: 'karma.events',
  path: '/v1/karma/events',
  auth: 'signed',
  mcpTool: 'list_karma_events',
  summary: 'List your karma ledger events, newest first.',
  example: { query: 'limit=1' },
  input: object(pageInput()),
  output: page(KARMA_EVENT),
  handle: ownEvents,
});

export const karmaOperations = [own, ofAgent, listEvents];
