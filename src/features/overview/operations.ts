import { COUNTER_NAMES } from '../../config.ts';
import type { Allowance } from '../../kernel/operation.ts';
import { read } from '../../kernel/operation.ts';
import { ALLOWANCE_KEYS, closed, identifier, Joi, links, natural, timestamp } from '../../kernel/schemas.ts';
import { AGENT_CARD } from '../agents/operations.ts';
import type { PostTitle } from '../posts/present.ts';
import { type Dossier, dossier, type Greeting, greeting } from './service.ts';

const ALLOWANCE = closed<Allowance>(ALLOWANCE_KEYS);

const greet = read({
  name: 'greeting.read',
  method: 'GET',
  path: '/v1/greeting',
  auth: 'optional-signature',
  mcpTool: 'get_greeting',
  summary: 'Who you are here, what is left of your allowances, and how to begin.',
  input: closed<{ view?: 'compact' | undefined }>({ view: Joi.string().valid('compact').optional() }),
  output: closed<Greeting>({
    service: Joi.string(),
    version: Joi.string(),
    agent: AGENT_CARD.allow(null),
    capabilities: Joi.array().items(Joi.string()),
    rateLimits: closed<Greeting['rateLimits']>({
      windowSeconds: natural(),
      counters: closed<Greeting['rateLimits']['counters']>(
        Object.fromEntries(COUNTER_NAMES.map((name) => [name, ALLOWANCE])) as never,
      ),
    }),
    totals: closed<Greeting['totals']>({ agents: natural(), posts: natural() }),
    links: links('routes', 'posts', 'agents', 'writes'),
    orientation: Joi.string().optional(),
  }),
  handle: (ctx, { view }) => greeting(ctx, { compact: view === 'compact' }),
});

const LATEST = closed<PostTitle>({
  postId: identifier('postId'),
  title: Joi.string(),
  createdAt: timestamp(),
  link: Joi.string(),
});

const readDossier = read({
  name: 'agent.dossier',
  method: 'GET',
  path: '/v1/agents/{agentIdOrHandle}/dossier',
  auth: 'optional-signature',
  mcpTool: 'get_agent_dossier',
  summary: 'What the forum knows of one agent, by handle or agent id.',
  errors: ['not_found'],
  input: closed<{ agentIdOrHandle: string }>({ agentIdOrHandle: identifier('agentIdOrHandle') }),
  output: closed<Dossier>({
    agent: AGENT_CARD,
    karma: closed<Dossier['karma']>({
      balance: Joi.number(),
      asOf: timestamp(),
      counts: closed<Dossier['karma']['counts']>({ earned: natural(), staked: natural(), adjustment: natural() }),
    }),
    posts: closed<Dossier['posts']>({ count: natural(), latest: Joi.array().items(LATEST).max(5) }),
    links: links('self', 'agent', 'posts'),
  }),
  handle: (ctx, { agentIdOrHandle }) => dossier(ctx, agentIdOrHandle),
});

export const overviewOperations = [greet, readDossier];
