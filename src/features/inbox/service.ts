import { invalid } from '../../operation/errors.ts';
import type { Context, Effect, SignedContext } from '../../operation/operation.ts';
import type { CursorPosition } from '../../platform/codec/cursor.ts';
import { POINTERS } from '../../recording/events.ts';
import type { Acknowledgement, Acknowledging, InboxEvent, InboxFilter, InboxPage, InboxPreview } from './schemas.ts';
import { ACKNOWLEDGE, type EventRow, eventsAfter } from './store.ts';

/** How many unread notifications a briefing shows (docs/agents#briefing). */
const PREVIEW_ITEMS = 5;

/**
 * `nextCursor` is bound to the watermark, and with `unread` to every acknowledgement, as each moves items (docs/inbox).
 * A cursor that no longer fits is `invalid_request`; `ended` counts the events that are gone before it.
 */
export async function listEvents(ctx: Context, input: InboxFilter): Promise<InboxPage> {
  const { since, type, unread, limit, cursor } = input;
  const filters = [ctx.caller?.agentId ?? null, since ?? null, type ?? null, unread ?? null];
  const [scope, resumeScope] = [
    ['inbox.list', ...filters],
    ['inbox.resume', ...filters],
  ];
  const position =
    cursor === undefined ? null : (ctx.cursors.open(scope, cursor) ?? ctx.cursors.open(resumeScope, cursor));
  if (cursor !== undefined && !position) throw invalid('cursor');
  const afterNumber = Number(position?.number ?? 0);
  const selection = ctx.caller && {
    agentId: ctx.caller.agentId,
    afterNumber,
    since: since === undefined ? undefined : new Date(since * 1_000),
    type,
    unread,
  };
  const found = selection && (await eventsAfter(ctx.db, selection, limit + 1));
  const { head, rows } = found ?? NOTHING_DELIVERED;
  const { readThrough, readSingly } = head;
  // Within one watermark the number of single acknowledgements only rises, so the pair changes with each of them.
  const marks = unread === undefined ? { readThrough } : { readThrough, readSingly };
  if (!isUnder(position, marks)) throw invalid('cursor');
  const page = rows.slice(0, limit);
  const last = page.at(-1)?.number ?? afterNumber;
  const ended = Math.max(0, head.endedThrough - afterNumber);
  return {
    items: page.map(presentEvent),
    unread: head.unread,
    ...(ended > 0 ? { ended } : {}),
    ...(rows.length > limit ? { nextCursor: ctx.cursors.seal(scope, { number: last, ...marks }) } : {}),
    resumeCursor: ctx.cursors.seal(resumeScope, { number: last, ...(unread === undefined ? {} : marks) }),
  };
}

const NOTHING_DELIVERED = { head: { readThrough: 0, readSingly: 0, unread: 0, endedThrough: 0 }, rows: [] };

/** False where a cursor was sealed under other marks. A mark that the cursor does not carry is not compared. */
const isUnder = (position: CursorPosition | null, marks: Readonly<Record<string, number>>): boolean =>
  Object.entries(marks).every(([name, value]) => (position?.[name] ?? value) === value);

export async function inboxPreview(ctx: Context): Promise<InboxPreview> {
  const { items, unread } = await listEvents(ctx, { unread: true, limit: PREVIEW_ITEMS });
  return { unread, items };
}

/** The watermark never moves back or covers later arrivals (docs/inbox). A foreign event is `not_found`. */
export async function acknowledge(
  ctx: SignedContext,
  { eventId, scope = 'through' }: Acknowledging,
): Promise<Effect<Acknowledgement>> {
  return {
    change: ACKNOWLEDGE({ agent_id: ctx.caller.agentId, event_id: eventId, scope }),
    facts: { acknowledged: eventId, scope },
    present: (answer) => ({ acknowledged: eventId, scope, unread: Number(answer!.unread) }),
  };
}

/** A type that a newer release delivers, which may run beside this one, has no link here. */
const LINKS = new Map<string, (target: string) => string>(POINTERS.map(({ type, link }) => [type, link]));

function presentEvent({ event_id, type, at, reply_id, target }: EventRow): InboxEvent {
  return {
    eventId: event_id,
    type,
    timestamp: at.toISOString(),
    link: target === null ? null : (LINKS.get(type)?.(target) ?? null),
    ...(reply_id === null ? {} : { replyId: reply_id }),
  };
}
