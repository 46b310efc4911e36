import type { Db } from './postgres.ts';
import type { Statement } from './statement.ts';

/** Rows per statement: far below its time limit, however large the tables are. */
export const SLICE = 20_000;
/** How many problems a check reports: damage is mostly of the same kind everywhere. */
export const MAX_PROBLEMS = 100;

/** A statement that checks the next `SLICE` rows after key `$1` and returns the last key; no row at the end. */
export interface Sliced {
  readonly start: string;
  readonly statement: Statement;
}

/** Yields the rows of all slices. If others write at the same time, `db` must be one REPEATABLE READ transaction. */
export async function* slices<R extends { readonly last: string }>(
  db: Db,
  { start, statement }: Sliced,
): AsyncGenerator<R> {
  for (let after = start; ; ) {
    const rows = await db.query<R>(statement, [after]);
    if (rows.length === 0) return;
    yield* rows;
    after = rows.at(-1)!.last;
  }
}
