import type pg from 'pg';
import { inRelease } from './release.ts';

/** A statement with a name, so that every connection prepares it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** No session keeps it: its name may stand for many texts, and is for those who read the log. */
  readonly unprepared?: true;
}

/**
 * Whether sessions keep statements by their names, or each is sent with its text, as poolers need it
 * (docs/operations#a-pooler).
 */
export type StatementMode = 'named' | 'unnamed';

/** How connections are made and spoken to. */
export interface ConnectionConfig extends pg.ClientConfig {
  readonly statements: StatementMode;
}

/** The texts of every prepared statement that was declared so far, by name. A name with two of them is a mistake. */
export const DECLARED_STATEMENTS = new Map<string, Set<string>>();

/**
 * Declares a prepared statement; the name is unique in the service (`feature.purpose`). Functions, views and types stand
 * in the schema `release` (`release.ts`).
 */
export function sql(name: string, written: string): Statement {
  const text = inRelease(written);
  const texts = DECLARED_STATEMENTS.get(name);
  if (texts) texts.add(text);
  else DECLARED_STATEMENTS.set(name, new Set([text]));
  return { name, text };
}

/** Declares a statement as a function that runs it and returns its rows. The values are those of $1, $2 and so on. */
export const manyRows = <Row extends object, Values extends readonly unknown[] = []>(name: string, written: string) => {
  const statement = sql(name, written);
  return (db: Db, ...values: Values): Promise<Row[]> => db.query<Row>(statement, values);
};

/** Declares a statement that returns at most one row; the function returns that row or undefined. */
export const oneRow = <Row extends object, Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowsOf = manyRows<Row, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<Row | undefined> => (await rowsOf(db, ...values))[0];
};

/** Declares a statement that returns at most one row with one column; the function returns its value or undefined. */
export const oneValue = <Value, Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowOf = oneRow<Record<string, Value>, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<Value | undefined> => {
    const row = await rowOf(db, ...values);
    return row && Object.values(row)[0];
  };
};

/** Declares a statement whose rows, if any, nobody reads. */
export const command = <Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowsOf = manyRows<object, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<void> => {
    await rowsOf(db, ...values);
  };
};

/**
 * A statement that is put together from what was asked for and only ever sent with `QueryOptions`: it travels without its
 * name.
 */
export const unprepared = (name: string, text: string): Statement => ({
  name,
  text: inRelease(text),
  unprepared: true,
});

/** One more than most pages hold: the row that tells whether there is another page. */
const MOST_ROWS = 21;

/**
 * A page of `rows`, a SELECT without an order; `limit` is the parameter that says how many. The planner takes a parameter
 * for a tenth of the table and plans for that, so a literal bound, `most`, stands inside, and the page is cut from what it
 * bounds, row by row as it comes. `order` names the column in the relation that is walked: only then an index gives it.
 */
export const pageOf = (
  rows: string,
  { order, limit, most = MOST_ROWS }: { order: string; limit: `$${number}`; most?: number },
): string => `SELECT * FROM (${rows} ORDER BY ${order} LIMIT ${most}) page LIMIT ${limit}`;

/** Above every identifier, so that a first page needs no statement of its own. */
export const BEYOND_ALL = '~';

/** Which of its items a list begins with. */
export type Order = 'oldest' | 'newest';

/** One way along the column that a list is ordered by: what lies beyond a position, and how it is sorted. */
export interface Way {
  readonly beyond: '>' | '<';
  readonly sorted: 'ASC' | 'DESC';
}

/** A statement of a list that is read either way; one index serves both. */
export const eitherWay = (name: string, written: (way: Way) => string): Readonly<Record<Order, Statement>> => ({
  oldest: sql(name, written({ beyond: '>', sorted: 'ASC' })),
  newest: sql(`${name}.newest`, written({ beyond: '<', sorted: 'DESC' })),
});

export interface QueryOptions {
  /** The statement is cancelled after this time, and the query throws (`isTimeout`). For reads whose cost depends on the input. */
  readonly timeoutMs?: number;
  /** With `timeoutMs`: one plan is right for all values, and takes longer to make than the statement. */
  readonly keepsPlan?: true;
  /** Uses a pooled connection that no other statement waits behind, for a statement that may wait long for a lock. */
  readonly ownConnection?: true;
}

export const OWN_CONNECTION: QueryOptions = { ownConnection: true };

/** The data access of stores: inside a write the operation's own transaction, elsewhere the pool. */
export interface Db {
  /** The `Db` that sends the statements, if this one only passes them on. Callers with the same origin share what they wait for. */
  readonly origin?: Db;
  query<R extends object>(statement: Statement, values?: readonly unknown[], options?: QueryOptions): Promise<R[]>;
}
