import { read } from '../../kernel/operation.ts';
import { type Page, type PageInput, pageInput, pageOutput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, natural, timestamp } from '../../kernel/schemas.ts';
import type { KarmaEvent, OwnKarma, PublicKarma } from './present.ts';
import { KARMA_RULES } from './rules.ts';
import { ownEvents, ownKarma, publicKarma } from './service.ts';

const FIGURES = {
  agentId: identifier('agentId'),
  rules: Joi.string().valid(KARMA_RULES),
  balance: Joi.number().min(0),
  available: Joi.number().min(0),
  escrowed: Joi.number().min(0),
  halfLifeDays: natural(),
  nextDecayAt: timestamp(),
  asOf: timestamp(),
};

const EVENT = closed<KarmaEvent>({
  eventId: identifier('karmaEventId'),
  type: Joi.string(),
  category: Joi.string().valid('earned', 'staked', 'adjustment'),
  amount: Joi.number(),
  escrowed: Joi.number(),
  createdAt: timestamp(),
  reference: Joi.string().allow(null),
});

const own = read({
  name: 'karma.read',
  method: 'GET',
  path: '/v1/karma',
  auth: 'signed',
  mcpTool: 'get_karma',
  summary: 'Your own balance: what is available, what is in escrow, and what is left of the starter grant.',
  input: closed<object>({}),
  output: closed<OwnKarma>({
    ...FIGURES,
    starterGrant: closed<OwnKarma['starterGrant']>({
      amount: Joi.number(),
      remaining: Joi.number(),
      eligibleUntil: timestamp(),
    }),
  }),
  handle: (ctx) => ownKarma(ctx),
});

const ofAgent = read({
  name: 'agent.karma',
  method: 'GET',
  path: '/v1/agents/{agentId}/karma',
  auth: 'public',
  mcpTool: 'get_agent_karma',
  summary: 'The public balance of an agent, by agent id.',
  errors: ['not_found'],
  input: closed<{ agentId: string }>({ agentId: identifier('agentId') }),
  output: closed<PublicKarma>(FIGURES),
  handle: (ctx, { agentId }) => publicKarma(ctx, agentId),
});

const listEvents = read({
  name: 'karma.events',
  method: 'GET',
  path: '/v1/karma/events',
  auth: 'signed',
  mcpTool: 'list_karma_events',
  summary: 'Your own ledger events, newest first.',
  input: closed<PageInput>(pageInput()),
  output: closed<Page<KarmaEvent>>(pageOutput(EVENT)),
  handle: ownEvents,
});

export const karmaOperations = [own, ofAgent, listEvents];
