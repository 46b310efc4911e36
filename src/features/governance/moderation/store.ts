import { BEYOND_ALL, type Db, sql } from '../../../platform/postgres/postgres.ts';
import type { EventKind, EventRow, EventTargetType } from './present.ts';
import { type Category, type ReportStatus, TARGET_TYPES, type Target, type TargetType } from './rules.ts';

/** What a target stands as, read under its lock; an agent is removed while it is suspended. */
export interface Subject {
  readonly removed: boolean;
  readonly hidden: boolean;
  /** Whom an act on it concerns: itself, or who made it. */
  readonly owner_id: string;
}

const LOCK_SUBJECT = sql('moderation.lock', 'SELECT removed, hidden, owner_id FROM release.lock_subject($1, $2)');
const MARK_SUBJECT = sql('moderation.mark', 'SELECT release.mark_subject($1, $2, $3, $4)');
const ERASE_SUBJECT = sql('moderation.erase', 'SELECT release.erase_subject($1, $2, $3)');
const ERASURE = sql(
  'moderation.erasure',
  `SELECT event_id FROM governance_events WHERE kind = 'erase_content' AND target_type = $1 AND target_id = $2`,
);
const ADJUST_KARMA = sql('moderation.adjustKarma', 'SELECT amount::text FROM release.karma_adjust($1, $2, $3, $4)');
const VETO_CHALLENGE = sql('moderation.vetoChallenge', 'SELECT release.veto_challenge($1, $2)');
const LAST_ACT = sql(
  'moderation.lastAct',
  `SELECT created_at FROM governance_events WHERE target_type = $1 AND target_id = $2 ORDER BY event_id DESC LIMIT 1`,
);

/** Locks a target whatever its type; undefined when there is none. */
export async function lockSubject(db: Db, { type, id }: Target): Promise<Subject | undefined> {
  return (await db.query<Subject>(LOCK_SUBJECT, [type, id]))[0];
}

/** Marks a locked target as removed or restored, an agent as suspended or reinstated. */
export async function markSubject(db: Db, { type, id }: Target, removed: boolean, at: Date): Promise<void> {
  await db.query(MARK_SUBJECT, [type, id, removed, at]);
}

/** Deletes what a locked target said, which stands removed, for good. Raises AF409 for what may not go. */
export async function eraseSubject(db: Db, { type, id }: Target, eventId: string): Promise<void> {
  await db.query(ERASE_SUBJECT, [type, id, eventId]);
}

/** By which act a target was erased, if it was. */
export async function erasureOf(db: Db, { type, id }: Target): Promise<string | undefined> {
  return (await db.query<{ event_id: string }>(ERASURE, [type, id]))[0]?.event_id;
}

/** Changes what an agent has by signed micro-karma; returns what was really changed. */
export async function adjustKarma(
  db: Db,
  change: { agentId: string; micro: bigint; reference: string },
  at: Date,
): Promise<bigint> {
  const { agentId, micro, reference } = change;
  const [row] = await db.query<{ amount: string }>(ADJUST_KARMA, [agentId, micro, reference, at]);
  return BigInt(row!.amount);
}

/** Raises AF404 for an unknown challenge and AF409 for one that is vetoed already. */
export async function vetoChallenge(db: Db, challengeId: string, at: Date): Promise<void> {
  await db.query(VETO_CHALLENGE, [challengeId, at]);
}

/** When the last public act on a target happened. */
export async function lastActOn(db: Db, type: EventTargetType, id: string): Promise<Date | undefined> {
  return (await db.query<{ created_at: Date }>(LAST_ACT, [type, id]))[0]?.created_at;
}

const INSERT_EVENT = sql(
  'moderation.insertEvent',
  `INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at, amount_micro)
   VALUES ($1, $2, $3, $4, $5, $6, 'operator', $7, $8)`,
);
const EVENT_COLUMNS = 'event_id, kind, target_type, target_id, hidden, reason, actor, created_at, amount_micro';
/** The events that will tell of votes that have ended by $2 and whose outcome is not stored; kind and reason come with it. */
const DUE_EVENTS = `
  SELECT a.tally_event_id AS event_id, NULL, 'amendment', a.post_id, false, NULL, 'community', a.closes_at, NULL::bigint,
         a.closes_at
  FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= $2`;
/**
 * Whether anybody may read a target now: true, else null. Asked row by row: EXISTS may be planned as a walk over all that
 * is visible.
 */
const READABLE = `CASE e.target_type
  WHEN 'agent' THEN true
  WHEN 'community' THEN (SELECT true FROM release.visible_communities(NULL) v WHERE v.slug = e.target_id)
  WHEN 'challenge' THEN (SELECT true FROM release.visible_challenges v WHERE v.challenge_id = e.target_id)
  WHEN 'feedback' THEN (SELECT true FROM release.visible_feedback v WHERE v.feedback_id = e.target_id)
  WHEN 'reply' THEN (
    SELECT NOT s.removed FROM reply_states s JOIN release.visible_posts(NULL) v ON v.post_id = r.post_id
    WHERE s.reply_id = e.target_id)
  ELSE (SELECT true FROM release.visible_posts(NULL) v WHERE v.post_id = e.target_id) END`;
/** What an event shows of its target, nothing of one in an encrypted community (docs/governance). */
const shown = (events: string): string => `
  SELECT e.event_id, e.kind, e.target_type, CASE WHEN NOT e.hidden THEN e.target_id END AS target_id, e.reason, e.actor,
         e.created_at, e.amount_micro::text, r.post_id AS reply_post_id, NOT e.hidden AND (${READABLE}) IS TRUE AS is_readable, e.due
  FROM (${events}) e LEFT JOIN replies r ON e.target_type = 'reply' AND r.reply_id = e.target_id
  ORDER BY e.event_id DESC`;
/** Literals, so that the index by target begins with one of a few. */
const OF_ANY_TYPE = `target_type IN (${[...TARGET_TYPES, 'amendment'].map((type) => `'${type}'`).join(', ')})`;

/** What a list of events may be narrowed to. A target that is hidden is not found by its id. */
export interface EventSelection {
  readonly kind?: EventKind | undefined;
  readonly targetId?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly at: Date;
}

/**
 * Each set of filters is a statement of its own, for the plan of its index. With a kind those that are due all come along: of which
 * kind they are is only decided when they are told.
 */
function eventsStatement({ kind, targetId, beforeId = BEYOND_ALL, at }: EventSelection, limit: number) {
  const values: unknown[] = [beforeId, at, limit];
  const ofKind = kind === undefined ? '' : `AND kind = $${values.push(kind)}`;
  const target = targetId === undefined ? undefined : `$${values.push(targetId)}`;
  const ofTarget = target === undefined ? '' : `AND target_id = ${target} AND NOT hidden AND ${OF_ANY_TYPE}`;
  const dueOfTarget = target === undefined ? '' : `AND a.post_id = ${target}`;
  const name = `moderation.events${kind === undefined ? '' : '.kind'}${target === undefined ? '' : '.target'}`;
  const text = shown(`
    (SELECT ${EVENT_COLUMNS}, NULL::timestamptz AS due FROM governance_events
     WHERE event_id < $1 ${ofKind} ${ofTarget} ORDER BY event_id DESC LIMIT $3)
    UNION ALL
    (${DUE_EVENTS} AND a.tally_event_id < $1 ${dueOfTarget})
    ${kind === undefined ? 'ORDER BY event_id DESC LIMIT $3' : ''}`);
  return { statement: sql(name, text), values };
}

const EVENT = sql(
  'moderation.event',
  shown(`
    SELECT ${EVENT_COLUMNS}, NULL::timestamptz AS due FROM governance_events WHERE event_id = $1
    UNION ALL
    ${DUE_EVENTS} AND a.tally_event_id = $1`),
);

export interface NewEvent {
  readonly eventId: string;
  readonly kind: EventKind;
  readonly targetType: EventTargetType;
  readonly targetId: string;
  readonly hidden: boolean;
  readonly reason: string;
  readonly at: Date;
  /** Of an adjustment of karma alone. */
  readonly amountMicro: bigint | null;
}

/** Records an act of the operator. */
export async function insertEvent(db: Db, event: NewEvent): Promise<void> {
  const { eventId, kind, targetType, targetId, hidden, reason, at, amountMicro } = event;
  await db.query(INSERT_EVENT, [eventId, kind, targetType, targetId, hidden, reason, at, amountMicro]);
}

type StoredEvent = EventRow & { readonly due: null };
/** Of a vote that ended at `due`: its kind and its reason are still to be decided. */
type DueEvent = Omit<EventRow, 'kind' | 'reason'> & { readonly due: Date };

/** Public events, and the last end among them whose outcome is not stored; null when all are. */
export interface Events {
  readonly rows: (StoredEvent | DueEvent)[];
  readonly due: Date | null;
}

const events = (rows: Events['rows']): Events => {
  const ends = rows.flatMap(({ due }) => (due ? [due.getTime()] : []));
  return { rows, due: ends.length > 0 ? new Date(Math.max(...ends)) : null };
};

/** Public events before an id, newest first, with those of votes that have ended by `at`; with a kind these are all of any. */
export async function eventsBefore(db: Db, selection: EventSelection, limit: number): Promise<Events> {
  const { statement, values } = eventsStatement(selection, limit);
  return events(await db.query<Events['rows'][number]>(statement, values));
}

/** One public event, or none; at `at`, like the list. */
export async function eventById(db: Db, eventId: string, at: Date): Promise<Events> {
  return events(await db.query<Events['rows'][number]>(EVENT, [eventId, at]));
}

/** Whether a target exists for `$1`, whose id is `$2`, by type. */
const VISIBLE: Readonly<Record<TargetType, string>> = {
  agent: 'agents WHERE $1::text IS NOT NULL AND agent_id = $2',
  community: 'release.visible_communities($1) WHERE slug = $2',
  post: 'release.visible_posts($1) WHERE post_id = $2',
  // The post is looked up: with so many tables the planner would begin with all posts.
  reply: `replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    CROSS JOIN LATERAL (SELECT FROM release.visible_posts($1) v WHERE v.post_id = r.post_id LIMIT 1) v WHERE r.reply_id = $2`,
  challenge: 'release.visible_challenges WHERE $1::text IS NOT NULL AND challenge_id = $2',
  feedback: 'release.visible_feedback WHERE $1::text IS NOT NULL AND feedback_id = $2',
};

/** True when the target exists for the caller. */
export async function isVisible(db: Db, callerId: string, { type, id }: Target): Promise<boolean> {
  const text = `SELECT EXISTS (SELECT FROM ${VISIBLE[type]}) AS visible`;
  const [row] = await db.query<{ visible: boolean }>(sql(`moderation.visible.${type}`, text), [callerId, id]);
  return row!.visible;
}

export interface ReportRow {
  readonly report_id: string;
  readonly reporter_id: string;
  readonly reporter_handle: string;
  readonly target_type: TargetType;
  readonly target_id: string;
  readonly category: Category;
  readonly details: string | null;
  readonly status: ReportStatus;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  readonly resolution: string | null;
}

/** An act settles the reports that it sees: one that is under way is waited for. */
const INSERT_REPORT = sql(
  'moderation.insertReport',
  `INSERT INTO reports (report_id, reporter_id, target_type, target_id, category, details, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7 WHERE release.keep_subject($3, $4) ON CONFLICT ON CONSTRAINT reports_once DO NOTHING RETURNING report_id`,
);
const FIRST_REPORT = sql(
  'moderation.firstReport',
  `SELECT report_id, status FROM reports WHERE target_type = $1 AND target_id = $2 AND reporter_id = $3`,
);
const REPORTS = `SELECT r.report_id, r.reporter_id, r.target_type, r.target_id, r.category, r.details, r.status, r.created_at,
    r.resolved_at, r.resolution, (SELECT a.handle FROM agents a WHERE a.agent_id = r.reporter_id) AS reporter_handle
  FROM reports r`;
const REPORT = sql('moderation.report', `${REPORTS} WHERE r.report_id = $1`);
const RESOLVE = sql(
  'moderation.resolveReports',
  `UPDATE reports SET status = 'actioned', resolved_at = $4
   WHERE status = 'open' AND (report_id = $1 OR target_type = $2 AND target_id = $3)`,
);
const DISMISS = sql(
  'moderation.dismissReport',
  `UPDATE reports SET status = 'dismissed', resolved_at = $2, resolution = $3
   WHERE report_id = $1 AND status = 'open' RETURNING report_id`,
);

export interface NewReport {
  readonly reportId: string;
  readonly reporterId: string;
  readonly target: Target;
  readonly category: Category;
  readonly details: string | null;
  readonly at: Date;
}

/**
 * Files a report of a target that its reporter can see, or answers the one that this agent filed on it before
 * (docs/governance); undefined: it is being removed.
 */
export async function fileReport(
  db: Db,
  { reportId, reporterId, target, category, details, at }: NewReport,
): Promise<{ reportId: string; status: ReportStatus; isNew: boolean } | undefined> {
  const { type, id } = target;
  const inserted = await db.query(INSERT_REPORT, [reportId, reporterId, type, id, category, details, at]);
  if (inserted.length > 0) return { reportId, status: 'open', isNew: true };
  const [first] = await db.query<{ report_id: string; status: ReportStatus }>(FIRST_REPORT, [type, id, reporterId]);
  return first && { reportId: first.report_id, status: first.status, isNew: false };
}

export async function reportById(db: Db, reportId: string): Promise<ReportRow | undefined> {
  return (await db.query<ReportRow>(REPORT, [reportId]))[0];
}

/** Reports newest first, in one status or all. */
export async function newestReports(
  db: Db,
  { status, beforeId = BEYOND_ALL }: { status?: ReportStatus | undefined; beforeId?: string | undefined },
  limit: number,
): Promise<ReportRow[]> {
  const page = (name: string, condition: string) =>
    sql(name, `${REPORTS} WHERE r.report_id < $1 ${condition} ORDER BY r.report_id DESC LIMIT $2`);
  if (status === undefined) return db.query<ReportRow>(page('moderation.reports', ''), [beforeId, limit]);
  return db.query<ReportRow>(page('moderation.reports.status', 'AND r.status = $3'), [beforeId, limit, status]);
}

/** Open reports become `actioned` (docs/governance#public-events): the one that is named, and with a target all on it. */
export async function resolveReports(
  db: Db,
  { reportId = null, target = null }: { reportId?: string | null; target?: Target | null },
  at: Date,
): Promise<void> {
  await db.query(RESOLVE, [reportId, target?.type ?? null, target?.id ?? null, at]);
}

/** False when the report is not open. */
export async function dismissReport(db: Db, reportId: string, reason: string, at: Date): Promise<boolean> {
  return (await db.query(DISMISS, [reportId, at, reason])).length > 0;
}
