import { type Db, manyRows, noRows, oneRow, oneValue, type Postgres } from '../../../platform/postgres/postgres.ts';
import { writeEvents } from '../../../recording/outbox.ts';
import { decideOutcomes, type Outcome, tallyReason } from './rules.ts';
import type { AmendmentState } from './schemas.ts';
import { dueAmendments } from './store.ts';

/** Uses the database's own time; the service's clock is a sample of it (docs/operations#time). */
const isDue = oneValue<boolean>(
  'amendments.isDue',
  `SELECT EXISTS (SELECT FROM amendments WHERE state = 'voting' AND closes_at <= clock_timestamp()) AS due`,
);
/** Locks all amendments that are due, in the order of their ends. `at` is the time by which they are. */
const lockDue = manyRows<{ readonly at: Date }, [aheadMs: number]>(
  'amendments.lockDue',
  `SELECT now.at FROM (SELECT release.service_time($1) AS at) now, public.amendments a
   WHERE a.state = 'voting' AND a.closes_at <= now.at ORDER BY a.closes_at, a.post_id FOR UPDATE OF a`,
);
const storeOutcomes = noRows<[postIds: readonly string[], outcomes: readonly Outcome[], reasons: readonly string[]]>(
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
 * Stores the outcome of every amendment whose vote has ended, each once (docs/governance). Returns how many it stored.
 */
export async function tallyAmendments(db: Postgres): Promise<number> {
  return (await isDue(db)) ? db.inTransaction((transaction) => settleAmendments(transaction, 0)) : 0;
}

/** The same within a transaction. It locks all of them in order before it reads their votes. */
export async function settleAmendments(transaction: Db, aheadMs: number): Promise<number> {
  const [locked] = await lockDue(transaction, aheadMs);
  if (!locked) return 0;
  const decided = decideOutcomes(await dueAmendments(transaction, locked.at));
  const postIds = decided.map(({ postId }) => postId);
  const outcomes = decided.map(({ outcome }) => outcome);
  await storeOutcomes(transaction, postIds, outcomes, decided.map(tallyReason));
  const events = postIds.map((postId) => ({ kind: 'amendment.settled' as const, subject: postId }));
  await writeEvents(transaction, events, locked.at);
  return decided.length;
}

const lockOne = oneRow<{ state: AmendmentState; is_due: boolean }, [postId: string, aheadMs: number]>(
  'amendments.lockProposal',
  'SELECT state, is_due FROM release.lock_proposal($1, $2)',
);

/** Stores the outcomes of ended votes first; null if the post proposes nothing. */
export async function lockProposal(db: Db, postId: string, aheadMs: number): Promise<AmendmentState | null> {
  for (;;) {
    await settleAmendments(db, aheadMs);
    const row = await lockOne(db, postId, aheadMs);
    // The vote may have ended while this waited for the lock.
    if (!row?.is_due) return row?.state ?? null;
  }
}

export const vetoAmendment = noRows<[postId: string, at: Date]>(
  'amendments.veto',
  `UPDATE amendments SET state = 'vetoed', resolved_at = $2 WHERE post_id = $1`,
);
