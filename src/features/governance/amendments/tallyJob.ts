import { type Db, type Postgres, sql } from '../../../platform/postgres/postgres.ts';
import { writeEvents } from '../../../recording/outbox.ts';
import type { Decided } from './outcomes.ts';
import { decideOutcomes, tallyReason } from './rules.ts';
import { dueAmendments } from './store.ts';

/** By the database's own time, of which the service's clock is a sample (docs/operations#time). */
const IS_DUE = sql(
  'amendments.isDue',
  `SELECT EXISTS (SELECT FROM amendments WHERE state = 'voting' AND closes_at <= clock_timestamp()) AS due`,
);
/** All that are due and in the order of their ends; `at` is the time by which they are. */
const LOCK_DUE = sql(
  'amendments.lockDue',
  `SELECT now.at FROM (SELECT release.service_time($1) AS at) now, public.amendments a
   WHERE a.state = 'voting' AND a.closes_at <= now.at ORDER BY a.closes_at, a.post_id FOR UPDATE OF a`,
);
const STORE_OUTCOMES = sql(
  'amendments.storeOutcomes',
  `WITH decided AS (
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS d (post_id, outcome, reason)
   ), stored AS (
     UPDATE amendments a SET state = d.outcome, resolved_at = a.closes_at FROM decided d
     WHERE a.post_id = d.post_id AND a.state = 'voting'
     RETURNING a.tally_event_id, a.state, a.post_id, d.reason, a.closes_at
   )
   INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
   SELECT tally_event_id, 'amendment_' || state, 'amendment', post_id, false, reason, 'community', closes_at FROM stored`,
);

/**
 * The job that stores the outcome of every amendment whose vote has ended (docs/governance): each once, however many
 * tally at the same time. Returns how many that were.
 */
export async function tallyAmendments(db: Postgres): Promise<number> {
  const [row] = await db.query<{ due: boolean }>(IS_DUE);
  return row!.due ? db.inTransaction((transaction) => settleAmendments(transaction, 0)) : 0;
}

/**
 * In a transaction: stores the outcome of every amendment whose vote has ended by the database's time, with its public
 * event. Locks all of them, in order, and only then looks. Returns how many that were.
 */
export async function settleAmendments(transaction: Db, aheadMs: number): Promise<number> {
  const [locked] = await transaction.query<{ at: Date }>(LOCK_DUE, [aheadMs]);
  if (!locked) return 0;
  const decided = decideOutcomes(await dueAmendments(transaction, locked.at));
  await transaction.query(STORE_OUTCOMES, outcomeValues(decided));
  const events = decided.map(({ postId }) => ({ kind: 'amendment.settled' as const, subject: postId }));
  await writeEvents(transaction, events, locked.at);
  return decided.length;
}

const outcomeValues = (decided: readonly Decided[]): unknown[] => [
  decided.map(({ postId }) => postId),
  decided.map(({ outcome }) => outcome),
  decided.map(tallyReason),
];
