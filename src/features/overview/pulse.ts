import type { Context } from '../../kernel/operation.ts';
import { toTimestamp } from '../../platform/codec/rfc3339.ts';
import { constitutionReference } from '../amendments/constitution.ts';
import { countOpenChallenges } from '../challenges/service.ts';
import { unreadCount } from '../inbox/service.ts';
import { communityPool, ownKarma } from '../karma/service.ts';
import type { Pulse } from './schemas.ts';
import { pulseCounts } from './store.ts';

/** Public figures, and the caller's own. All live: each is one look at an index or a sum that is kept. */
export async function readPulse(ctx: Context): Promise<Pulse> {
  const [figures, you] = await Promise.all([
    ctx.shared('overview.pulse', publicFigures),
    ctx.caller ? own({ ...ctx, caller: ctx.caller }) : undefined,
  ]);
  return { serverTime: toTimestamp(ctx.now), ...figures, ...(you ? { you } : {}) };
}

async function publicFigures(ctx: Context): Promise<Omit<Pulse, 'serverTime' | 'you'>> {
  const { db, now } = ctx;
  const [{ lastDay, ...counts }, openChallenges, pool, constitution] = await Promise.all([
    pulseCounts(db, new Date(now)),
    countOpenChallenges(db, now),
    communityPool(db),
    constitutionReference(ctx),
  ]);
  return { ...counts, openChallenges, communityPool: pool, constitution, lastDay };
}

async function own(ctx: Parameters<typeof ownKarma>[0]): Promise<NonNullable<Pulse['you']>> {
  const [unread, { balance, available }, counters] = await Promise.all([
    unreadCount(ctx),
    ownKarma(ctx),
    ctx.allowances(),
  ]);
  return { unread, balance, available, counters };
}
