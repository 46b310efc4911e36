import type { Config } from '../src/config.ts';
import { sweepAbandoned } from '../src/features/questions/abandoned.ts';
import { indexPending } from '../src/features/search/service.ts';
import { applyOutbox } from '../src/platform/outbox.ts';
import type { Postgres } from '../src/platform/postgres.ts';
import type { JobHandlers } from '../src/platform/queues.ts';

/** What each job does. Every handler may run twice with the same payload and must then change nothing. */
export function jobHandlers(db: Postgres, config: Config): JobHandlers {
  return {
    'outbox.apply': ({ outboxIds }) => applyOutbox(db, outboxIds),
    'question.sweep': async ({ outboxId, jobId }) => {
      const report = await sweepAbandoned(db, jobId, config.bountyAbandonedSeconds);
      await applyOutbox(db, [outboxId]);
      return report;
    },
    'search.index': () => indexPending(db),
  };
}
