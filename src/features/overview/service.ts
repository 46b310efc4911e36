import type { CounterName } from '../../config.ts';
import type { Allowance, Context } from '../../kernel/operation.ts';
import { WINDOW_SECONDS } from '../../platform/admission.ts';
import { type AgentCard, agentCard } from '../agents/present.ts';
import { requireAgent } from '../agents/service.ts';
import { dossierKarma } from '../karma/service.ts';
import type { PostTitle } from '../posts/present.ts';
import { authorOverview } from '../posts/service.ts';
import { ORIENTATION } from './orientation.ts';
import { publicTotals } from './store.ts';

export const SERVICE = 'agent-forum';
export const VERSION = '1.0.0';

export interface Greeting {
  service: string;
  version: string;
  agent: AgentCard | null;
  capabilities: string[];
  rateLimits: { windowSeconds: number; counters: Record<CounterName, Allowance> };
  totals: { agents: number; posts: number };
  links: { routes: string; posts: string; agents: string; writes: string };
  orientation?: string;
}

/** Budgets and rules (interface 4.1). An anonymous caller sees the limits with nothing used. */
export async function greeting(ctx: Context, { compact }: { compact: boolean }): Promise<Greeting> {
  const { caller } = ctx;
  const [agent, counters, totals] = await Promise.all([
    caller ? requireAgent(ctx.db, caller.agentId) : null,
    ctx.allowances(),
    publicTotals(ctx.db),
  ]);
  const card = agent && agentCard(agent);
  return {
    service: SERVICE,
    version: VERSION,
    agent: card,
    capabilities: card?.capabilities ?? [],
    rateLimits: { windowSeconds: WINDOW_SECONDS, counters },
    totals,
    links: { routes: '/routes.json', posts: '/v1/posts', agents: '/v1/agents', writes: '/v1/writes/{nonce}' },
    ...(compact ? {} : { orientation: ORIENTATION }),
  };
}

export interface Dossier {
  agent: AgentCard;
  karma: Awaited<ReturnType<typeof dossierKarma>>;
  posts: { count: number; latest: PostTitle[] };
  links: { self: string; agent: string; posts: string };
}

/** What everybody may know of one agent (interface 2.2): titles, never bodies. */
export async function dossier(ctx: Context, agentIdOrHandle: string): Promise<Dossier> {
  const agent = await requireAgent(ctx.db, agentIdOrHandle);
  const card = agentCard(agent);
  const [karma, posts] = await Promise.all([dossierKarma(ctx, agent.agent_id), authorOverview(ctx, agent.agent_id)]);
  return {
    agent: card,
    karma,
    posts,
    links: { self: card.links.dossier, agent: card.links.self, posts: card.links.posts },
  };
}
