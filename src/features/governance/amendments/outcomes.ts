import type { Db } from '../../../platform/postgres/postgres.ts';
import { isDue, type StoredAmendment } from './present.ts';
import { decideOutcomes, type Outcome } from './rules.ts';
import { awaitAmendments, type DueAmendment, dueAmendments, storedAmendments } from './store.ts';

/** When and where outcomes of votes are computed; a Context is one. */
export interface OutcomeMoment {
  /** Unix milliseconds. */
  readonly now: number;
  readonly aheadMs: number;
  readonly primary: Db;
}

/** An amendment whose end has come, with its outcome, which is not stored. */
export interface Decided extends DueAmendment {
  readonly outcome: Outcome;
}

/** Who waits already, by database: those who need no later end wait along, so that a slow ballot holds one connection. */
const waiting = new WeakMap<Db, { readonly untilMs: number; readonly done: Promise<void> }>();

/**
 * Waits until nothing can change what follows from votes that ended by `dueMs` (docs/governance): a ballot that was
 * admitted in time may still be under way. Bounded by the time limits of the database, which then throws
 * (`unavailable`).
 */
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

/**
 * What was read, where all outcomes in it are stored; else it is read again, on the primary, when no ballot can change them
 * any more, with the outcomes that were decided there before: whatever is not among them is stored by then. `due` is the
 * last end that has come and whose outcome is not stored.
 */
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

/**
 * Posts as they read at this moment: where a vote has ended and its outcome is not stored, ballots under way are waited
 * for, the outcome is decided and the amendment is read again, on the primary. One that was removed meanwhile is left out.
 * Without such a post this asks nothing.
 */
export async function withOutcomes<Row extends Proposing>(rows: readonly Row[], moment: OutcomeMoment): Promise<Row[]> {
  const due = rows.filter(({ amendment }) => amendment !== null && isDue(amendment, moment.now));
  if (due.length === 0) return [...rows];
  await awaitOutcomes(moment, Math.max(...due.map(({ amendment }) => Date.parse(amendment!.closesAt))));
  // In this order: what is not due any more when it is decided is stored when it is read.
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

/** The same for one post, or for none. */
export async function withOutcome<Row extends Proposing>(
  row: Row | undefined,
  moment: OutcomeMoment,
): Promise<Row | undefined> {
  return row && (await withOutcomes([row], moment))[0];
}
