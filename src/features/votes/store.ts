import type { TargetPosition } from '../../operation/paging.ts';
import { type Db, manyRows, pageOf } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { VoteMove } from '../karma/present.ts';

/** 1 up, -1 down, 0 none: never voted, or recanted. */
export type StoredVote = 1 | -1 | 0;

export interface VoteOutcome {
  readonly value: StoredVote;
  readonly changed: boolean;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly moved: VoteMove | null;
}

export const CAST_VOTE = effect('votes.cast', 'release.cast_vote', {
  voter_id: 'text',
  target_id: 'text',
  value: 'integer',
  recantable_from: 'timestamptz',
  micro: 'bigint',
  per_pair: 'integer',
  per_author: 'integer',
  capped_since: 'timestamptz',
  registered_by: 'timestamptz',
  at: 'timestamptz',
});

export const heldBy = manyRows<
  { readonly target_id: string; readonly value: 1 | -1 },
  [agentId: string, targetIds: readonly string[]]
>('votes.heldBy', 'SELECT target_id, value FROM votes WHERE agent_id = $1 AND target_id = ANY($2) AND value <> 0');

export interface OwnVoteRow {
  readonly target_id: string;
  readonly value: 1 | -1;
  readonly changed_at: Date;
  /** The post, or the post of the reply; null if the voter cannot see it any more. */
  readonly post_id: string | null;
}

const page = manyRows<OwnVoteRow, [agentId: string, at: Date, targetId: string, limit: number]>(
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

export const votesBefore = (db: Db, agentId: string, { at, targetId }: TargetPosition, limit: number) =>
  page(db, agentId, at, targetId, limit);
