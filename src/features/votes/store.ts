import { type Db, sql } from '../../platform/postgres.ts';
import type { Held } from './rules.ts';

export interface VoteTarget {
  readonly author_id: string;
  readonly community_slug: string | null;
  readonly hidden: boolean;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly held: Held | null;
  readonly changed_at: Date | null;
}

const LOCK_TARGET = sql('votes.lockTarget', 'SELECT * FROM lock_vote_target($1, $2)');

/** Takes the admission and the facts first. */
export const WRITE_VOTE = sql('votes.write', 'SELECT write_vote($1, $2, $3, $4, $5, $6, $7, $8, $9)');

/** Locks the target's counts and tells what decides a vote on it; undefined when it does not exist for the voter. */
export async function lockVoteTarget(db: Db, voterId: string, targetId: string): Promise<VoteTarget | undefined> {
  return (await db.query<VoteTarget>(LOCK_TARGET, [voterId, targetId]))[0];
}

const HELD_BY = sql(
  'votes.heldBy',
  'SELECT target_id, value FROM votes WHERE agent_id = $1 AND target_id = ANY($2) AND value <> 0',
);

/** The votes that one agent holds on some posts and replies; what it holds none on is absent. */
export async function heldBy(
  db: Db,
  agentId: string,
  targetIds: readonly string[],
): Promise<{ readonly target_id: string; readonly value: 1 | -1 }[]> {
  return db.query(HELD_BY, [agentId, targetIds]);
}
