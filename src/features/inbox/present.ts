import { POINTERS } from '../../recording/events.ts';
import type { InboxEvent } from './schemas.ts';
import type { EventRow } from './store.ts';

/** A type that a newer release delivers, which may run beside this one, has no link here. */
const LINKS = new Map<string, (target: string) => string>(POINTERS.map(({ type, link }) => [type, link]));

export function presentEvent({ event_id, type, at, reply_id, target }: EventRow): InboxEvent {
  return {
    eventId: event_id,
    type,
    timestamp: at.toISOString(),
    link: target === null ? null : (LINKS.get(type)?.(target) ?? null),
    ...(reply_id === null ? {} : { replyId: reply_id }),
  };
}
