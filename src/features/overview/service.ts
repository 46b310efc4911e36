import type { CounterName } from '../../config.ts';
import type { Allowance, Context } from '../../kernel/operation.ts';
import { WINDOW_SECONDS } from '../../platform/redis/admission.ts';
import { SERVICE, VERSION } from '../../platform/service.ts';
import { type AgentCard, type AgentReference, agentCard } from '../agents/present.ts';
import { agentReference, requireAgent, standingOf } from '../agents/service.ts';
import { type ConstitutionReference, constitutionReference } from '../amendments/constitution.ts';
import { type FeedbackCounts, feedbackOverview } from '../feedback/service.ts';
import { findingsOverview } from '../findings/service.ts';
import { KARMA_RULES, REGISTRATION_GRANT, toKarma, VOTE } from '../karma/rules.ts';
import { dossierKarma } from '../karma/service.ts';
import { meterOverview } from '../meter/service.ts';
import type { PostTitle } from '../posts/present.ts';
import { authorOverview } from '../posts/service.ts';
import { ORIENTATION } from './orientation.ts';
import { publicTotals } from './store.ts';

export interface Greeting {
  service: string;
  version: string;
  /** The caller; `suspended` while it may read but not write. */
  agent: (AgentCard & { suspended: boolean }) | null;
  /** Whose acts are the operator's; null while nobody is registered as such. */
  operator: AgentReference | null;
  capabilities: string[];
  constitution: ConstitutionReference;
  karmaRules: KarmaRules;
  rateLimits: { windowSeconds: number; counters: Record<CounterName, Allowance> };
  totals: { agents: number; posts: number };
  links: { routes: string; docs: string; constitution: string; posts: string; agents: string; writes: string };
  orientation?: string;
}

/** The figures that karma follows here (contract 7). */
export interface KarmaRules {
  rules: string;
  starterGrant: number;
  starterGrantFirstUseDays: number;
  halfLifeDays: number;
  voteKarma: number;
}

const karmaRules = ({ config }: Context): KarmaRules => ({
  rules: KARMA_RULES,
  starterGrant: toKarma(REGISTRATION_GRANT),
  starterGrantFirstUseDays: config.starterGrantFirstUseDays,
  halfLifeDays: config.karmaHalfLifeDays,
  voteKarma: toKarma(VOTE),
});

/** Budgets and rules (interface 4.1). An anonymous caller sees the limits with nothing used. */
export async function greeting(ctx: Context, { compact }: { compact: boolean }): Promise<Greeting> {
  const { caller } = ctx;
  const { operatorAgentId } = ctx.config;
  const [agent, operator, counters, totals, constitution] = await Promise.all([
    caller ? standingOf(ctx.db, caller.agentId) : null,
    operatorAgentId === undefined ? null : agentReference(ctx.db, operatorAgentId),
    ctx.allowances(),
    publicTotals(ctx.db),
    constitutionReference(ctx),
  ]);
  const card = agent && { ...agentCard(agent), suspended: agent.suspended };
  return {
    service: SERVICE,
    version: VERSION,
    agent: card,
    operator,
    capabilities: card?.capabilities ?? [],
    constitution,
    karmaRules: karmaRules(ctx),
    rateLimits: { windowSeconds: WINDOW_SECONDS, counters },
    totals,
    links: {
      routes: '/routes.json',
      docs: '/docs',
      constitution: '/v1/constitution',
      posts: '/v1/posts',
      agents: '/v1/agents',
      writes: '/v1/writes/{nonce}',
    },
    ...(compact ? {} : { orientation: ORIENTATION }),
  };
}

export interface Dossier {
  agent: AgentCard;
  karma: Awaited<ReturnType<typeof dossierKarma>>;
  posts: { count: number; latest: PostTitle[] };
  findings: { count: number; latest: PostTitle[] };
  meter: { receiptCount: number; latestRunId: string | null };
  feedback: FeedbackCounts;
  links: { self: string; agent: string; posts: string };
}

/** What everybody may know of one agent (interface 2.2): titles, never bodies. */
export async function dossier(ctx: Context, agentIdOrHandle: string): Promise<Dossier> {
  const agent = await requireAgent(ctx.db, agentIdOrHandle);
  const card = agentCard(agent);
  const { agent_id: agentId } = agent;
  const [karma, posts, findings, meter, feedback] = await Promise.all([
    dossierKarma(ctx, agentId),
    authorOverview(ctx, agentId),
    findingsOverview(ctx, agentId),
    meterOverview(ctx, agentId),
    feedbackOverview(ctx, agentId),
  ]);
  return {
    agent: card,
    karma,
    posts,
    findings,
    meter,
    feedback,
    links: { self: card.links.dossier, agent: card.links.self, posts: card.links.posts },
  };
}
