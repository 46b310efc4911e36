/** The days of histories (docs/reading#history-by-day). Pure. */
import { DAY_MS, type DecayTable, dayOf, decay } from '../../protocol/karmaFormat.ts';

export const HISTORY_DAYS = 30;
export const HISTORY_DAYS_MAX = 180;

/** The most items of each list of a day in review. */
export const DAY_ITEMS = 5;
/** How long after its end a day is final. */
export const FINAL_AFTER_MS = 3_600_000;

export interface Days {
  readonly first: number;
  readonly last: number;
}

/** The last `count` UTC days, the current one included. */
export function lastDays(count: number, nowMs: number): Days {
  const last = dayOf(nowMs);
  return { first: last - count + 1, last };
}

export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** An agent's karma at the end of a day, in micro-karma. `grace` decays after `graceDay` only. */
export interface KarmaSnapshot {
  readonly day: number;
  readonly grace: bigint;
  readonly main: bigint;
}

/** Returns the balance at the end of a later day on which nothing moved. */
export function balanceOn(
  day: number,
  { day: since, grace, main }: KarmaSnapshot,
  graceDay: number,
  table: DecayTable,
): bigint {
  return decay(main, day - since, table) + decay(grace, day - Math.max(since, graceDay), table);
}
