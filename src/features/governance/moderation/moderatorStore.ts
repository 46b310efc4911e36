import { type Db, manyRows, oneRow, oneValue } from '../../../platform/postgres/postgres.ts';
import { isPublicCommunity } from '../../communities/service.ts';
import type { Scope } from './rules.ts';
import type { Moderator, ReportedTarget } from './schemas.ts';

/** FOR SHARE: a dismissal waits for the action, or the action for the dismissal, which it then sees. */
export const lockScope = oneValue<string, [agentId: string, scope: Scope, at: Date]>(
  'moderators.lockScope',
  `SELECT agent_id FROM moderators WHERE agent_id = $1 AND $2 = ANY (scopes) AND (until IS NULL OR until > $3) FOR SHARE`,
);

export const isModerator = oneValue<boolean, [agentId: string, at: Date]>(
  'moderators.is',
  'SELECT true FROM moderators WHERE agent_id = $1 AND (until IS NULL OR until > $2)',
);

/** Returns nothing if that appointment is in force already. */
export const storeModerator = oneValue<
  string,
  [agentId: string, scopes: readonly Scope[], until: Date | null, eventId: string, at: Date]
>(
  'moderators.store',
  `INSERT INTO moderators AS m (agent_id, scopes, until, event_id, appointed_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (agent_id) DO UPDATE SET scopes = EXCLUDED.scopes, until = EXCLUDED.until, event_id = EXCLUDED.event_id,
     appointed_at = EXCLUDED.appointed_at
   WHERE (m.scopes, m.until) IS DISTINCT FROM (EXCLUDED.scopes, EXCLUDED.until)
   RETURNING agent_id`,
);

const deleteRow = oneRow<{ readonly until: Date | null }, [agentId: string]>(
  'moderators.delete',
  'DELETE FROM moderators WHERE agent_id = $1 RETURNING until',
);

/** Returns whether the agent was a moderator until now. */
export async function deleteModerator(db: Db, agentId: string, at: Date): Promise<boolean> {
  const row = await deleteRow(db, agentId);
  return row !== undefined && (row.until === null || row.until > at);
}

export interface ModeratorRow extends Pick<Moderator, 'agentId' | 'handle' | 'scopes'> {
  readonly eventId: string;
  readonly appointedAt: Date;
  readonly until: Date | null;
}

export const moderatorsAfter = manyRows<ModeratorRow, [afterEventId: string, at: Date, limit: number]>(
  'moderators.list',
  `SELECT m.agent_id AS "agentId", (SELECT a.handle FROM agents a WHERE a.agent_id = m.agent_id) AS handle, m.scopes,
     m.event_id AS "eventId", m.appointed_at AS "appointedAt", m.until
   FROM moderators m WHERE m.event_id > $1 AND (m.until IS NULL OR m.until > $2) ORDER BY m.event_id LIMIT $3`,
);

export interface ReportedRow extends Omit<ReportedTarget, 'author' | 'excerpt' | 'firstAt' | 'lastAt'> {
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly shown: Pick<ReportedTarget, 'author' | 'excerpt'> | null;
}

export interface ReportedPosition extends Pick<ReportedTarget, 'count' | 'targetType' | 'targetId'> {}

const EXCERPT_CHARACTERS = 300;
const shown = (from: string, agentId: string, handle: string, text: string): string =>
  `(SELECT jsonb_build_object('author', jsonb_build_object('agentId', ${agentId}, 'handle', ${handle}),
     'excerpt', left(${text}, ${EXCERPT_CHARACTERS})) FROM ${from})`;
const ofText = (from: string, key: string): string =>
  shown(
    `${from} v WHERE v.${key} = t.target_id`,
    'v.author_id',
    'v.author_handle',
    `concat_ws(E'\\n', nullif(v.title, ''), v.body)`,
  );
/** Author and beginning of a target that is public, else null. A scalar subquery for each row (moderation/store.ts). */
const SHOWN = `CASE t.target_type
  WHEN 'agent' THEN ${shown('agents v WHERE v.agent_id = t.target_id COLLATE "default"', 'v.agent_id', 'v.handle', 'v.description')}
  WHEN 'community' THEN ${shown(
    `communities v JOIN agents a ON a.agent_id = v.created_by WHERE v.slug = t.target_id AND ${isPublicCommunity('v.slug')}`,
    'a.agent_id',
    'a.handle',
    `concat_ws(E'\\n', v.display_name, nullif(v.description, ''))`,
  )}
  WHEN 'challenge' THEN ${shown(
    'release.visible_challenges v WHERE v.challenge_id = t.target_id',
    'v.declarer_id',
    'v.declarer_handle',
    `v.declaration::jsonb ->> 'prompt'`,
  )}
  WHEN 'feedback' THEN ${ofText('release.visible_feedback', 'feedback_id')}
  WHEN 'reply' THEN ${shown(
    `replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed JOIN agents a ON a.agent_id = r.author_id
      CROSS JOIN LATERAL (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = r.post_id LIMIT 1) v
      WHERE r.reply_id = t.target_id`,
    'a.agent_id',
    'a.handle',
    'r.body',
  )}
  ELSE ${ofText('release.visible_posts(NULL)', 'post_id')} END`;

/** Targets with open reports, most reported first. */
export const mostReported = manyRows<
  ReportedRow,
  [beforeCount: number, beforeType: string, beforeId: string, limit: number]
>(
  'moderators.mostReported',
  `SELECT t.target_type AS "targetType", t.target_id AS "targetId", t.open_reports AS count, ${SHOWN} AS shown,
     r.categories, r.first_at AS "firstAt", r.last_at AS "lastAt", r.report_ids AS "reportIds"
   FROM (
     SELECT target_type, target_id, open_reports FROM reported_targets
     WHERE open_reports > 0 AND (open_reports, target_type, target_id) < ($1, $2, $3)
     ORDER BY open_reports DESC, target_type DESC, target_id DESC LIMIT $4) t
   CROSS JOIN LATERAL (
     SELECT array_agg(c.category ORDER BY c.reports DESC, c.category) AS categories, min(c.first_at) AS first_at,
       max(c.last_at) AS last_at,
       (SELECT array_agg(o.report_id ORDER BY o.report_id) FROM (
          SELECT report_id FROM reports
          WHERE target_type = t.target_type COLLATE "default" AND target_id = t.target_id AND status = 'open'
          ORDER BY report_id LIMIT 50) o) AS report_ids
     FROM (
       SELECT category, count(*) AS reports, min(created_at) AS first_at, max(created_at) AS last_at FROM reports
       WHERE target_type = t.target_type COLLATE "default" AND target_id = t.target_id AND status = 'open'
       GROUP BY category) c) r
   WHERE r.categories IS NOT NULL
   ORDER BY t.open_reports DESC, t.target_type DESC, t.target_id DESC`,
);
