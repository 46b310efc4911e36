import { type StatementSet, sql } from '../platform/postgres/statement.ts';
import { RECORDED, type RecordedName } from './recordingValues.ts';

/** What `record_writes` is told of each event, beside the write that it belongs to. */
const OF_EVENTS = ['kinds', 'subjects', 'communities', 'hidden', 'recipients'] as const;
/** What a write that goes with others never is: a preview, or free. */
const NEVER = ['isPreview', 'rateLimitIfFree'] as const;
/** What `record_writes` is told of each write, before its events. */
const OF_WRITES = RECORDED.filter((name) => !([...OF_EVENTS, ...NEVER] as readonly RecordedName[]).includes(name));
const ARRAYS = OF_WRITES.length + 1 + OF_EVENTS.length;

/**
 * What the statement of a write reads beside what it writes, for the answer alone: as things were before the write. Nothing of it
 * is stored with the receipt.
 */
export interface ExtraQuery {
  /** The numbers of the effect's own parameters that the query uses, all of them texts. */
  readonly parameters: readonly number[];
  /** A SELECT of at most one jsonb object, given SQL for these parameters. */
  readonly query: (...parameters: string[]) => string;
}

interface BatchRow {
  readonly places: readonly number[] | null;
  readonly extras?: readonly (object | null)[];
}

const placeOf = (name: RecordedName): number => RECORDED.indexOf(name);

/** The same with its parameters behind so many others. */
export const shifted = (call: string, by: number): string =>
  call.replaceAll(/\$([1-9]\d*)/g, (_, number) => `$${by + Number(number)}`);

/**
 * Writes of one effect as one statement: each is recorded and done, or left undone without a trace. `call` has $0 where those
 * stand that `record_writes` has recorded; `before` are the first branches of a CASE.
 */
export function effectSet(name: string, call: string, before: string, extra?: ExtraQuery): StatementSet {
  const arrays = Array.from({ length: ARRAYS }, (_, index) => `$${index + 1}`).join(', ');
  const done = shifted(call, ARRAYS).replace('$0', () => `release.record_writes(${arrays})`);
  const extras = extra ? `, ${extrasOf(extra)} AS extras` : '';
  return {
    statement: sql(name, `SELECT CASE ${before} ELSE ${done} END AS places${extras}`),
    values: valuesOf,
    answers: ([row], each) => {
      const { places, extras: told } = row as BatchRow;
      const done = new Set(places);
      return each.map((_, index) => (done.has(index + 1) ? [{ answer: null, extra: told?.[index] }] : undefined));
    },
  };
}

/** The extra of each write of a batch, in their order. */
function extrasOf({ parameters, query }: ExtraQuery): string {
  const columns = parameters.map((number) => `v${number}`);
  const arrays = parameters.map((number) => `$${ARRAYS + number}::text[]`);
  const each = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS w(${columns.join(', ')}, place)`;
  return `ARRAY(SELECT (${query(...columns.map((column) => `w.${column}`))}) FROM ${each} ORDER BY w.place)`;
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
