const TICK_MS = 20;
/** Of a longer tick the rest is time that the process spent on itself. */
const MOST_A_TICK_MS = 2 * TICK_MS;

let awake = 0;
let lastAt = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Milliseconds, to some twenty, in which this process would have heard an answer. A turn of the event loop that takes a
 * second counts as a short one: whoever was asked may have answered at once, and it lies in the socket unread. What must
 * be answered in time is measured by this clock, so that a busy process takes nobody for dead.
 */
export function awakeMs(): number {
  if (!timer) {
    lastAt = performance.now();
    timer = setInterval(() => {
      const now = performance.now();
      awake += Math.min(now - lastAt, MOST_A_TICK_MS);
      lastAt = now;
    }, TICK_MS);
    timer.unref();
  }
  return awake;
}
