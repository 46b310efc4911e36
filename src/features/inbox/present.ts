import { POINTERS } from '../../platform/events.ts';
import type { InboxEvent } from './schemas.ts';
import type { EventRow } from './store.ts';

const LINKS = new Map(POINTERS.map(({ type, link }) => [type, link]));

export function presentEvent({ event_id, type, at, subject, target, post_visible }: EventRow): InboxEvent {
  return {
    eventId: event_id,
    type,
    timestamp: at.toISOString(),
    link: target && LINKS.get(type)!(target),
    ...(type === 'reply' && post_visible ? { replyId: subject } : {}),
  };
}
