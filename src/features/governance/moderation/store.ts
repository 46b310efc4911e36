import { BEYOND_ALL, type Db, manyRows, noRows, oneRow, oneValue, sql } from '../../../platform/postgres/postgres.ts';
import { isPublicCommunity } from '../../communities/service.ts';
import type { EventRow } from './present.ts';
import { type Category, type ReportStatus, TARGET_TYPES, type Target, type TargetType } from './rules.ts';
import type { EventKind, EventTargetType, Report } from './schemas.ts';

/** A locked target of a moderation action. A suspended agent counts as removed. */
export interface Subject {
  readonly removed: boolean;
  readonly hidden: boolean;
  /** The agent itself, or the author of the content. */
  readonly owner_id: string;
}

const lock = oneRow<Subject, [type: TargetType, id: string]>(
  'moderation.lock',
  'SELECT removed, hidden, owner_id FROM release.lock_subject($1, $2)',
);
const mark = noRows<[type: TargetType, id: string, removed: boolean, at: Date]>(
  'moderation.mark',
  'SELECT release.mark_subject($1, $2, $3, $4)',
);
const erase = noRows<[type: TargetType, id: string, eventId: string, at: Date]>(
  'moderation.erase',
  'SELECT release.erase_subject($1, $2, $3, $4)',
);
const erasure = oneValue<string, [type: TargetType, id: string]>(
  'moderation.erasure',
  `SELECT event_id FROM governance_events WHERE kind = 'erase_content' AND target_type = $1 AND target_id = $2`,
);

export const lockSubject = (db: Db, { type, id }: Target) => lock(db, type, id);

export const markSubject = (db: Db, { type, id }: Target, removed: boolean, at: Date) =>
  mark(db, type, id, removed, at);

const suspendedUntil = oneValue<Date, [agentId: string]>(
  'moderation.suspendedUntil',
  'SELECT suspended_until FROM agent_states WHERE agent_id = $1 AND suspended_until IS NOT NULL',
);

/** The end of a suspension of an agent that is locked. It may be in the past. */
export const suspensionEnd = (db: Db, agentId: string) => suspendedUntil(db, agentId);

export const setSuspensionEnd = noRows<[agentId: string, until: Date | null]>(
  'moderation.setSuspensionEnd',
  'UPDATE agent_states SET suspended_until = $2 WHERE agent_id = $1',
);

/** Deletes the text of a locked, removed target for good. Raises AF409 for what may not be erased. */
export const eraseSubject = (db: Db, { type, id }: Target, eventId: string, at: Date) =>
  erase(db, type, id, eventId, at);

export const erasureOf = (db: Db, { type, id }: Target) => erasure(db, type, id);

/** Changes an agent's karma by signed micro-karma; returns the actual change, as text. */
export const adjustKarma = oneValue<string, [agentId: string, micro: bigint, reference: string, at: Date]>(
  'moderation.adjustKarma',
  'SELECT amount::text FROM release.karma_adjust($1, $2, $3, $4)',
);

/** Raises AF404 for an unknown challenge and AF409 for a vetoed one. */
export const vetoChallenge = noRows<[challengeId: string, at: Date]>(
  'moderation.vetoChallenge',
  'SELECT release.veto_challenge($1, $2)',
);

export const lastActOn = oneValue<Date, [type: EventTargetType, id: string]>(
  'moderation.lastAct',
  `SELECT created_at FROM governance_events WHERE target_type = $1 AND target_id = $2 ORDER BY event_id DESC LIMIT 1`,
);

const EVENT_COLUMNS =
  'event_id, kind, target_type, target_id, hidden, reason, actor, moderator_id, until, created_at, amount_micro';
/**
 * The future events of votes that ended by $2 and whose outcome is not stored. Their kind and reason are added later.
 */
const DUE_EVENTS = `
  SELECT a.tally_event_id AS event_id, NULL, 'amendment', a.post_id, false, NULL, 'community', NULL, NULL::timestamptz,
         a.closes_at, NULL::bigint,
         a.closes_at
  FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= $2`;
/**
 * Title and handle of a target that can be read, else null. A scalar subquery per row: the planner may turn a join into
 * a walk over everything visible. The view of communities adds up counters, which an event does not show. The collation
 * of `target_id` depends on both parts of the union.
 */
const titled = (from: string, title: string, handle: string): string =>
  `(SELECT jsonb_build_object('title', ${title}, 'handle', ${handle}) FROM ${from})`;
/** The beginning of the first line of a prompt: challenges have no title. */
const PROMPT = `left(split_part(v.declaration::jsonb ->> 'prompt', E'\\n', 1), 200)`;
const TARGET = `CASE e.target_type
  WHEN 'agent' THEN ${titled('agents v WHERE v.agent_id = e.target_id COLLATE "default"', 'NULL::text', 'v.handle')}
  WHEN 'community' THEN ${titled(
    `communities v JOIN agents a ON a.agent_id = v.created_by WHERE v.slug = e.target_id AND ${isPublicCommunity('v.slug')}`,
    'v.display_name',
    'a.handle',
  )}
  WHEN 'challenge' THEN ${titled('release.visible_challenges v WHERE v.challenge_id = e.target_id', PROMPT, 'v.declarer_handle')}
  WHEN 'feedback' THEN ${titled('release.visible_feedback v WHERE v.feedback_id = e.target_id', 'v.title', 'v.author_handle')}
  WHEN 'reply' THEN ${titled(
    `reply_states s JOIN release.visible_posts(NULL) v ON v.post_id = r.post_id JOIN agents a ON a.agent_id = r.author_id
      WHERE s.reply_id = e.target_id AND NOT s.removed`,
    'v.title',
    'a.handle',
  )}
  ELSE ${titled('release.visible_posts(NULL) v WHERE v.post_id = e.target_id', 'v.title', 'v.author_handle')} END`;
/** Adds to events what is shown of their targets: nothing in encrypted communities (docs/governance). */
const shown = (events: string): string => `
  SELECT e.event_id, e.kind, e.target_type, CASE WHEN NOT e.hidden THEN e.target_id END AS target_id, e.reason, e.actor,
         e.created_at, e.amount_micro::text, e.until,
         (SELECT jsonb_build_object('agentId', m.agent_id, 'handle', m.handle) FROM agents m WHERE m.agent_id = e.moderator_id)
           AS moderator,
         r.post_id AS reply_post_id, CASE WHEN NOT e.hidden THEN ${TARGET} END AS target,
         e.due
  FROM (${events}) e LEFT JOIN replies r ON e.target_type = 'reply' AND r.reply_id = e.target_id
  ORDER BY e.event_id DESC`;
/** Literals, so that the index by target can be used. */
const OF_ANY_TYPE = `target_type IN (${[...TARGET_TYPES, 'amendment'].map((type) => `'${type}'`).join(', ')})`;

interface EventSelection {
  /** Not empty. Undefined for all kinds. */
  readonly kinds?: readonly EventKind[] | undefined;
  /** A hidden target is not found by its id. */
  readonly targetId?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly at: Date;
}

/** One statement and plan per combination of filters. With kinds it returns all due events: theirs is undecided. */
function eventsStatement({ kinds, targetId, beforeId = BEYOND_ALL, at }: EventSelection, limit: number) {
  const values: unknown[] = [beforeId, at, limit];
  const kind = kinds && `$${values.push(kinds.length === 1 ? kinds[0] : kinds)}`;
  const target = targetId === undefined ? undefined : `$${values.push(targetId)}`;
  const ofTarget = target === undefined ? '' : `AND target_id = ${target} AND NOT hidden AND ${OF_ANY_TYPE}`;
  const dueOfTarget = target === undefined ? '' : `AND a.post_id = ${target}`;
  const stored = (ofKind: string) => `
    SELECT ${EVENT_COLUMNS} FROM governance_events
    WHERE event_id < $1 ${ofKind} ${ofTarget} ORDER BY event_id DESC LIMIT $3`;
  const ofKinds =
    kinds && kinds.length > 1
      ? // The newest of each kind by the index of kinds, then the newest of those.
        `SELECT e.* FROM unnest(${kind}::text[]) wanted (kind) CROSS JOIN LATERAL (${stored('AND kind = wanted.kind')}) e
         ORDER BY e.event_id DESC LIMIT $3`
      : stored(kind === undefined ? '' : `AND kind = ${kind}`);
  const filters = [kinds && (kinds.length > 1 ? 'kinds' : 'kind'), target && 'target'].filter(Boolean);
  const text = shown(`
    (SELECT stored.*, NULL::timestamptz AS due FROM (${ofKinds}) stored)
    UNION ALL
    (${DUE_EVENTS} AND a.tally_event_id < $1 ${dueOfTarget})
    ${kinds ? '' : 'ORDER BY event_id DESC LIMIT $3'}`);
  return { statement: sql(['moderation.events', ...filters].join('.'), text), values };
}

/** A stored event, or one of a vote that ended at `due`, whose kind and reason are not decided yet. */
type StoredOrDueEvent =
  | (EventRow & { readonly due: null })
  | (Omit<EventRow, 'kind' | 'reason'> & { readonly due: Date });

const oneEvent = manyRows<StoredOrDueEvent, [eventId: string, at: Date]>(
  'moderation.event',
  shown(`
    SELECT ${EVENT_COLUMNS}, NULL::timestamptz AS due FROM governance_events WHERE event_id = $1
    UNION ALL
    ${DUE_EVENTS} AND a.tally_event_id = $1`),
);

/** Records an event of a moderator, or of the operator (null). Only an adjustment of karma has an amount. */
export const insertEvent = noRows<
  [
    eventId: string,
    kind: EventKind,
    targetType: EventTargetType,
    targetId: string,
    hidden: boolean,
    reason: string,
    at: Date,
    amountMicro: bigint | null,
    moderatorId: string | null,
    until: Date | null,
  ]
>(
  'moderation.insertEvent',
  `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at, amount_micro,
     moderator_id, until)
   VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $9::text IS NULL THEN 'operator' ELSE 'moderator' END, $7, $8, $9, $10)`,
);

/** Public events. `due` is the latest end of a vote among them whose outcome is not stored; null if all are stored. */
export interface Events {
  readonly rows: StoredOrDueEvent[];
  readonly due: Date | null;
}

const toEvents = (rows: StoredOrDueEvent[]): Events => {
  const ends = rows.flatMap(({ due }) => (due ? [due.getTime()] : []));
  return { rows, due: ends.length > 0 ? new Date(Math.max(...ends)) : null };
};

export async function eventsBefore(db: Db, selection: EventSelection, limit: number): Promise<Events> {
  const { statement, values } = eventsStatement(selection, limit);
  return toEvents(await db.query<StoredOrDueEvent>(statement, values));
}

export const eventById = async (db: Db, eventId: string, at: Date) => toEvents(await oneEvent(db, eventId, at));

/** Where a target with the id $2 exists for the caller $1. */
const VISIBLE: Readonly<Record<TargetType, string>> = {
  agent: 'agents WHERE $1::text IS NOT NULL AND agent_id = $2',
  community: 'release.visible_communities($1) WHERE slug = $2',
  post: 'release.visible_posts($1) WHERE post_id = $2',
  // LATERAL makes the planner begin with the reply. With a plain join of these tables it begins with all posts.
  reply: `replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    CROSS JOIN LATERAL (SELECT FROM release.visible_posts($1) v WHERE v.post_id = r.post_id LIMIT 1) v WHERE r.reply_id = $2`,
  challenge: 'release.visible_challenges WHERE $1::text IS NOT NULL AND challenge_id = $2',
  feedback: 'release.visible_feedback WHERE $1::text IS NOT NULL AND feedback_id = $2',
};

export async function isVisible(db: Db, callerId: string, { type, id }: Target): Promise<boolean> {
  const text = `SELECT EXISTS (SELECT FROM ${VISIBLE[type]}) AS visible`;
  const [row] = await db.query<{ visible: boolean }>(sql(`moderation.visible.${type}`, text), [callerId, id]);
  return row!.visible;
}

export interface ReportRow extends Omit<Report, 'createdAt' | 'resolvedAt'> {
  readonly createdAt: Date;
  readonly resolvedAt: Date | null;
}

/** `keep_subject` waits for an action under way, so that every action settles all reports before it. */
const insertReport = manyRows<
  object,
  [
    reportId: string,
    reporterId: string,
    type: TargetType,
    id: string,
    category: Category,
    details: string | null,
    at: Date,
  ]
>(
  'moderation.insertReport',
  `INSERT INTO reports (report_id, reporter_id, target_type, target_id, category, details, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7 WHERE release.keep_subject($3, $4) ON CONFLICT ON CONSTRAINT reports_once DO NOTHING RETURNING report_id`,
);
const firstReport = oneRow<Pick<Report, 'reportId' | 'status'>, [type: TargetType, id: string, reporterId: string]>(
  'moderation.firstReport',
  `SELECT report_id AS "reportId", status FROM reports WHERE target_type = $1 AND target_id = $2 AND reporter_id = $3`,
);
const REPORTS = `SELECT r.report_id AS "reportId", r.target_type AS "targetType", r.target_id AS "targetId", r.category, r.details,
    json_build_object('agentId', r.reporter_id, 'handle', (SELECT a.handle FROM agents a WHERE a.agent_id = r.reporter_id))
      AS reporter,
    (SELECT json_build_object('agentId', d.agent_id, 'handle', d.handle) FROM agents d WHERE d.agent_id = r.dismissed_by)
      AS "dismissedBy",
    r.status, r.created_at AS "createdAt", r.resolved_at AS "resolvedAt", r.resolution
  FROM reports r`;

export interface NewReport {
  readonly reportId: string;
  readonly reporterId: string;
  readonly target: Target;
  readonly category: Category;
  readonly details: string | null;
  readonly at: Date;
}

/** Returns the agent's earlier report, if any (docs/governance). Undefined: the target is being removed. */
export async function fileReport(db: Db, { reportId, reporterId, target, category, details, at }: NewReport) {
  const { type, id } = target;
  const inserted = await insertReport(db, reportId, reporterId, type, id, category, details, at);
  if (inserted.length > 0) return { reportId, status: 'open' as const, isNew: true };
  const first = await firstReport(db, type, id, reporterId);
  return first && { ...first, isNew: false };
}

export const reportById = oneRow<ReportRow, [reportId: string]>(
  'moderation.report',
  `${REPORTS} WHERE r.report_id = $1`,
);

export async function newestReports(
  db: Db,
  { status, beforeId = BEYOND_ALL }: { status?: ReportStatus | undefined; beforeId?: string | undefined },
  limit: number,
): Promise<ReportRow[]> {
  const values: unknown[] = [beforeId, limit];
  const ofStatus = status === undefined ? '' : `AND r.status = $${values.push(status)}`;
  const text = `${REPORTS} WHERE r.report_id < $1 ${ofStatus} ORDER BY r.report_id DESC LIMIT $2`;
  return db.query<ReportRow>(sql(`moderation.reports${ofStatus && '.status'}`, text), values);
}

const resolve = noRows<[reportId: string | null, type: TargetType | null, id: string | null, at: Date]>(
  'moderation.resolveReports',
  `UPDATE reports SET status = 'actioned', resolved_at = $4
   WHERE status = 'open' AND (report_id = $1 OR target_type = $2 AND target_id = $3)`,
);

/** Sets open reports to `actioned`: the named one, and all on the target (docs/governance#public-events). */
export const resolveReports = (
  db: Db,
  { reportId = null, target = null }: { reportId?: string | null; target?: Target | null },
  at: Date,
) => resolve(db, reportId, target?.type ?? null, target?.id ?? null, at);

/** `by` is a moderator; null for the operator. */
export const dismissReport = oneValue<string, [reportId: string, at: Date, reason: string, by: string | null]>(
  'moderation.dismissReport',
  `UPDATE reports SET status = 'dismissed', resolved_at = $2, resolution = $3, dismissed_by = $4
   WHERE report_id = $1 AND status = 'open' RETURNING report_id`,
);

/** How many reports are open, and the age of the oldest, for metrics. */
export const openReports = oneRow<{ readonly open: number; readonly oldestSeconds: number }, []>(
  'moderation.openReports',
  `SELECT (SELECT coalesce(sum(open_reports), 0)::float8 FROM reported_targets WHERE open_reports > 0) AS open,
     coalesce((
       SELECT greatest(extract(epoch FROM now() - created_at), 0)::float8 FROM reports
       WHERE status = 'open' ORDER BY report_id LIMIT 1), 0) AS "oldestSeconds"`,
);
