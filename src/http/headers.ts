import type { Clock } from '../platform/postgres/clock.ts';

/** The full content type. To look one up by its short name costs 3 µs. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Headers of a refusal. Otherwise a shared cache may store a 404 (RFC 9110, 15.1) and send it to callers who may read the object. */
export const NOT_KEPT = { 'cache-control': 'no-store' } as const;

/**
 * Headers of every answer. `Date` has the time of the service's clock, not of the host's, because clients reconcile and correct their
 * clocks by it (docs/operations#time). It is the time when the request began, so that it is not later than the data in the answer.
 */
export function everyAnswerHeaders(clock: Clock): Record<string, string> {
  return { date: dateOf(Math.floor(clock.now() / 1_000)), 'x-content-type-options': 'nosniff' };
}

let written = { second: Number.NaN, text: '' };

/** Formats the date once a second. */
function dateOf(second: number): string {
  if (second !== written.second) written = { second, text: new Date(second * 1_000).toUTCString() };
  return written.text;
}
