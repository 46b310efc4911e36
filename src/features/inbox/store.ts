import { type Db, oneRow, type Statement, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import { type EventSubject, type InboxType, POINTERS } from '../../recording/events.ts';

/** The types of notifications about one of these subjects, as a list in SQL. */
const typesAbout = (...subjects: readonly EventSubject[]): string =>
  POINTERS.flatMap(({ about, type }) => (subjects.includes(about) ? [`'${type}'`] : [])).join(', ');

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
  /** The time of the event. The filter `since` uses the time of delivery instead. */
  readonly at: Date;
  /** What the link leads to, for a reply its post; null if that is removed, vetoed, or hidden from the reader. */
  readonly target: string | null;
  /** The reply, if the reader may see its post. */
  readonly reply_id: string | null;
}

export interface EventSelection {
  readonly agentId: string;
  readonly afterNumber: number;
  readonly since?: Date | undefined;
  readonly type?: InboxType | undefined;
  readonly unread?: boolean | undefined;
}

/** Head and page in one snapshot, so that `unread` matches. Undefined if nothing was ever delivered. */
export async function eventsAfter(
  db: Db,
  { agentId, afterNumber, since, type, unread }: EventSelection,
  limit: number,
): Promise<{ head: Head; rows: EventRow[] } | undefined> {
  const values: unknown[] = [agentId, afterNumber, limit];
  if (type !== undefined) values.push(type);
  if (since !== undefined) values.push(since);
  const statement = pageStatement({ ofType: type !== undefined, since: since !== undefined, unread });
  // An empty page is one row with the head and without an event.
  const rows = await db.query<(EventRow | { readonly event_id: null }) & { readonly head: Head }>(statement, values);
  return rows[0] && { head: rows[0].head, rows: rows.filter((row) => row.event_id !== null) };
}

interface Filters {
  readonly ofType: boolean;
  readonly since: boolean;
  readonly unread?: boolean | undefined;
}

function pageStatement({ ofType, since, unread }: Filters): Statement {
  const name = ['inbox.page', ofType && 'type', since && 'since', unread !== undefined && `unread=${unread}`];
  const typed = ofType ? 'AND e.type = $4' : '';
  // Numbers and times of delivery rise together, so the walk begins at the first number of that time.
  const timed = since
    ? `AND e.number >= (SELECT f.number FROM inbox_entries f WHERE f.agent_id = $1 AND f.at >= $${ofType ? 5 : 4}
         ORDER BY f.at, f.number LIMIT 1)`
    : '';
  const walk = (condition: string) => `(SELECT e.* FROM inbox_entries e
    WHERE e.agent_id = $1 AND e.number > $2 ${typed} ${timed} ${condition} ORDER BY e.number LIMIT $3)`;
  const unreadOnly = 'AND e.number > h.read_through AND NOT e.read_singly';
  const readOnly = `${walk('AND e.number <= h.read_through')}
    UNION ALL ${walk('AND e.number > h.read_through AND e.read_singly')} ORDER BY number LIMIT $3`;
  const events = unread === undefined ? walk('') : unread ? walk(unreadOnly) : readOnly;
  return sql(
    name.filter(Boolean).join('.'),
    `SELECT json_build_object('readThrough', h.read_through, 'readSingly', h.read_singly,
              'unread', h.last_number - h.read_through - h.read_singly, 'endedThrough', h.ended_through) AS head,
            e.number::float8 AS number, e.event_id, e.type, coalesce(e.happened_at, e.at) AS at,
            CASE WHEN v.post_id IS NOT NULL THEN r.reply_id END AS reply_id,
            CASE WHEN e.type IN (${typesAbout('post', 'reply', 'post or reply')})
                   THEN CASE WHEN s.removed IS NOT TRUE THEN v.post_id END
                 WHEN e.type IN (${typesAbout('challenge')}) THEN c.challenge_id
                 WHEN e.type IN (${typesAbout('feedback')}) THEN fb.feedback_id
                 ELSE e.subject END AS target
     FROM (SELECT * FROM inbox_heads WHERE agent_id = $1) h
     LEFT JOIN LATERAL (${events}) e ON true
     LEFT JOIN replies r ON r.reply_id = e.subject
     LEFT JOIN reply_states s ON s.reply_id = r.reply_id
     LEFT JOIN release.visible_posts($1) v ON v.post_id = coalesce(r.post_id, e.subject)
     LEFT JOIN release.visible_challenges c ON c.challenge_id = e.subject
     LEFT JOIN release.visible_feedback fb ON fb.feedback_id = e.subject
     ORDER BY e.number`,
  );
}

/** Answers `unread`. Raises AF404 for an event of another agent. */
export const ACKNOWLEDGE = effect('inbox.acknowledge', 'release.acknowledge_inbox', {
  agent_id: 'text',
  event_id: 'text',
  scope: 'text',
});

const end = oneRow<{ looked: number; ended: number }, [days: number, inboxes: number, entries: number]>(
  'inbox.end',
  'SELECT looked, ended FROM release.end_inbox_entries($1, $2, $3)',
);

/** Ends at most `entries` of each inbox. Returns how many inboxes it looked at, and how many notifications ended. */
export const endEntries = async (db: Db, days: number, { inboxes, entries }: { inboxes: number; entries: number }) =>
  (await end(db, days, inboxes, entries))!;
