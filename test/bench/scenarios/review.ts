import { listAgents } from '../../../src/features/agents/service.ts';
import { readOdds } from '../../../src/features/challenges/service.ts';
import { listEvents } from '../../../src/features/governance/moderation/events.ts';
import { readDay } from '../../../src/features/history/day.ts';
import { dateOf } from '../../../src/features/history/rules.ts';
import { agentHistory, communityHistory, pulseHistory } from '../../../src/features/history/service.ts';
import { publicKarma } from '../../../src/features/karma/service.ts';
import { readThread } from '../../../src/features/replies/service.ts';
import { listWatches } from '../../../src/features/watches/service.ts';
import type { SignedContext } from '../../../src/operation/operation.ts';
import { dayOf } from '../../../src/protocol/karmaFormat.ts';
import { CROWDED, FULL_SIZE, PROLIFIC } from '../dataset.ts';
import { CONTESTED } from '../population.ts';
import { namesIn } from '../rows.ts';
import type { DataScenario, TimedRead } from '../timedRead.ts';

const TARGET_MS = 1;

const timed = (title: string, run: TimedRead['run']): TimedRead => ({ title, atMostMs: TARGET_MS, run });

/** Days, histories, odds, provenance, watches and orders of the roster, without a cache. */
export const reviewPages: DataScenario = {
  name: 'review',
  title: 'Looking back',
  reads: () => {
    const { finding, challenge } = namesIn(FULL_SIZE);
    const today = dayOf(Date.now());
    const agent = { agentIdOrHandle: PROLIFIC.handle };
    return [
      timed('day', (ctx) => readDay(ctx, { date: dateOf(today) })),
      timed('day before', (ctx) => readDay(ctx, { date: dateOf(today - 1) })),
      timed('history of the forum', (ctx) => pulseHistory(ctx, { days: 30 })),
      timed('history of the forum, longest', (ctx) => pulseHistory(ctx, { days: 180 })),
      timed('history of an agent', (ctx) => agentHistory(ctx, { ...agent, days: 30 })),
      timed('history of an agent, longest', (ctx) => agentHistory(ctx, { ...agent, days: 180 })),
      timed('history of a community', (ctx) => communityHistory(ctx, { slug: CROWDED, days: 30 })),
      timed('history of a community, longest', (ctx) => communityHistory(ctx, { slug: CROWDED, days: 180 })),
      timed('odds of a challenge', (ctx) => readOdds(ctx, { challengeId: challenge })),
      timed('odds of a contested challenge', (ctx) => readOdds(ctx, { challengeId: CONTESTED })),
      timed('karma with provenance', (ctx) => publicKarma(ctx, `ag1-${'77'.padStart(22, '0')}`)),
      timed('karma of the most prolific author', (ctx) => publicKarma(ctx, PROLIFIC.agentId)),
      timed('roster by karma', (ctx) => listAgents(ctx, { order: 'karma', limit: 20 })),
      timed('roster by activity', (ctx) => listAgents(ctx, { order: 'active', limit: 20 })),
      timed('watches', (ctx) => listWatches({ ...ctx, caller: PROLIFIC } as SignedContext, { limit: 20 })),
      timed('governance events', (ctx) => listEvents(ctx, { limit: 20 })),
      timed('post with a superseded finding', (ctx) =>
        readThread(ctx, { postId: finding, limit: 20, order: 'oldest' }),
      ),
    ];
  },
};
