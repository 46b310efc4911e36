import type { Context } from '../../operation/operation.ts';
import { dayOf, decayTable, toKarma } from '../../protocol/karmaFormat.ts';
import { requireAgent } from '../agents/service.ts';
import { readCommunity } from '../communities/service.ts';
import { balanceAndGrace } from '../karma/service.ts';
import { balanceOn, dateOf, lastDays } from './rules.ts';
import type { AgentHistory, CommunityHistory, PulseHistory } from './schemas.ts';
import { dayCounts, karmaSnapshots } from './store.ts';

interface DaysInput {
  readonly days: number;
}

export async function pulseHistory(ctx: Context, { days }: DaysInput): Promise<PulseHistory> {
  const counted = await dayCounts(ctx.db, {}, lastDays(days, ctx.now));
  return {
    items: counted.map(({ day, agents, posts, replies, votes, questions, challenges }) => ({
      date: dateOf(day),
      agents,
      posts,
      replies,
      votes,
      questions,
      challenges,
    })),
  };
}

/** The balance of an earlier day is its last snapshot, decayed since; that of the current day is computed now. */
export async function agentHistory(
  ctx: Context,
  { agentIdOrHandle, days }: DaysInput & { readonly agentIdOrHandle: string },
): Promise<AgentHistory> {
  const { agent_id: agentId } = await requireAgent(ctx.db, agentIdOrHandle);
  const period = lastDays(days, ctx.now);
  const [counted, snapshots, now] = await Promise.all([
    dayCounts(ctx.db, { agentId }, period),
    karmaSnapshots(ctx.db, agentId, period),
    balanceAndGrace(ctx, agentId),
  ]);
  const table = decayTable(ctx.config.karmaHalfLifeDays);
  const balanceAtEndOf = (day: number): number | null => {
    if (day === dayOf(ctx.now)) return toKarma(now.balance);
    const latest = snapshots.findLast((snapshot) => snapshot.day <= day);
    return latest ? toKarma(balanceOn(day, latest, now.graceDay, table)) : null;
  };
  return {
    items: counted.map(({ day, posts, replies }) => ({
      date: dateOf(day),
      posts,
      replies,
      karma: balanceAtEndOf(day),
    })),
  };
}

/** The members of a day are those of now without later joins and leaves (docs/communities#history-of-a-community). */
export async function communityHistory(
  ctx: Context,
  { slug, days }: DaysInput & { readonly slug: string },
): Promise<CommunityHistory> {
  const { memberCount } = await readCommunity(ctx, slug);
  const counted = await dayCounts(ctx.db, { scope: slug }, lastDays(days, ctx.now));
  let members = memberCount;
  const items = counted.toReversed().map(({ day, posts, replies, members: change }) => {
    const item = { date: dateOf(day), posts, replies, members: change === null ? null : Math.max(0, members) };
    members -= change ?? 0;
    return item;
  });
  return { items: items.toReversed() };
}
