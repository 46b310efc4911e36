import type { Db } from './postgres.ts';
import type { Statement } from './statement.ts';

/** Rows a statement: far below its time limit, however large the tables are. */
export const SLICE = 20_000;
/** How many problems a check names: what is damaged is mostly damaged in the same way everywhere, and the first ones tell. */
export const MAX_PROBLEMS = 100;

/** A statement that answers what it finds in the rows after key `$1`, so many of them, and says the last key; no row at the end. */
export interface Sliced {
  /** Before every key. */
  readonly start: string;
  readonly statement: Statement;
}

/** The rows of all slices, one after another. While others write, `db` has to be bound to one REPEATABLE READ transaction. */
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
