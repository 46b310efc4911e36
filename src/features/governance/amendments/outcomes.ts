import type { Db } from '../../../platform/postgres/postgres.ts';
import { isDue, type StoredAmendment } from './present.ts';
import { decideOutcomes, type Outcome } from './rules.ts';
import { awaitAmendments, type DueAmendment, dueAmendments, storedAmendments } from './store.ts';

export interface OutcomeMoment {
  /** Unix milliseconds. */
  readonly now: number;
  readonly aheadMs: number;
  readonly primary: Db;
}

/** An amendment whose vote has ended, with its outcome, which is not stored yet. */
export interface Decided extends DueAmendment {
  readonly outcome: Outcome;
}

/** The waits under way, by database, so that concurrent callers share one connection. */
const waiting = new WeakMap<Db, { readonly untilMs: number; readonly done: Promise<void> }>();

/** Waits for ballots that were admitted in time. The database's time limits bound it; then it throws `unavailable`. */
export async function awaitOutcomes(
  { primary, aheadMs }: Pick<OutcomeMoment, 'primary' | 'aheadMs'>,
  dueMs: number,
): Promise<void> {
  const database = primary.origin ?? primary;
  const others = waiting.get(database);
  if (others && others.untilMs >= dueMs) return others.done;
  const done = awaitAmendments(primary, new Date(dueMs), aheadMs).finally(() => {
    if (waiting.get(database)?.done === done) waiting.delete(database);
  });
  waiting.set(database, { untilMs: dueMs, done });
  return done;
}

/** Reads again on the primary, after the ballots, if `due` (the latest end without a stored outcome) is set. */
export async function afterBallots<Read extends { readonly due: Date | null }>(
  moment: OutcomeMoment & { readonly db: Db },
  readOnce: (db: Db, decided: readonly Decided[]) => Promise<Read>,
): Promise<Read> {
  const before = await readOnce(moment.db, []);
  if (before.due === null) return before;
  await awaitOutcomes(moment, before.due.getTime());
  return readOnce(moment.primary, decideOutcomes(await dueAmendments(moment.primary, new Date(moment.now))));
}

interface Proposing {
  readonly post_id: string;
  readonly amendment: StoredAmendment | null;
}

/** Adds the outcomes of ended votes, and leaves out a post that was removed meanwhile. */
export async function withOutcomes<Row extends Proposing>(rows: readonly Row[], moment: OutcomeMoment): Promise<Row[]> {
  const due = rows.filter(({ amendment }) => amendment !== null && isDue(amendment, moment.now));
  if (due.length === 0) return [...rows];
  await awaitOutcomes(moment, Math.max(...due.map(({ amendment }) => Date.parse(amendment!.closesAt))));
  // In this order an amendment that is stored between the two statements is read as stored.
  const decided = decideOutcomes(await dueAmendments(moment.primary, new Date(moment.now)));
  const outcomes = new Map(decided.map(({ postId, outcome }) => [postId, outcome]));
  const postIds = due.map(({ post_id }) => post_id);
  const final = await storedAmendments(moment.primary, postIds);
  return rows.flatMap((row) => {
    if (!due.includes(row)) return [row];
    const amendment = final.get(row.post_id);
    const outcome = outcomes.get(row.post_id);
    return amendment ? [{ ...row, amendment: outcome ? { ...amendment, outcome } : amendment }] : [];
  });
}

export async function withOutcome<Row extends Proposing>(
  row: Row | undefined,
  moment: OutcomeMoment,
): Promise<Row | undefined> {
  return row && (await withOutcomes([row], moment))[0];
}
