import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type JobQueues, PERIODIC_JOBS, type PeriodicJobName } from './queues.ts';

/** After a crash another worker takes over within this time and one renewal. */
const LEASE_MS = 10_000;
const RENEW_MS = 3_000;
const SPARE_LISTENERS = 10;
/** Between the first runs of two jobs, so that they use the same few connections to PostgreSQL one after the other. */
const APART_MS = 50;

interface PeriodicOptions {
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
}

/**
 * One worker holds a lease in Redis. The bookkeeping of a queue took more than half of the processor time of an idle
 * worker.
 */
export async function runPeriodicJobs(
  queues: JobQueues,
  run: (name: PeriodicJobName) => Promise<unknown>,
  { signal, onFailure }: PeriodicOptions,
): Promise<void> {
  const holder = randomUUID();
  let isHolder = false;
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const renew = async () => {
    isHolder = await queues.holdPeriodicLease(holder, LEASE_MS);
  };
  const repeat = async (work: () => Promise<unknown>, everyMs: number, firstAfterMs = 0) => {
    await pause(firstAfterMs);
    while (!signal.aborted) {
      await work().catch(onFailure);
      await pause(everyMs);
    }
  };
  await renew().catch(onFailure);
  const names = Object.keys(PERIODIC_JOBS) as PeriodicJobName[];
  // Each pause listens to the signal. Node warns of a leak from 11 listeners on.
  setMaxListeners(names.length + SPARE_LISTENERS, signal);
  const runIfHolder = async (name: PeriodicJobName) => isHolder && run(name);
  await Promise.all([
    repeat(renew, RENEW_MS),
    ...names.map((name, index) => repeat(() => runIfHolder(name), PERIODIC_JOBS[name], index * APART_MS)),
  ]);
  if (isHolder) await queues.endPeriodicLease().catch(onFailure);
}
