import { type Statement, type StatementSet, sql } from '../platform/postgres/statement.ts';

/**
 * How long a write of one statement waits for a lock on a shared connection (docs/operations#time-limits): it is held for a
 * millisecond, or by somebody who is stuck.
 */
const HASTY_LOCK_MS = 50;

/** What the parameters of `record_write` are called in `recordingValues`, but for the outcome, in their order. */
const RECORDING = [
  'agentId',
  'nonce',
  'signedAt',
  'at',
  'deadline',
  'operation',
  'counter',
  'isReserved',
  'status',
  'isPreview',
  'facts',
  'rateLimitIfFree',
  'salt',
  'signedText',
  'signature',
  'body',
  'evident',
  'commitment',
  'publicKey',
  'kinds',
  'subjects',
  'communities',
  'hidden',
  'recipients',
  'requestId',
  'traceId',
] as const;
/** `enter_write` has the agent and these. */
const FENCE = RECORDING.length + 1;
const KEY_EPOCH = FENCE + 1;
const LATER_KEY = KEY_EPOCH + 1;
const PARAMETERS = RECORDING.map((_, index) => `$${index + 1}`).join(', ');

/** What of a write `record_writes` is told, an array of each, before the fence, the epoch, the key, and the events. */
const TOLD_OF_EACH = [
  'agentId',
  'nonce',
  'signedAt',
  'at',
  'deadline',
  'operation',
  'counter',
  'isReserved',
  'status',
  'facts',
  'salt',
  'signedText',
  'signature',
  'body',
  'evident',
  'commitment',
  'publicKey',
  'requestId',
  'traceId',
] as const satisfies readonly (typeof RECORDING)[number][];
/** Where these stand among the values of a write. */
const PLACES_OF_EACH = [
  ...TOLD_OF_EACH.map((name) => RECORDING.indexOf(name)),
  FENCE - 1,
  KEY_EPOCH - 1,
  LATER_KEY - 1,
];
/** The events of a write, and which of them belong to which. */
const PLACES_OF_EVENTS = (['kinds', 'subjects', 'communities', 'hidden', 'recipients'] as const).map((name) =>
  RECORDING.indexOf(name),
);
const EVENTS_OF_ALL = 1 + PLACES_OF_EVENTS.length;
const ARRAYS = PLACES_OF_EACH.length + EVENTS_OF_ALL;

/** The statements of one effect; all have the values of the recording first, then fence, epoch and key, then the effect's own. */
export interface EffectStatement {
  /** Enters, has the effect and records it: a write without earlier statements is this alone. */
  readonly alone: Statement;
  /** The same in a transaction that has entered already, and for what nobody signed. */
  readonly entered: Statement;
}

const inBothPaces = (name: string, statement: (cases: string) => string, cases: string): Statement => ({
  ...sql(name, statement(`CASE ${cases}`)),
  hasty: sql(`${name}.hasty`, statement(`CASE ${HURRIED} ${cases}`)),
});
const HURRIED = `WHEN set_config('lock_timeout', '${HASTY_LOCK_MS}', true) IS NULL THEN NULL`;

/**
 * Declares what a write does: a call of an SQL function that returns `release.outcome`, with parameters from $1. The gate
 * stands around it here and nowhere else. A CASE has its branches evaluated in their order, and a function its arguments
 * before it is called: so it enters, then has the effect, then records.
 *
 * `ofSeveral` calls one that has the effect of several writes, with arrays of the same parameters behind $0, the places of those
 * that `record_writes` has recorded, which it answers. For what never is free, has nothing to answer, refuses nothing and says in
 * its events where they happened and whom they concern.
 */
export function effect(name: string, call: string, ofSeveral?: string): EffectStatement {
  const own = shifted(call, LATER_KEY);
  const recording = (outcome: string) => `SELECT release.record_write(${PARAMETERS}, ${outcome}) AS answer`;
  const entering = `WHEN release.enter_write($1, $${FENCE}, $${KEY_EPOCH}, $${LATER_KEY}) THEN ${own} END`;
  const present = `WHEN $${FENCE}::integer + $${KEY_EPOCH}::integer IS NOT NULL OR $${LATER_KEY}::text IS NULL THEN ${own} END`;
  const alone = inBothPaces(name, recording, entering);
  return {
    alone: ofSeveral === undefined ? alone : { ...alone, set: setOf(name, ofSeveral) },
    entered: inBothPaces(`${name}.entered`, recording, present),
  };
}

/** The same with its parameters behind so many others. */
const shifted = (call: string, by: number): string => call.replaceAll(/\$([1-9]\d*)/g, (_, n) => `$${by + Number(n)}`);

/** Several writes of one effect as one statement: each is recorded and done, or left undone without a trace. */
function setOf(name: string, call: string): StatementSet {
  const arrays = Array.from({ length: ARRAYS }, (_, index) => `$${index + 1}`).join(', ');
  const done = shifted(call, ARRAYS).replace('$0', () => `release.record_writes(${arrays})`);
  return {
    statement: sql(`${name}.set`, `SELECT CASE ${HURRIED} ELSE ${done} END AS places`),
    values: valuesOfSeveral,
    answers: ([row], each) => {
      const done = new Set((row as { places: readonly number[] | null }).places);
      return each.map((_, index) => (done.has(index + 1) ? [{ answer: null }] : undefined));
    },
  };
}

function valuesOfSeveral(writes: readonly (readonly unknown[])[]): unknown[] {
  const ofEach = (place: number) => writes.map((values) => values[place]);
  const ofEvents = (place: number) => writes.flatMap((values) => values[place] as readonly unknown[]);
  const places = writes.flatMap((values, index) =>
    (values[PLACES_OF_EVENTS[0]!] as readonly unknown[]).map(() => index + 1),
  );
  const own = writes[0]!.slice(LATER_KEY).map((_, index) => ofEach(LATER_KEY + index));
  return [...PLACES_OF_EACH.map(ofEach), places, ...PLACES_OF_EVENTS.map(ofEvents), ...own];
}

/** What stands where there is nothing to do but to record. */
export const NOTHING = effect('write.nothing', 'NULL::release.outcome');

/** Everything that is recorded of a write. */
export interface Recording extends Readonly<Record<(typeof RECORDING)[number], unknown>> {
  readonly fence: number;
  /** Of the key that signed. */
  readonly keyEpoch: number;
  /** That key, of which the number alone does not tell: see `laterKey`. */
  readonly laterKey: string | null;
}

/**
 * The key itself, as `enter_write` compares it; null for the first one, which an agent has for ever. A server that takes over
 * without the last change counts the next one by the same number.
 */
export const laterKey = ({ keyEpoch, publicKey }: { keyEpoch: number; publicKey: string }): string | null =>
  keyEpoch === 0 ? null : publicKey;

/** The values that come before those of the effect. */
export function recordingValues(recording: Recording): unknown[] {
  const values: unknown[] = RECORDING.map((name) => recording[name]);
  values.push(recording.fence, recording.keyEpoch, recording.laterKey);
  return values;
}
