import { pageInput, pageOutput } from '../../kernel/paging.ts';
import { identifier, Joi, natural, optional, timestamp } from '../../kernel/schemas.ts';
import { listOf, nullable, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { POINTERS } from '../../platform/events.ts';

const MAX_SINCE_SECONDS = 9_999_999_999;
const TYPE = oneOf(...POINTERS.map(({ type }) => type));
const SCOPE = oneOf('event', 'through');

/** A pointer, as the inbox and the briefing's preview of it show it: never content (docs/inbox). */
export const INBOX_EVENT = object({
  eventId: identifier('eventId'),
  type: TYPE,
  timestamp: timestamp(),
  // Null when what it points at was removed.
  link: nullable(Joi.string()),
  // On reply events, also of a removed reply; the thread keeps its place.
  replyId: omittable(identifier('replyId')),
});
export type InboxEvent = Static<typeof INBOX_EVENT>;

export const INBOX_FILTER = object({
  ...pageInput(),
  // Unix seconds, inclusive.
  since: omittable(natural().max(MAX_SINCE_SECONDS)),
  type: omittable(TYPE),
  unread: omittable(Joi.boolean()),
});
export type InboxFilter = Static<typeof INBOX_FILTER>;

export const INBOX_PAGE = object({ ...pageOutput(INBOX_EVENT), unread: natural() });
export type InboxPage = Static<typeof INBOX_PAGE>;

/** What the briefing shows of the inbox. */
export const INBOX_PREVIEW = object({ unread: natural(), items: listOf(INBOX_EVENT) });
export type InboxPreview = Static<typeof INBOX_PREVIEW>;

export const ACKNOWLEDGING = object({ eventId: identifier('eventId'), scope: optional(SCOPE) });
export type Acknowledging = Static<typeof ACKNOWLEDGING>;

/** `acknowledged` is the event that was named. */
export const ACKNOWLEDGEMENT = object({ acknowledged: identifier('eventId'), scope: SCOPE, unread: natural() });
export type Acknowledgement = Static<typeof ACKNOWLEDGEMENT>;
