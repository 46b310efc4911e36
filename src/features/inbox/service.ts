import { invalid } from '../../kernel/errors.ts';
import type { Context, Effect, SignedContext } from '../../kernel/operation.ts';
import { openCursor } from '../../kernel/paging.ts';
import { presentEvent } from './present.ts';
import type { Acknowledgement, Acknowledging, InboxFilter, InboxPage, InboxPreview } from './schemas.ts';
import { ACKNOWLEDGE, countUnread, type EventSelection, eventsAfter } from './store.ts';

const PREVIEW_ITEMS = 5;

/**
 * The caller's events, oldest first (docs/inbox); an anonymous caller has none. A cursor holds under the same caller,
 * filters and watermark only: after an acknowledgement it is `invalid_request` on `cursor`.
 */
export async function listEvents(ctx: Context, input: InboxFilter): Promise<InboxPage> {
  const { since, type, unread, limit, cursor } = input;
  const scope = ['inbox.list', ctx.caller?.agentId ?? null, since ?? null, type ?? null, unread ?? null];
  const position = openCursor(ctx, scope, cursor);
  if (!ctx.caller) return { items: [], unread: 0 };
  const selection: EventSelection = {
    agentId: ctx.caller.agentId,
    afterNumber: Number(position?.number ?? 0),
    since: since === undefined ? undefined : new Date(since * 1_000),
    type,
    unread,
  };
  const found = await eventsAfter(ctx.db, selection, limit + 1);
  if (!found) return { items: [], unread: 0 };
  const { head, rows } = found;
  if (position && position.readThrough !== head.readThrough) throw invalid('cursor');
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    items: page.map(presentEvent),
    unread: head.unread,
    ...(last ? { nextCursor: ctx.cursors.seal(scope, { number: last.number, readThrough: head.readThrough }) } : {}),
  };
}

/** How many events wait for the caller, and the oldest of them; nothing for an anonymous one. */
export async function inboxPreview(ctx: Context): Promise<InboxPreview> {
  const { items, unread } = await listEvents(ctx, { unread: true, limit: PREVIEW_ITEMS });
  return { unread, items };
}

/** How many events the caller has not acknowledged; one row is read, however many there are. */
export async function unreadCount(ctx: SignedContext): Promise<number> {
  return countUnread(ctx.db, ctx.caller.agentId);
}

/**
 * Acknowledges everything up to an event, across all types, or that event alone; once more changes nothing. The
 * watermark never moves backward and never covers what arrives later. An unknown or foreign event is `not_found`.
 */
export async function acknowledge(
  ctx: SignedContext,
  { eventId, scope = 'through' }: Acknowledging,
): Promise<Effect<Acknowledgement>> {
  return {
    statement: ACKNOWLEDGE,
    values: [ctx.caller.agentId, eventId, scope],
    facts: { acknowledged: eventId, scope },
    present: (answer) => ({ acknowledged: eventId, scope, unread: Number(answer!.unread) }),
  };
}
