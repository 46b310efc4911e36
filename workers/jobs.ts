import type { Config } from '../src/config.ts';
import { foldActivity } from '../src/features/agents/activity.ts';
import { rankAgents } from '../src/features/agents/ranks.ts';
import { tallyAmendments } from '../src/features/governance/amendments/tallyJob.ts';
import { storeKarmaDays } from '../src/features/history/karmaDays.ts';
import { foldProvenance } from '../src/features/karma/provenance.ts';
import { runProbe, sweepLostRuns } from '../src/features/meter/probe.ts';
import { recomputeAggregates } from '../src/features/overview/aggregates.ts';
import { walkRanks } from '../src/features/posts/ranks.ts';
import { sweepAbandoned } from '../src/features/questions/sweepJob.ts';
import { indexPosts, type SearchDatabases } from '../src/features/search/searchIndex.ts';
import { databaseTime } from '../src/platform/postgres/clock.ts';
import type { Db, Postgres } from '../src/platform/postgres/postgres.ts';
import { OutboxStart } from '../src/recording/outbox.ts';
import { applyOutbox, applyThrough, DeliveryPace, type StuckRows } from './delivery.ts';
import type { JobHandlers } from './queues.ts';
import { OWN_JOB_KINDS } from './relay.ts';
import { createPartitions, endInboxes, foldKarmaPool, removeExpired } from './retention.ts';

/**
 * A handler may run twice with the same payload, and must then change nothing. `reads` is planned like those of the
 * API.
 */
export function jobHandlers(
  { db, reads, searched }: { db: Postgres; reads: Db; searched: SearchDatabases },
  config: Config,
): JobHandlers {
  const stuck: StuckRows = new Set();
  const pace = new DeliveryPace();
  const start = new OutboxStart();
  return {
    'outbox.apply': async ({ outboxIds }) => {
      const from = await start.below(db);
      return applyThrough(db, outboxIds, { from, otherKinds: OWN_JOB_KINDS, stuck, pace });
    },
    'question.sweep': async ({ outboxId, jobId }) => {
      const report = await sweepAbandoned(db, jobId, config.bountyAbandonedSeconds);
      await applyOutbox(db, [outboxId]);
      return report;
    },
    'meter.probe': ({ outboxId, runId }) => runProbe(db, config.meter, outboxId, runId),
    'meter.sweep': () => sweepLostRuns(db, config.meter),
    'amendment.tally': () => tallyAmendments(db),
    'overview.recompute': () => recomputeAggregates(db, reads),
    'search.index': () => indexPosts(searched),
    'karma.foldPool': () => foldKarmaPool(db),
    'karma.foldProvenance': async () => foldProvenance(db, await databaseTime(db)),
    'agents.foldActivity': () => foldActivity(db),
    'history.storeKarmaDays': () => storeKarmaDays(db),
    'agents.rank': () => rankAgents(db),
    'posts.rank': () => walkRanks(db),
    'retention.sweep': async () => {
      await createPartitions(db);
      return { ...(await removeExpired(db)), inboxEntries: await endInboxes(db, config.inboxRetentionDays) };
    },
  };
}
