import type { Clock } from '../platform/postgres/clock.ts';

/**
 * What every answer carries, whoever writes it. `Date` is of the service's clock, not the host's: clients reconcile and
 * correct their clocks by it (docs/operations#time). It is the time at which the request was begun, so that an answer
 * never speaks of a later moment than the one it looked at.
 */
export function everyAnswerHeaders(clock: Clock): Record<string, string> {
  return { date: new Date(clock.now()).toUTCString(), 'x-content-type-options': 'nosniff' };
}
