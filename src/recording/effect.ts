import { type Statement, sql } from '../platform/postgres/statement.ts';

/** The SQL types of an effect's parameters, by their names. */
export type Parameters = Readonly<Record<string, string>>;
export type Values<P> = Readonly<Record<keyof P, Value>>;
export type Value = string | number | boolean | Date | null | readonly string[];

/** What a write changes: the statement of its effect and the parameters. */
export interface Change {
  readonly statement: Statement;
  readonly values: Readonly<Record<string, Value>>;
}

/** A declared effect: makes a change from the values of its parameters. */
export interface EffectDeclaration<P> {
  (values: Values<P>): Change;
  readonly statement: Statement;
}

/** Calls an SQL function with all of these parameters, in their order. */
export const callOf = (sqlFunction: string, parameters: Parameters): string =>
  `${sqlFunction}(${Object.keys(parameters)
    .map((name) => `e.${name}`)
    .join(', ')})`;

/**
 * Declares an effect: what a write changes in the database. `call` is an SQL expression that returns a `release.outcome`; it is the
 * name of an SQL function that takes all parameters in their order, or reads them as `e.<name>`. `extra` is an SQL expression of the
 * same parameters that reads something for the answer, as it was before the write.
 *
 * The statement takes a batch of writes as one JSON array ($1, `sql/write.sql`) and whether to fail at once where a row is locked ($2).
 * `enter_writes` is the write guard, then each write has its effect, then `record_writes` stores receipts, evidence and events.
 * All of the batch is done, or nothing.
 */
export function effect<P extends Parameters>(
  name: string,
  call: string,
  parameters: P,
  extra?: string,
): EffectDeclaration<P> {
  const outcome = call.includes('(') || call.includes('::') ? call : callOf(call, parameters);
  const columns = Object.entries(parameters).map(([column, type]) => `${column} ${type}`);
  const values = columns.length === 0 ? '' : `, jsonb_to_record(w.effect) AS e(${columns.join(', ')})`;
  const extras = extra === undefined ? '' : `, jsonb_agg(${extra}) AS extras`;
  const statement = sql(
    name,
    `SELECT release.record_writes(array_agg(ROW(w, ${outcome})::release.written)) AS answers${extras}
     FROM unnest(release.enter_writes($1, $2)) AS w${values}`,
  );
  return Object.assign((each: Values<P>) => ({ statement, values: each }), { statement });
}

/** The change of a write that is only recorded. */
export const NO_CHANGE = effect('write.nothing', 'NULL::release.outcome', {})({});
