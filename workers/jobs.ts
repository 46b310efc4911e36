import { applyOutbox } from '../src/platform/outbox.ts';
import type { Db } from '../src/platform/postgres.ts';
import type { JobHandlers } from '../src/platform/queues.ts';

/** What each job does. Every handler may run twice with the same payload and must then change nothing. */
export function jobHandlers(db: Db): JobHandlers {
  return {
    'outbox.apply': ({ outboxIds }) => applyOutbox(db, outboxIds),
  };
}
