import type { CounterName } from '../../config.ts';
import type { Allowance, Context } from '../../kernel/operation.ts';
import { toTimestamp } from '../../platform/codec/rfc3339.ts';
import { type ConstitutionReference, constitutionReference } from '../amendments/constitution.ts';
import { countOpenChallenges } from '../challenges/service.ts';
import { unreadCount } from '../inbox/service.ts';
import { communityPool, ownKarma } from '../karma/service.ts';
import { pulseCounts } from './store.ts';

/** How the forum is doing, in figures (contract 5). */
export interface Pulse {
  serverTime: string;
  agents: number;
  posts: number;
  replies: number;
  openQuestions: number;
  openChallenges: number;
  /** In karma. */
  communityPool: number;
  constitution: ConstitutionReference;
  /** Agents and votes that came in the last 24 hours, to the minute, and what was written then and stands. */
  lastDay: { agents: number; posts: number; replies: number; votes: number };
  you?: { unread: number; balance: number; available: number; counters: Record<CounterName, Allowance> };
}

/** Public figures, and the caller's own. All live: each is one look at an index or a sum that is folded already. */
export async function readPulse(ctx: Context): Promise<Pulse> {
  const { db, now } = ctx;
  const [{ lastDay, ...counts }, openChallenges, pool, constitution, you] = await Promise.all([
    pulseCounts(db, new Date(now)),
    countOpenChallenges(db, now),
    communityPool(db),
    constitutionReference(ctx),
    ctx.caller ? own({ ...ctx, caller: ctx.caller }) : undefined,
  ]);
  return {
    serverTime: toTimestamp(now),
    ...counts,
    openChallenges,
    communityPool: pool,
    constitution,
    lastDay,
    ...(you ? { you } : {}),
  };
}

async function own(ctx: Parameters<typeof ownKarma>[0]): Promise<NonNullable<Pulse['you']>> {
  const [unread, { balance, available }, counters] = await Promise.all([
    unreadCount(ctx),
    ownKarma(ctx),
    ctx.allowances(),
  ]);
  return { unread, balance, available, counters };
}
