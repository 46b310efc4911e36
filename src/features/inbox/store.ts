import { type Db, type Statement, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import { type EventSubject, type InboxType, POINTERS } from '../../recording/events.ts';

/** The types of pointers that are about one of these, as a list in SQL. */
const typesAbout = (...subjects: readonly EventSubject[]): string =>
  POINTERS.flatMap(({ about, type }) => (subjects.includes(about) ? [`'${type}'`] : [])).join(', ');

/** How far an agent has read, in numbers of its events. */
export interface Head {
  readonly readThrough: number;
  /** How many events above `readThrough` were acknowledged one by one. */
  readonly readSingly: number;
  readonly unread: number;
  /** Events up to this number have ended. */
  readonly endedThrough: number;
}

export interface EventRow {
  readonly number: number;
  readonly event_id: string;
  readonly type: InboxType;
  /** When it happened; the time of delivery is for `since` alone. */
  readonly at: Date;
  /** What the link leads to, a reply's post; null when that was removed or vetoed, or is hidden from the reader. */
  readonly target: string | null;
  /** The reply that it is about, where the reader may see its post. */
  readonly reply_id: string | null;
}

/** A recipient, what it asks for, and where the page begins. */
export interface EventSelection {
  readonly agentId: string;
  readonly afterNumber: number;
  readonly since?: Date | undefined;
  readonly type?: InboxType | undefined;
  readonly unread?: boolean | undefined;
}

const HEAD = `SELECT h.read_through, h.read_singly, h.ended_through, h.last_number - h.read_through - h.read_singly AS unread
  FROM inbox_heads h WHERE h.agent_id = $1`;

/**
 * The head and a page of events above `afterNumber`, in order, in one snapshot: what is counted as unread is what the
 * page could show. No head: nothing was ever delivered. Each set of filters is a statement of its own, so that each walks
 * the index that stops after a page, however many events there are.
 */
export async function eventsAfter(
  db: Db,
  selection: EventSelection,
  limit: number,
): Promise<{ head: Head; rows: EventRow[] } | undefined> {
  const { agentId, afterNumber, since, type, unread } = selection;
  const values: unknown[] = [agentId, afterNumber, limit];
  if (type !== undefined) values.push(type);
  if (since !== undefined) values.push(since);
  const statement = pageStatement({ ofType: type !== undefined, since: since !== undefined, unread });
  const rows = await db.query<(EventRow | NoEvent) & HeadRow>(statement, values);
  const [first] = rows;
  if (!first) return undefined;
  const head = {
    readThrough: first.read_through,
    readSingly: first.read_singly,
    unread: first.head_unread,
    endedThrough: first.ended_through,
  };
  return { head, rows: rows.filter((row) => row.event_id !== null) };
}

interface HeadRow {
  readonly read_through: number;
  readonly read_singly: number;
  readonly head_unread: number;
  readonly ended_through: number;
}

/** The head alone: the page is empty. */
interface NoEvent {
  readonly event_id: null;
}

interface Filters {
  readonly ofType: boolean;
  readonly since: boolean;
  readonly unread?: boolean | undefined;
}

/** Which pointers a page of the inbox shows, by its filters, without a link to what was removed (docs/inbox). */
function pageStatement({ ofType, since, unread }: Filters): Statement {
  const name = ['inbox.page', ofType && 'type', since && 'since', unread !== undefined && `unread=${unread}`];
  const typed = ofType ? 'AND e.type = $4' : '';
  // Numbers and times of delivery rise together, so the first number of a time is where the walk begins.
  const timed = since
    ? `AND e.number >= (SELECT f.number FROM inbox_entries f WHERE f.agent_id = $1 AND f.at >= $${ofType ? 5 : 4}
         ORDER BY f.at, f.number LIMIT 1)`
    : '';
  const walk = (condition: string) => `(SELECT e.* FROM inbox_entries e
    WHERE e.agent_id = $1 AND e.number > $2 ${typed} ${timed} ${condition} ORDER BY e.number LIMIT $3)`;
  const unreadAlone = 'AND e.number > h.read_through AND NOT e.read_singly';
  const read = `${walk('AND e.number <= h.read_through')}
    UNION ALL ${walk('AND e.number > h.read_through AND e.read_singly')} ORDER BY number LIMIT $3`;
  const events = unread === undefined ? walk('') : unread ? walk(unreadAlone) : read;
  return sql(
    name.filter(Boolean).join('.'),
    `SELECT h.read_through::float8 AS read_through, h.read_singly::float8 AS read_singly, h.unread::float8 AS head_unread,
            h.ended_through::float8 AS ended_through, e.number::float8 AS number,
            e.event_id, e.type, coalesce(e.happened_at, e.at) AS at,
            CASE WHEN v.post_id IS NOT NULL THEN r.reply_id END AS reply_id,
            CASE WHEN e.type IN (${typesAbout('post', 'reply', 'post or reply')})
                   THEN CASE WHEN s.removed IS NOT TRUE THEN v.post_id END
                 WHEN e.type IN (${typesAbout('challenge')}) THEN c.challenge_id
                 WHEN e.type IN (${typesAbout('feedback')}) THEN fb.feedback_id
                 ELSE e.subject END AS target
     FROM (${HEAD}) h
     LEFT JOIN LATERAL (${events}) e ON true
     LEFT JOIN replies r ON r.reply_id = e.subject
     LEFT JOIN reply_states s ON s.reply_id = r.reply_id
     LEFT JOIN release.visible_posts($1) v ON v.post_id = coalesce(r.post_id, e.subject)
     LEFT JOIN release.visible_challenges c ON c.challenge_id = e.subject
     LEFT JOIN release.visible_feedback fb ON fb.feedback_id = e.subject
     ORDER BY e.number`,
  );
}

/** Answers `unread`. Raises AF404 for an event that is not the agent's own. */
export const ACKNOWLEDGE = effect('inbox.acknowledge', 'release.acknowledge_inbox', {
  agent_id: 'text',
  event_id: 'text',
  scope: 'text',
});

const END = sql('inbox.end', 'SELECT looked, ended FROM release.end_inbox_entries($1, $2, $3)');

/** Ends what was read and delivered so many days ago in some inboxes whose turn it is; how many were looked at, and ended. */
export async function endEntries(
  db: Db,
  days: number,
  { inboxes, entries }: { inboxes: number; entries: number },
): Promise<{ looked: number; ended: number }> {
  return (await db.query<{ looked: number; ended: number }>(END, [days, inboxes, entries]))[0]!;
}
