import { setTimeout as sleep } from 'node:timers/promises';
import type { JobName } from '../src/platform/redis/jobs.ts';
import type { JobQueues } from '../src/platform/redis/queues.ts';

/** Jobs without a payload that come round by themselves. */
const PERIODIC = [
  { name: 'search.index', everyMs: 1_000 },
  { name: 'overview.recompute', everyMs: 1_000 },
  { name: 'meter.sweep', everyMs: 2_000 },
  { name: 'amendment.tally', everyMs: 1_000 },
  { name: 'karma.foldPool', everyMs: 10_000 },
  { name: 'retention.sweep', everyMs: 60_000 },
] as const satisfies readonly {
  name: JobName;
  everyMs: number;
}[];

/**
 * Adds each periodic job again and again until told to stop. Every worker process does; the queue drops a job while the
 * same one is waiting or under way. Kept in no place that could be lost: after a crash, of whatever, it just goes on.
 */
export async function runPeriodicJobs(
  queues: JobQueues,
  { signal, onFailure }: { signal: AbortSignal; onFailure: (error: unknown) => void },
): Promise<void> {
  await Promise.all(
    PERIODIC.map(async ({ name, everyMs }) => {
      while (!signal.aborted) {
        await queues.add(name, {}, { deduplication: { id: name }, removeOnComplete: true }).catch(onFailure);
        await sleep(everyMs, undefined, { signal }).catch(() => {});
      }
    }),
  );
}
