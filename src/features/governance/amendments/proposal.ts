import { type Db, noRows, oneRow } from '../../../platform/postgres/postgres.ts';
import type { AmendmentState } from './schemas.ts';
import { settleAmendments } from './tallyJob.ts';

const lock = oneRow<{ state: AmendmentState; is_due: boolean }, [postId: string, aheadMs: number]>(
  'amendments.lockProposal',
  'SELECT state, is_due FROM release.lock_proposal($1, $2)',
);

/**
 * Stores the outcome of every vote that has ended, then locks the proposal of a post, removed or not. Returns its state by the
 * database's time under that lock; null if the post proposes nothing.
 */
export async function lockProposal(db: Db, postId: string, aheadMs: number): Promise<AmendmentState | null> {
  for (;;) {
    await settleAmendments(db, aheadMs);
    const row = await lock(db, postId, aheadMs);
    // The vote may have ended while this waited for the lock.
    if (!row?.is_due) return row?.state ?? null;
  }
}

export const vetoAmendment = noRows<[postId: string, at: Date]>(
  'amendments.veto',
  `UPDATE amendments SET state = 'vetoed', resolved_at = $2 WHERE post_id = $1`,
);
