import { effect } from '../../kernel/effect.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { VoteMove } from '../karma/service.ts';

/** 1 up, -1 down, 0 none: never voted, or recanted. */
export type Held = 1 | -1 | 0;

/** What became of a vote: how it stands now, the target's counts with it, and the karma that it moved. */
export interface VoteOutcome {
  readonly value: Held;
  readonly changed: boolean;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly moved: VoteMove | null;
}

/** Answers a `VoteOutcome`. */
export const CAST_VOTE = effect('votes.cast', 'release.cast_vote($1, $2, $3, $4, $5, $6, $7, $8, $9)');

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
