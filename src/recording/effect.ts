import { type Statement, sql } from '../platform/postgres/statement.ts';

export type Parameters = Readonly<Record<string, string>>;
export type Values<P> = Readonly<Record<keyof P, Value>>;
export type Value = string | number | boolean | Date | null | readonly string[];

export interface Change {
  readonly statement: Statement;
  readonly values: Readonly<Record<string, Value>>;
}

export const callOf = (sqlFunction: string, parameters: Parameters): string =>
  `${sqlFunction}(${Object.keys(parameters)
    .map((name) => `e.${name}`)
    .join(', ')})`;

/**
 * `call` returns a `release.outcome`: the name of an SQL function of all parameters, or an expression of `e.<name>`.
 * `extra` reads something for the answer, as it was before the write. The statement takes a batch as one JSON array
 * ($1, `sql/write.sql`), done whole or not at all, and whether to fail at once at a locked row ($2).
 */
export function effect<P extends Parameters>(name: string, call: string, parameters: P, extra?: string) {
  const outcome = call.includes('(') || call.includes('::') ? call : callOf(call, parameters);
  const columns = Object.entries(parameters).map(([column, type]) => `${column} ${type}`);
  const values = columns.length === 0 ? '' : `, jsonb_to_record(w.effect) AS e(${columns.join(', ')})`;
  const extras = extra === undefined ? '' : `, jsonb_agg(${extra}) AS extras`;
  const statement = sql(
    name,
    `SELECT release.record_writes(array_agg(ROW(w, ${outcome})::release.written)) AS answers${extras}
     FROM unnest(release.enter_writes($1, $2)) AS w${values}`,
  );
  return Object.assign((each: Values<P>): Change => ({ statement, values: each }), { statement });
}

/** The change of a write that is only recorded. */
export const NO_CHANGE = effect('write.nothing', 'NULL::release.outcome', {})({});
