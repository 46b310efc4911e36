import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { AmendmentState } from '../posts/amendment.ts';

const LOCK_PROPOSAL = sql('governance.lockProposal', 'SELECT release.lock_proposal($1, $2) AS state');
const VETO_AMENDMENT = sql('governance.vetoAmendment', 'SELECT release.veto_amendment($1, $2)');

/**
 * Locks what a post proposes, removed or not, after storing the outcome of every vote that has ended by then, and tells
 * its state by the database's time under that lock; null when it proposes nothing.
 */
export async function lockProposal(db: Db, postId: string, aheadMs: number): Promise<AmendmentState | null> {
  return (await db.query<{ state: AmendmentState | null }>(LOCK_PROPOSAL, [postId, aheadMs]))[0]!.state;
}

export async function vetoAmendment(db: Db, postId: string, at: Date): Promise<void> {
  await db.query(VETO_AMENDMENT, [postId, at]);
}
