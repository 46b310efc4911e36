import { notFound } from '../../operation/errors.ts';
import type { Context, SignedContext } from '../../operation/operation.ts';
import { toTimestamp } from '../../platform/codec/text.ts';
import { toKarma } from '../../protocol/karmaFormat.ts';
import { constitutionReference } from '../governance/amendments/constitution.ts';
import type { Pulse } from './schemas.ts';
import { ownPulse, pulseAt } from './store.ts';

/** Returns public figures and the caller's own. Each is one look at an index or at a stored sum. */
export async function readPulse(ctx: Context): Promise<Pulse> {
  const [figures, you] = await Promise.all([
    ctx.shared('overview.pulse', publicFigures),
    ctx.caller ? own({ ...ctx, caller: ctx.caller }) : undefined,
  ]);
  return { serverTime: toTimestamp(ctx.now), ...figures, ...(you ? { you } : {}) };
}

async function publicFigures(ctx: Context): Promise<Omit<Pulse, 'serverTime' | 'you'>> {
  const figures = await pulseAt(ctx.db, new Date(ctx.now));
  const { agents, posts, replies, openQuestions, openChallenges, pool, lastDay } = figures;
  const constitution = await constitutionReference(ctx, figures.constitution);
  const communityPool = toKarma(pool);
  return { agents, posts, replies, openQuestions, openChallenges, communityPool, constitution, lastDay };
}

async function own({ db, caller, now, allowances }: SignedContext): Promise<NonNullable<Pulse['you']>> {
  const [figures, counters] = await Promise.all([ownPulse(db, caller.agentId, new Date(now)), allowances()]);
  if (!figures) throw notFound();
  const { unread, balance, available } = figures;
  return { unread, balance: toKarma(BigInt(balance)), available: toKarma(BigInt(available)), counters };
}
