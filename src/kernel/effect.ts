import { type Statement, sql } from '../platform/postgres/statement.ts';

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

/** The statements of one effect; all have the values of the recording first, then fence, epoch and key, then the effect's own. */
export interface EffectStatement {
  /** Enters, has the effect and records it: a write without earlier statements is this alone. */
  readonly alone: Statement;
  /** The same in a transaction that has entered already, and for what nobody signed. */
  readonly entered: Statement;
}

/**
 * Declares what a write does: a call of an SQL function that returns `release.outcome`, with parameters from $1. The gate
 * stands around it here and nowhere else. A CASE has its branches evaluated in their order, and a function its arguments
 * before it is called: so it enters, then has the effect, then records.
 */
export function effect(name: string, call: string): EffectStatement {
  const own = call.replaceAll(/\$(\d+)/g, (_, number) => `$${LATER_KEY + Number(number)}`);
  const recording = (outcome: string) => `SELECT release.record_write(${PARAMETERS}, ${outcome}) AS answer`;
  const entering = `WHEN release.enter_write($1, $${FENCE}, $${KEY_EPOCH}, $${LATER_KEY}) THEN ${own} END`;
  const present = `WHEN $${FENCE}::integer + $${KEY_EPOCH}::integer IS NOT NULL OR $${LATER_KEY}::text IS NULL THEN ${own} END`;
  const hurried = `WHEN set_config('lock_timeout', '${HASTY_LOCK_MS}', true) IS NULL THEN NULL`;
  const statement = (variant: string, cases: string): Statement => ({
    ...sql(`${name}${variant}`, recording(`CASE ${cases}`)),
    hasty: sql(`${name}${variant}.hasty`, recording(`CASE ${hurried} ${cases}`)),
  });
  return { alone: statement('', entering), entered: statement('.entered', present) };
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
