import type { TargetPosition } from '../../operation/paging.ts';
import { type Db, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
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
export const CAST_VOTE = effect('votes.cast', 'release.cast_vote', {
  voter_id: 'text',
  target_id: 'text',
  value: 'integer',
  recantable_from: 'timestamptz',
  micro: 'bigint',
  per_pair: 'integer',
  per_author: 'integer',
  capped_since: 'timestamptz',
  at: 'timestamptz',
});

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

export interface OwnVoteRow {
  readonly target_id: string;
  readonly value: 1 | -1;
  readonly changed_at: Date;
  /** The post that it is on, or whose reply; null where the voter does not see that any more. */
  readonly post_id: string | null;
}

const PAGE = sql(
  'votes.page',
  pageOf(
    `SELECT m.target_id, m.value, m.changed_at, CASE WHEN s.removed IS NOT TRUE THEN v.post_id END AS post_id FROM votes m
     LEFT JOIN replies r ON r.reply_id = m.target_id
     LEFT JOIN reply_states s ON s.reply_id = r.reply_id
     LEFT JOIN LATERAL (
       SELECT post_id FROM release.visible_posts($1) WHERE post_id = coalesce(r.post_id, m.target_id) LIMIT 1) v ON true
     WHERE m.agent_id = $1 AND m.value <> 0 AND (m.changed_at, m.target_id) < ($2, $3)`,
    { order: 'm.changed_at DESC, m.target_id DESC', limit: '$4' },
  ),
);

/** The votes that one agent holds and last changed before a time and target, newest first. */
export async function votesBefore(
  db: Db,
  agentId: string,
  { at, targetId }: TargetPosition,
  limit: number,
): Promise<OwnVoteRow[]> {
  return db.query<OwnVoteRow>(PAGE, [agentId, at, targetId, limit]);
}
