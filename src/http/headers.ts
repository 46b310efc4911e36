import type { Clock } from '../platform/postgres/clock.ts';

/** Set as it is: a type that is looked up by its short name costs 3 µs an answer. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * Of a refusal: without it a shared cache may keep a 404 for a while (RFC 9110, 15.1), and answer it to who may read what others may
 * not, or when it is there.
 */
export const NOT_KEPT = { 'cache-control': 'no-store' } as const;

/**
 * What every answer carries, whoever writes it. `Date` is of the service's clock, not the host's: clients reconcile and
 * correct their clocks by it (docs/operations#time). It is the time at which the request was begun, so that an answer
 * never speaks of a later moment than the one it looked at.
 */
export function everyAnswerHeaders(clock: Clock): Record<string, string> {
  return { date: dateOf(Math.floor(clock.now() / 1_000)), 'x-content-type-options': 'nosniff' };
}

let written = { second: Number.NaN, text: '' };

/** Written once a second. */
function dateOf(second: number): string {
  if (second !== written.second) written = { second, text: new Date(second * 1_000).toUTCString() };
  return written.text;
}
