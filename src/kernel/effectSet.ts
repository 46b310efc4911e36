import { type StatementSet, sql } from '../platform/postgres/statement.ts';
import { RECORDED, type RecordedName } from './recordingValues.ts';

/** What `record_writes` is told of each event, beside the write that it belongs to. */
const OF_EVENTS = ['kinds', 'subjects', 'communities', 'hidden', 'recipients'] as const;
/** What a write that goes with others never is: a preview, or free. */
const NEVER = ['isPreview', 'rateLimitIfFree'] as const;
/** What `record_writes` is told of each write, before its events. */
const OF_WRITES = RECORDED.filter((name) => !([...OF_EVENTS, ...NEVER] as readonly RecordedName[]).includes(name));
const ARRAYS = OF_WRITES.length + 1 + OF_EVENTS.length;

const placeOf = (name: RecordedName): number => RECORDED.indexOf(name);

/** The same with its parameters behind so many others. */
export const shifted = (call: string, by: number): string =>
  call.replaceAll(/\$([1-9]\d*)/g, (_, number) => `$${by + Number(number)}`);

/**
 * Writes of one effect as one statement: each is recorded and done, or left undone without a trace. `call` has $0 where those
 * stand that `record_writes` has recorded; `before` are the first branches of a CASE.
 */
export function effectSet(name: string, call: string, before: string): StatementSet {
  const arrays = Array.from({ length: ARRAYS }, (_, index) => `$${index + 1}`).join(', ');
  const done = shifted(call, ARRAYS).replace('$0', () => `release.record_writes(${arrays})`);
  return {
    statement: sql(name, `SELECT CASE ${before} ELSE ${done} END AS places`),
    values: valuesOf,
    answers: ([row], each) => {
      const places = new Set((row as { places: readonly number[] | null }).places);
      return each.map((_, index) => (places.has(index + 1) ? [{ answer: null }] : undefined));
    },
  };
}

function valuesOf(writes: readonly (readonly unknown[])[]): unknown[] {
  const ofWrites = (place: number) => writes.map((values) => values[place]);
  const eventsOf = (values: readonly unknown[], name: (typeof OF_EVENTS)[number]) =>
    (values[placeOf(name)] ?? []) as readonly unknown[];
  const own = writes[0]!.slice(RECORDED.length);
  return [
    ...OF_WRITES.map((name) => ofWrites(placeOf(name))),
    writes.flatMap((values, index) => eventsOf(values, 'kinds').map(() => index + 1)),
    ...OF_EVENTS.map((name) => writes.flatMap((values) => eventsOf(values, name))),
    ...own.map((_, index) => ofWrites(RECORDED.length + index)),
  ];
}
