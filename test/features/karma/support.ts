import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { type VoteCaps, voteParameters } from '../../../src/features/karma/rules.ts';
import { ensureHalfLife, type Moved } from '../../../src/features/karma/store.ts';
import { type Db, sql } from '../../../src/platform/postgres/postgres.ts';
import type { KarmaType } from '../../../src/protocol/karmaFormat.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const DAY_MS = 86_400_000;

/** What stores speak to, over a plain pool or connection. */
export function dbOf(connection: pg.Pool | pg.ClientBase): Db {
  return {
    query: async <R extends object>(statement: { name: string; text: string }, values: readonly unknown[] = []) =>
      (await connection.query<R>({ name: statement.name, text: statement.text, values: values as unknown[] })).rows,
  };
}

/** A database of the caller's own whose ledger was started with this half-life. */
export async function ledgerDatabase(halfLifeDays = 90): Promise<TestDatabase & { db: Db }> {
  const database = await createDatabase();
  const db = dbOf(database.pool);
  await ensureHalfLife(db, halfLifeDays);
  return { ...database, db };
}

/** A time within the given UTC day. */
export function onDay(day: number, ms = 0): Date {
  return new Date(day * DAY_MS + ms);
}

export function vectors<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8')) as T;
}

/** An agent's account as it is stored. */
export interface StoredAccount {
  grace: bigint;
  main: bigint;
  mainDay: number;
  decayed: bigint;
}

export async function storedAccount(db: Db, agentId: string): Promise<StoredAccount> {
  const [row] = await db.query<{ grace: string; main: string; mainDay: number; decayed: string }>(
    {
      name: 'test.storedAccount',
      text: 'SELECT grace, main, main_day AS "mainDay", decayed FROM karma_accounts WHERE agent_id = $1',
    },
    [agentId],
  );
  return {
    grace: BigInt(row!.grace),
    main: BigInt(row!.main),
    mainDay: row!.mainDay,
    decayed: BigInt(row!.decayed),
  };
}

/** The SQLSTATE that an action is refused with, or `done`. */
export async function outcomeOf(action: Promise<unknown>): Promise<string> {
  return action.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

/** A vote that changes: new (1, -1), flipped (1, -1) or recanted (0). */
export interface VoteChange {
  readonly voterId: string;
  readonly targetId: string;
  readonly authorId: string;
  readonly value: 1 | -1 | 0;
  /** False for self-votes and in encrypted communities. */
  readonly movesKarma: boolean;
}

const VOTE = sql(
  'test.karmaVote',
  'SELECT seq, type, amount FROM release.karma_vote($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
);

/**
 * Moves the karma of a changed vote, as the statement that votes does; returns the event of the receipt, its amount
 * signed as the author sees it.
 */
export async function vote(
  db: Db,
  change: VoteChange,
  caps: VoteCaps,
  at: Date,
): Promise<(Moved & { readonly type: KarmaType }) | null> {
  const [row] = await db.query<{ seq: string | null; type: KarmaType; amount: string }>(VOTE, [
    change.voterId,
    change.targetId,
    change.authorId,
    change.value,
    change.movesKarma,
    ...Object.values(voteParameters(caps, at.getTime())),
    at,
  ]);
  return row!.seq === null ? null : { seq: BigInt(row!.seq), type: row!.type, amount: BigInt(row!.amount) };
}
