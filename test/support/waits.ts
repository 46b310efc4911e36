// How long tests wait. Every time-out and deadline of a test is written for an idle machine, and multiplied here by how
// slow the run's machine is now (speed.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { readSlowness } from './speed.ts';

const readAgainMs = 1_000;
const longestTimerMs = 2 ** 31 - 1;
const longestPauseMs = 200;

let slowness = 1;
let readAt = Number.NEGATIVE_INFINITY;

/** Something that did not come in time; the report counts it among the time-outs, apart from other failures. */
export class WaitTimeout extends Error {
  readonly code = 'ERR_WAIT_TIMEOUT';
}

/** Whether a failure says that time ran out, by mocha or by us; from another process it comes as a plain object. */
export function isTimeout(failure: unknown): boolean {
  const code = (failure as { code?: unknown } | undefined)?.code;
  return code === 'ERR_MOCHA_TIMEOUT' || code === 'ERR_WAIT_TIMEOUT';
}

/** How many times slower than idle this run found the machine last; 1 outside a run. */
export function currentSlowness(): number {
  if (performance.now() - readAt > readAgainMs) {
    readAt = performance.now();
    slowness = readSlowness()?.now ?? slowness;
  }
  return slowness;
}

/** `ms` of an idle machine in the time of this one. */
export function scaleWait(ms: number, factor = currentSlowness()): number {
  return Math.min(longestTimerMs, Math.ceil(ms * factor));
}

/**
 * Polls until `check` is true, less often the longer it takes. After `timeoutMs` of an idle machine it throws an error
 * that names `what`.
 */
export async function eventually(
  check: () => boolean | Promise<boolean>,
  timeoutMs = 10_000,
  what = 'it',
): Promise<void> {
  const startedAt = performance.now();
  let factor = 1;
  while (!(await check())) {
    // What was granted stays when the load goes.
    factor = Math.max(factor, currentSlowness());
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > scaleWait(timeoutMs, factor)) {
      throw new WaitTimeout(`${what} did not come true in ${Math.round(waitedMs)} ms`);
    }
    await sleep(Math.min(longestPauseMs, Math.max(20, waitedMs / 10)));
  }
}
