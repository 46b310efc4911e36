import type pg from 'pg';
import { inRelease } from './release.ts';

/** A statement with a name, so that every connection prepares it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Not prepared: one name stands for many texts, for the log only. */
  readonly unprepared?: true;
}

/** Prepared by name in each session, or sent with its text for a pooler (docs/operations#a-pooler). */
export type StatementMode = 'named' | 'unnamed';

export interface ConnectionConfig extends pg.ClientConfig {
  readonly statements: StatementMode;
  /** Returns the address for a new connection (`currentUrl`). */
  readonly address: () => Promise<string>;
}

export const DECLARED_STATEMENTS = new Map<string, Set<string>>();

/** Declares a prepared statement `feature.purpose`. Functions and types are in the schema `release`. */
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

export const oneRow = <Row extends object, Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowsOf = manyRows<Row, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<Row | undefined> => (await rowsOf(db, ...values))[0];
};

export const oneValue = <Value, Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowOf = oneRow<Record<string, Value>, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<Value | undefined> => {
    const row = await rowOf(db, ...values);
    return row && Object.values(row)[0];
  };
};

export const noRows = <Values extends readonly unknown[] = []>(name: string, written: string) => {
  const rowsOf = manyRows<object, Values>(name, written);
  return async (db: Db, ...values: Values): Promise<void> => {
    await rowsOf(db, ...values);
  };
};

/** A statement that is built for a request and always sent with `timeoutMs`. */
export const unprepared = (name: string, text: string): Statement => ({
  name,
  text: inRelease(text),
  unprepared: true,
});

/** One more than most pages hold: the additional row shows whether there is another page. */
const MOST_ROWS = 21;

/** A page of `rows`. The literal `most` is inside: planners expect a parameter to be a tenth of the table. */
export const pageOf = (
  rows: string,
  { order, limit, most = MOST_ROWS }: { order: string; limit: `$${number}`; most?: number },
): string => `SELECT * FROM (${rows} ORDER BY ${order} LIMIT ${most}) page LIMIT ${limit}`;

/** Above all identifiers, so that the first page needs no statement of its own. */
export const BEYOND_ALL = '~';

/** A time as text of one length with all its microseconds, for positions in a list. */
export const exactTime = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export type Order = 'oldest' | 'newest';

export interface Way {
  readonly beyond: '>' | '<';
  readonly sorted: 'ASC' | 'DESC';
}

export const eitherWay = (name: string, written: (way: Way) => string): Readonly<Record<Order, Statement>> => ({
  oldest: sql(name, written({ beyond: '>', sorted: 'ASC' })),
  newest: sql(`${name}.newest`, written({ beyond: '<', sorted: 'DESC' })),
});

export interface QueryOptions {
  /** Cancels the statement after this time (`isTimeout`). For reads whose cost depends on the input. */
  readonly timeoutMs?: number;
  /** With `timeoutMs`: one plan is right for all values, and takes longer to make than the statement. */
  readonly keepsPlan?: true;
  /** Uses a pooled connection that no other statement waits behind, for a statement that may wait long for a lock. */
  readonly ownConnection?: true;
}

export const OWN_CONNECTION: QueryOptions = { ownConnection: true };

/** The data access of stores: inside a write the operation's own transaction, elsewhere the pool. */
export interface Db {
  /** The `Db` behind this one, if this one only passes statements on. Callers with one origin share work. */
  readonly origin?: Db;
  query<R extends object>(statement: Statement, values?: readonly unknown[], options?: QueryOptions): Promise<R[]>;
}
