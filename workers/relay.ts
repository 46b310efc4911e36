import { setTimeout as sleep } from 'node:timers/promises';
import { leaseOutbox, RELAY_BATCH } from '../src/platform/outbox.ts';
import type { Db } from '../src/platform/postgres.ts';
import type { JobQueue } from '../src/platform/queues.ts';

const POLL_MS = 25;
const IDLE_POLL_MS = 200;

/**
 * Hands outbox rows to the queue, one job a batch. Polls, because NOTIFY inside a write takes two thirds of the write
 * rate; backs off when idle. If adding the job fails, the lease runs out and the rows are taken again.
 */
export async function runRelay(
  db: Db,
  queue: JobQueue,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<void> {
  let waitMs = POLL_MS;
  while (!signal.aborted) {
    const taken = await relayBatch(db, queue).catch((error: unknown) => {
      onFailure(error);
      return 0;
    });
    if (taken === RELAY_BATCH) continue;
    waitMs = taken > 0 ? POLL_MS : Math.min(waitMs * 2, IDLE_POLL_MS);
    await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}

async function relayBatch(db: Db, queue: JobQueue): Promise<number> {
  const rows = await leaseOutbox(db);
  const events = rows.filter(({ kind }) => kind !== 'question.sweep');
  if (events.length > 0) await queue.add('outbox.apply', { outboxIds: events.map(({ outboxId }) => outboxId) });
  for (const { outboxId, kind, subject } of rows) {
    // A row that asks for a job of its own is removed by that job when it is done.
    if (kind === 'question.sweep') await queue.add(kind, { outboxId, jobId: subject });
  }
  return rows.length;
}
