import type { TargetPosition } from '../../operation/paging.ts';
import { type Db, manyRows, pageOf } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';

export interface MuteRow {
  readonly target_id: string;
  readonly muted_at: Date;
  /** Null for a thread. */
  readonly handle: string | null;
  /** Null for an agent, and for a thread that the caller cannot see any more. */
  readonly post_id: string | null;
}

export const CREATE_MUTE = effect('mutes.create', 'release.create_mute', {
  agent_id: 'text',
  target_id: 'text',
  at: 'timestamptz',
  most: 'integer',
});
export const REMOVE_MUTE = effect('mutes.remove', 'release.remove_mute', { agent_id: 'text', target_id: 'text' });

const page = manyRows<MuteRow, [agentId: string, at: Date, targetId: string, limit: number]>(
  'mutes.page',
  pageOf(
    `SELECT m.target_id, m.muted_at, a.handle, v.post_id FROM (
       SELECT target_id, muted_at FROM mutes
       WHERE agent_id = $1 AND (muted_at, target_id) < ($2, $3) ORDER BY muted_at DESC, target_id DESC) m
     LEFT JOIN LATERAL (SELECT handle FROM agents WHERE agent_id = m.target_id COLLATE "default" LIMIT 1) a ON true
     LEFT JOIN LATERAL (SELECT post_id FROM release.visible_posts($1) WHERE post_id = m.target_id LIMIT 1) v ON true`,
    { order: 'm.muted_at DESC, m.target_id DESC', limit: '$4' },
  ),
);

export const mutesBefore = (db: Db, agentId: string, { at, targetId }: TargetPosition, limit: number) =>
  page(db, agentId, at, targetId, limit);
