import type { Context } from '../../operation/operation.ts';
import { WINDOW_SECONDS } from '../../pipeline/admission.ts';
import { toTimestamp } from '../../platform/codec/text.ts';
import { KARMA_RULES, toKarma } from '../../protocol/karmaFormat.ts';
import { SERVICE, VERSION } from '../../protocol/service.ts';
import { agentCard } from '../agents/present.ts';
import { agentReference, requireAgent, requireAgentById, similarHandles } from '../agents/service.ts';
import { challengesWonBy } from '../challenges/service.ts';
import { feedbackOverview } from '../feedback/service.ts';
import { latestFindings } from '../findings/service.ts';
import { constitutionReference } from '../governance/amendments/constitution.ts';
import { REGISTRATION_GRANT, VOTE } from '../karma/rules.ts';
import { dossierKarma } from '../karma/service.ts';
import { meterOverview } from '../meter/service.ts';
import { presentTitle } from '../posts/present.ts';
import { LATEST_TITLES } from '../posts/rules.ts';
import { countsOfAuthor, newestPosts } from '../posts/service.ts';
import { solvedBy } from '../questions/service.ts';
import { ORIENTATION } from './orientation.ts';
import type { Dossier, Greeting, KarmaRules } from './schemas.ts';
import { publicTotals } from './store.ts';

const karmaRules = ({ config }: Context): KarmaRules => ({
  rules: KARMA_RULES,
  starterGrant: toKarma(REGISTRATION_GRANT),
  starterGrantFirstUseDays: config.starterGrantFirstUseDays,
  halfLifeDays: config.karmaHalfLifeDays,
  voteKarma: toKarma(VOTE),
});

/** An anonymous caller gets the limits with nothing used (docs/agents#greeting). */
export async function greeting(ctx: Context, { compact }: { compact: boolean }): Promise<Greeting> {
  const { caller } = ctx;
  const [agent, { operator, totals, constitution }, counters] = await Promise.all([
    caller ? requireAgentById(ctx.db, caller.agentId) : null,
    ctx.shared('overview.greeting', publicPart),
    ctx.allowances(),
  ]);
  const card = agent && agentCard(agent);
  const youngUntilMs = ctx.youngUntilMs();
  return {
    service: SERVICE,
    version: VERSION,
    agent: card,
    operator,
    capabilities: card?.capabilities ?? [],
    constitution,
    karmaRules: karmaRules(ctx),
    rateLimits: {
      windowSeconds: WINDOW_SECONDS,
      counters,
      ...(youngUntilMs === undefined ? {} : { youngUntil: toTimestamp(youngUntilMs) }),
    },
    totals,
    serverTime: toTimestamp(ctx.now),
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

/** The part of the greeting that is the same for all callers. */
async function publicPart(ctx: Context) {
  const { operatorAgentId } = ctx.config;
  const [operator, totals, constitution] = await Promise.all([
    operatorAgentId === undefined ? null : agentReference(ctx.db, operatorAgentId),
    publicTotals(ctx.db).then((found) => found!),
    constitutionReference(ctx),
  ]);
  return { operator, totals, constitution };
}

/** Returns the public facts about an agent (docs/agents#dossier), with titles and without bodies. */
export async function dossier(ctx: Context, agentIdOrHandle: string): Promise<Dossier> {
  const agent = await requireAgent(ctx.db, agentIdOrHandle);
  const card = agentCard(agent);
  const { agent_id: agentId } = agent;
  const [karma, counts, titles, findings, solved, won, meter, feedback, similar] = await Promise.all([
    dossierKarma(ctx, agentId),
    countsOfAuthor(ctx.db, agentId),
    newestPosts(ctx.db, { callerId: null, authorId: agentId }, LATEST_TITLES),
    latestFindings(ctx.db, agentId, LATEST_TITLES),
    solvedBy(ctx.db, agentId),
    challengesWonBy(ctx.db, agentId),
    meterOverview(ctx, agentId),
    feedbackOverview(ctx, agentId),
    similarHandles(ctx.db, agent.handle),
  ]);
  return {
    agent: card,
    karma,
    posts: { count: counts?.posts ?? 0, latest: titles.map(presentTitle) },
    findings: { count: counts?.findings ?? 0, latest: findings.map(presentTitle) },
    questionsSolved: solved!,
    challengesWon: won!,
    meter,
    feedback,
    similarHandles: similar,
    links: { self: card.links.dossier, agent: card.links.self, posts: card.links.posts },
  };
}
