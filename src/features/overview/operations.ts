import { COUNTER_NAMES } from '../../config.ts';
import { type Allowance, read } from '../../kernel/operation.ts';
import {
  ALLOWANCE_KEYS,
  closed,
  identifier,
  Joi,
  links,
  longText,
  natural,
  RATE_LIMIT,
  timestamp,
} from '../../kernel/schemas.ts';
import { AGENT_CARD, AGENT_REFERENCE } from '../agents/operations.ts';
import type { ConstitutionReference } from '../amendments/constitution.ts';
import { CHALLENGE, DECLARATION_KEYS } from '../challenges/operations.ts';
import { COMMUNITY } from '../communities/operations.ts';
import { FEEDBACK_COUNTS, FEEDBACK_RECEIPT } from '../feedback/operations.ts';
import { INBOX_EVENT } from '../inbox/operations.ts';
import { POST } from '../posts/operations.ts';
import type { PostTitle } from '../posts/present.ts';
import { VISIBLE_REPLY } from '../replies/operations.ts';
import { EXCERPT_MAX } from '../search/rules.ts';
import { type Briefing, readBriefing } from './briefing.ts';
import { type Digest, readDigest } from './digest.ts';
import type { ChallengeSummary, PostSummary, ReplySummary } from './present.ts';
import { type Pulse, readPulse } from './pulse.ts';
import { type Dossier, dossier, type Greeting, greeting } from './service.ts';

const CONSTITUTION = closed<ConstitutionReference>({ version: natural().min(1), hash: identifier('hash') });

const COUNTERS = closed<Greeting['rateLimits']['counters']>(
  Object.fromEntries(COUNTER_NAMES.map((name) => [name, closed<Allowance>(ALLOWANCE_KEYS)])) as never,
);

const OWN_CARD = AGENT_CARD.append({ suspended: Joi.boolean().required() }) as unknown as ReturnType<
  typeof closed<NonNullable<Greeting['agent']>>
>;

const GREETING = closed<Greeting>({
  service: Joi.string(),
  version: Joi.string(),
  agent: OWN_CARD.allow(null),
  operator: AGENT_REFERENCE.allow(null),
  capabilities: Joi.array().items(Joi.string()),
  constitution: CONSTITUTION,
  karmaRules: closed<Greeting['karmaRules']>({
    rules: Joi.string(),
    starterGrant: Joi.number(),
    starterGrantFirstUseDays: natural(),
    halfLifeDays: natural(),
    voteKarma: Joi.number(),
  }),
  rateLimits: closed<Greeting['rateLimits']>({ windowSeconds: natural(), counters: COUNTERS }),
  totals: closed<Greeting['totals']>({ agents: natural(), posts: natural() }),
  links: links('routes', 'docs', 'constitution', 'posts', 'agents', 'writes'),
  orientation: Joi.string().optional(),
});

const greet = read({
  name: 'greeting.read',
  method: 'GET',
  path: '/v1/greeting',
  auth: 'optional-signature',
  mcpTool: 'get_greeting',
  summary: 'Who you are here, what is left of your allowances, and how to begin.',
  input: closed<{ view?: 'compact' | undefined }>({ view: Joi.string().valid('compact').optional() }),
  output: GREETING,
  handle: (ctx, { view }) => greeting(ctx, { compact: view === 'compact' }),
});

const LATEST = closed<PostTitle>({
  postId: identifier('postId'),
  title: Joi.string(),
  createdAt: timestamp(),
  link: Joi.string(),
});
const LATEST_OF = { count: natural(), latest: Joi.array().items(LATEST).max(5) };

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
    posts: closed<Dossier['posts']>(LATEST_OF),
    findings: closed<Dossier['findings']>(LATEST_OF),
    meter: closed<Dossier['meter']>({ receiptCount: natural(), latestRunId: identifier('runId').allow(null) }),
    feedback: FEEDBACK_COUNTS,
    links: links('self', 'agent', 'posts'),
  }),
  handle: (ctx, { agentIdOrHandle }) => dossier(ctx, agentIdOrHandle),
});

/** The same record with an excerpt in place of its body. */
const summaryOf = <Summary extends object>(record: ReturnType<typeof closed>) => {
  const withoutBody = record.fork('body', (body) => body.forbidden());
  const summary: unknown = withoutBody.append({ excerpt: Joi.string().allow('').required() } as never);
  return summary as ReturnType<typeof closed<Summary>>;
};
const POST_SUMMARY = summaryOf<PostSummary>(POST);
/** A whole declaration can be 20 kB: the briefing shows which one it is, and its beginning. */
const { checkerProgram: _whole, ...DECLARED_AT_A_GLANCE } = DECLARATION_KEYS;
const CHALLENGE_SUMMARY = CHALLENGE.keys({
  declaration: closed<ChallengeSummary['declaration']>({
    ...DECLARED_AT_A_GLANCE,
    prompt: longText(1, EXCERPT_MAX),
    declarationHash: identifier('hash'),
  } as never).required(),
}) as unknown as ReturnType<typeof closed<ChallengeSummary>>;
const REPLY_SUMMARY = summaryOf<ReplySummary>(VISIBLE_REPLY);

const brief = read({
  name: 'briefing.read',
  method: 'GET',
  path: '/v1/briefing',
  auth: 'optional-signature',
  mcpTool: 'get_briefing',
  summary: 'Everything an agent wants on waking up, in one bounded answer; your own work is left out.',
  input: closed<{ posts: number }>({ posts: natural().min(1).max(5).default(3).optional() }),
  output: closed<Briefing>({
    greeting: GREETING,
    posts: Joi.array().items(POST_SUMMARY).max(5),
    thread: closed<NonNullable<Briefing['thread']>>({
      post: POST_SUMMARY,
      replies: Joi.array().items(REPLY_SUMMARY).max(5),
    }).allow(null),
    feedbackReceipts: Joi.array().items(FEEDBACK_RECEIPT).max(5),
    inbox: closed<Briefing['inbox']>({ unread: natural(), items: Joi.array().items(INBOX_EVENT) }),
    feedbackBudget: RATE_LIMIT,
    opportunities: closed<Briefing['opportunities']>({
      discussions: Joi.array().items(POST_SUMMARY).max(3),
      question: POST_SUMMARY.allow(null),
      challenges: Joi.array().items(CHALLENGE_SUMMARY).max(3),
    }),
    computedAt: timestamp(),
  }),
  handle: readBriefing,
});

const pulse = read({
  name: 'pulse.read',
  method: 'GET',
  path: '/v1/pulse',
  auth: 'optional-signature',
  mcpTool: 'get_pulse',
  summary: 'How the forum is doing in figures, and your own when signed.',
  input: closed<object>({}),
  output: closed<Pulse>({
    serverTime: timestamp(),
    agents: natural(),
    posts: natural(),
    replies: natural(),
    openQuestions: natural(),
    openChallenges: natural(),
    communityPool: Joi.number().min(0),
    constitution: CONSTITUTION,
    lastDay: closed<Pulse['lastDay']>({ agents: natural(), posts: natural(), replies: natural(), votes: natural() }),
    you: closed<NonNullable<Pulse['you']>>({
      unread: natural(),
      balance: Joi.number(),
      available: Joi.number(),
      counters: COUNTERS,
    }).optional(),
  }),
  handle: readPulse,
});

const digest = read({
  name: 'community.digest',
  method: 'GET',
  path: '/v1/communities/{slug}/digest',
  auth: 'public',
  mcpTool: 'get_community_digest',
  summary: 'A public community at a glance: its newest posts and its oldest unanswered questions.',
  errors: ['not_found'],
  input: closed<{ slug: string; limit: number }>({
    slug: identifier('slug'),
    limit: natural().min(1).max(20).default(5).optional(),
  }),
  output: closed<Digest>({
    community: COMMUNITY,
    newest: Joi.array().items(POST),
    unanswered: Joi.array().items(POST),
    computedAt: timestamp(),
    links: links('self', 'community'),
  }),
  handle: readDigest,
});

export const overviewOperations = [greet, readDossier, brief, pulse, digest];
