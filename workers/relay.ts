import { setTimeout as sleep } from 'node:timers/promises';
import type { JobsOptions } from 'bullmq';
import type { Db } from '../src/platform/postgres/postgres.ts';
import { type JobPayloads, type JobQueues, originsOf } from '../src/platform/redis/queues.ts';
import type { OwnJobKind } from '../src/recording/events.ts';
import { leaseOutbox, type OutboxRow, OutboxStart, RELAY_BATCH } from '../src/recording/outbox.ts';

const POLL_MS = 25;
/** While few come at a time: to gather more of them would save little, and who waits for a pointer waits for that. */
const FEW = 16;
const FEW_POLL_MS = 14;
/** While no event comes, the pause is a hundredth of the silence. The event that ends the silence waits this long at most. */
const IDLE_SHARE = 0.01;
const MAX_IDLE_POLL_MS = 500;
const FAILURE_WAIT_MS = 500;
/** As many batches may wait in the queue; the rest waits in the outbox, where leases do not run out meanwhile. */
const MAX_WAITING = 20;

/** For a database that is just being restarted; what still fails then is taken again when its lease runs out. */
const APPLY_OPTIONS: JobsOptions = { attempts: 3, backoff: { type: 'exponential', delay: 200 } };
/** The row stays leased again and again while its own job takes long: that is no reason for a second job. */
const OWN_JOB_ONCE_MS = 60_000;

/** Kinds of rows that ask for a job of their own, which removes the row itself: the payload by kind. */
const OWN_JOBS = {
  'question.sweep': ({ outboxId, subject }) => ({ outboxId, jobId: subject }),
  'meter.probe': ({ outboxId, subject }) => ({ outboxId, runId: subject }),
} as const satisfies { [Name in OwnJobKind]: (row: OutboxRow) => JobPayloads[Name] };
type OwnJob = keyof typeof OWN_JOBS;

/** Nobody else may remove their rows. */
export const OWN_JOB_KINDS: readonly string[] = Object.keys(OWN_JOBS);

const asksForOwnJob = (kind: string): kind is OwnJob => kind in OWN_JOBS;

/**
 * Hands outbox rows to the queue, one job a batch. Polls, because NOTIFY inside a write takes two thirds of the write
 * rate. If adding the job fails, or Redis loses it, the next job brings its rows along, or the lease runs out and
 * they are taken again.
 */
export async function runRelay(
  db: Db,
  queues: JobQueues,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<void> {
  const start = new OutboxStart();
  let lastEventAt = performance.now();
  while (!signal.aborted) {
    const waitMs = await relayBatch(db, queues, start)
      .then(nextWaitMs)
      .catch((error: unknown) => {
        onFailure(error);
        return FAILURE_WAIT_MS;
      });
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
  }

  async function nextWaitMs(taken: number): Promise<number> {
    const now = performance.now();
    if (taken === 0) return Math.min(Math.max(IDLE_SHARE * (now - lastEventAt), POLL_MS), MAX_IDLE_POLL_MS);
    lastEventAt = now;
    if (taken < RELAY_BATCH) return taken < FEW ? FEW_POLL_MS : POLL_MS;
    return (await queues.waitingDeliveries()) < MAX_WAITING ? 0 : POLL_MS;
  }
}

async function relayBatch(db: Db, queues: JobQueues, start: OutboxStart): Promise<number> {
  const rows = await leaseOutbox(db, await start.below(db));
  const applied = rows.filter(({ kind }) => !asksForOwnJob(kind));
  const outboxIds = applied.map(({ outboxId }) => outboxId);
  if (outboxIds.length > 0) await queues.add('outbox.apply', { outboxIds }, APPLY_OPTIONS, originsOf(applied));
  for (const row of rows) if (asksForOwnJob(row.kind)) await addOwnJob(queues, row.kind, row);
  return rows.length;
}

async function addOwnJob<Name extends OwnJob>(queues: JobQueues, name: Name, row: OutboxRow): Promise<void> {
  const deduplication = { id: `${name}-${row.outboxId}`, ttl: OWN_JOB_ONCE_MS };
  await queues.add<OwnJob>(name, OWN_JOBS[name](row), { attempts: 1, deduplication }, originsOf([row]));
}
