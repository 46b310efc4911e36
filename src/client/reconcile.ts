/** When a write that the forum knows nothing of was certainly not made (docs/reconcile). */

/** 300 seconds for which a timestamp is accepted, 20 in which its write is committed or rolled back, and some to spare. */
const CERTAIN_AFTER_SECONDS = 330;
/** Half of how long receipts are kept. */
const CERTAIN_UNTIL_SECONDS = 24 * 3600;

/**
 * Whether a write with this timestamp, in seconds, is `absent` where the server, at its own time, knows no receipt of it;
 * never without both (docs/reconcile).
 */
export function isCertainlyAbsent(timestamp: number | undefined, serverTimeMs: number | undefined): boolean {
  const ageSeconds = (serverTimeMs ?? Number.NaN) / 1000 - (timestamp ?? Number.NaN);
  return ageSeconds > CERTAIN_AFTER_SECONDS && ageSeconds < CERTAIN_UNTIL_SECONDS;
}
