import { type Statement, sql } from '../platform/postgres/statement.ts';
import { type ExtraQuery, effectSet, shifted } from './effectSet.ts';
import { ENTERING, RECORDED, RECORDING, type RecordedName } from './recordingValues.ts';

export type { ExtraQuery };

/**
 * How long a write of one statement waits for a lock on a shared connection (docs/operations#time-limits): it is held for a
 * millisecond, or by somebody who is stuck.
 */
const HASTY_LOCK_MS = 50;
const HURRIED = `WHEN set_config('lock_timeout', '${HASTY_LOCK_MS}', true) IS NULL THEN NULL`;

const parameter = (name: RecordedName): string => `$${RECORDED.indexOf(name) + 1}`;
const PARAMETERS = RECORDING.map(parameter).join(', ');
const [FENCE, KEY_EPOCH, LATER_KEY] = ENTERING.map(parameter);

/** The statements of one effect; all have the values of the recording first, then fence, epoch and key, then the effect's own. */
export interface EffectStatement {
  /** Enters, has the effect and records it: a write without earlier statements is this alone. */
  readonly alone: Statement;
  /** The same in a transaction that has entered already, and for what nobody signed. */
  readonly entered: Statement;
}

/** Gives up soon where it finds a lock, or waits for it. */
const inBothPaces = (name: string, statement: (cases: string) => string, cases: string): Statement => ({
  ...sql(name, statement(`CASE ${cases}`)),
  hasty: sql(`${name}.hasty`, statement(`CASE ${HURRIED} ${cases}`)),
});

/**
 * Declares what a write does: a call of an SQL function that returns `release.outcome`, with parameters from $1. The gate
 * stands around it here and nowhere else. A CASE has its branches evaluated in their order, and a function its arguments
 * before it is called: so it enters, then has the effect, then records.
 *
 * `ofSeveral` calls one that has the effect of several writes, with arrays of the same parameters behind $0, the places of those
 * that `record_writes` has recorded, which it answers. For what never is free, has nothing to answer, refuses nothing and says in
 * its events where they happened and whom they concern.
 *
 * `extra` reads something for the answer in the same round trip.
 */
export function effect(name: string, call: string, ofSeveral?: string, extra?: ExtraQuery): EffectStatement {
  const own = shifted(call, RECORDED.length);
  const read = extra
    ? `, (${extra.query(...extra.parameters.map((number) => `$${RECORDED.length + number}::text`))}) AS extra`
    : '';
  const recording = (outcome: string) => `SELECT release.record_write(${PARAMETERS}, ${outcome}) AS answer${read}`;
  const entering = `WHEN release.enter_write($1, ${FENCE}, ${KEY_EPOCH}, ${LATER_KEY}) THEN ${own} END`;
  const present = `WHEN ${FENCE}::integer + ${KEY_EPOCH}::integer IS NOT NULL OR ${LATER_KEY}::text IS NULL THEN ${own} END`;
  const alone = inBothPaces(name, recording, entering);
  return {
    alone: ofSeveral === undefined ? alone : { ...alone, set: effectSet(`${name}.set`, ofSeveral, HURRIED, extra) },
    entered: inBothPaces(`${name}.entered`, recording, present),
  };
}

/** What stands where there is nothing to do but to record. */
export const NOTHING = effect('write.nothing', 'NULL::release.outcome');
