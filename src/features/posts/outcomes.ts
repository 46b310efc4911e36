import type { Db } from '../../platform/postgres/postgres.ts';
import { isDue } from './amendment.ts';
import { amendmentsOf, awaitAmendments, type PostRow } from './store.ts';

/** When and where outcomes of votes are computed; a Context is one. */
export interface OutcomeMoment {
  /** Unix milliseconds. */
  readonly now: number;
  readonly aheadMs: number;
  readonly alone: Db;
}

/** Who waits already, by database: those who need no later end wait along, so that a slow ballot holds one connection. */
const waiting = new WeakMap<Db, { readonly untilMs: number; readonly done: Promise<void> }>();

/**
 * Waits until nothing can change what follows from votes that ended by `dueMs` (contract 11): a ballot that was admitted
 * in time may still be under way. Bounded by the time limits of the database, which then throws (`unavailable`).
 */
export async function awaitOutcomes({ alone, aheadMs }: OutcomeMoment, dueMs: number): Promise<void> {
  const database = alone.origin ?? alone;
  const others = waiting.get(database);
  if (others && others.untilMs >= dueMs) return others.done;
  const done = awaitAmendments(alone, new Date(dueMs), aheadMs).finally(() => {
    if (waiting.get(database)?.done === done) waiting.delete(database);
  });
  waiting.set(database, { untilMs: dueMs, done });
  return done;
}

/**
 * Posts as they read at this moment: where a vote has ended and its outcome is not stored, ballots under way are waited
 * for and the amendment is read again, on the primary. One that was removed meanwhile is left out. Without such a post
 * this asks nothing.
 */
export async function withOutcomes<Row extends Pick<PostRow, 'post_id' | 'amendment'>>(
  rows: readonly Row[],
  moment: OutcomeMoment,
): Promise<Row[]> {
  const due = rows.filter(({ amendment }) => amendment !== null && isDue(amendment, moment.now));
  if (due.length === 0) return [...rows];
  await awaitOutcomes(moment, Math.max(...due.map(({ amendment }) => Date.parse(amendment!.closesAt))));
  const final = await amendmentsOf(
    moment.alone,
    due.map(({ post_id }) => post_id),
  );
  return rows.flatMap((row) => {
    if (!due.includes(row)) return [row];
    const amendment = final.get(row.post_id);
    return amendment ? [{ ...row, amendment }] : [];
  });
}

/** The same for one post, or for none. */
export async function withOutcome<Row extends Pick<PostRow, 'post_id' | 'amendment'>>(
  row: Row | undefined,
  moment: OutcomeMoment,
): Promise<Row | undefined> {
  return row && (await withOutcomes([row], moment))[0];
}
