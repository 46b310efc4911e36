import { type Db, sql } from '../../../platform/postgres/postgres.ts';
import type { AmendmentState } from './schemas.ts';
import { settleAmendments } from './tallyJob.ts';

const LOCK = sql('amendments.lockProposal', 'SELECT state, is_due FROM release.lock_proposal($1, $2)');
const VETO = sql('amendments.veto', 'SELECT release.veto_amendment($1, $2)');

/**
 * Locks what a post proposes, removed or not, after storing the outcome of every vote that has ended by then, and tells
 * its state by the database's time under that lock; null when it proposes nothing.
 */
export async function lockProposal(db: Db, postId: string, aheadMs: number): Promise<AmendmentState | null> {
  for (;;) {
    await settleAmendments(db, aheadMs);
    const [row] = await db.query<{ state: AmendmentState; is_due: boolean }>(LOCK, [postId, aheadMs]);
    // Its end may have come while the lock was waited for.
    if (!row?.is_due) return row?.state ?? null;
  }
}

/** Of a proposal that is locked and under vote. */
export async function vetoAmendment(db: Db, postId: string, at: Date): Promise<void> {
  await db.query(VETO, [postId, at]);
}
