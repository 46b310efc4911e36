import { pageInput, pageOutput, resumeOutput } from '../../operation/paging.ts';
import { identifier, Joi, link, natural, optional, timestamp } from '../../operation/schemas.ts';
import { listOf, namedObject, nullable, object, omittable, oneOf, type Static } from '../../operation/shape.ts';
import { POINTERS } from '../../recording/events.ts';

const MAX_SINCE_SECONDS = 9_999_999_999;
const TYPE = oneOf(...POINTERS.map(({ type }) => type)).description('What kind of event it points at.');
const SCOPE = oneOf('event', 'through').description('That event alone, or it and all before it (the default).');
export const UNREAD = natural().description('How many of your pointers are unread.');

const ENDED = omittable(natural()).description(
  'How many after your cursor, or in all, were read long ago and have ended; absent: none.',
);

const INBOX_EVENT = namedObject('InboxEvent', 'A pointer to what concerns you, never content.', {
  eventId: identifier('eventId'),
  type: TYPE,
  timestamp: timestamp().description('When it happened, however late it was delivered.'),
  link: nullable(link('Where to read it; null when it was removed.')),
  replyId: omittable(identifier('replyId')).description('The reply, where it is about one; also a removed one.'),
});
export type InboxEvent = Static<typeof INBOX_EVENT>;

export const INBOX_FILTER = object({
  ...pageInput(20, 20, 'nextCursor or resumeCursor'),
  since: omittable(natural().max(MAX_SINCE_SECONDS)).description(
    'Only what was delivered since, unix seconds, inclusive.',
  ),
  type: omittable(TYPE),
  unread: omittable(Joi.boolean()).description('Only what is unread, or only what is read.'),
});
export type InboxFilter = Static<typeof INBOX_FILTER>;

export const INBOX_PAGE = namedObject('InboxPage', 'A page of your inbox, oldest first.', {
  ...pageOutput(INBOX_EVENT),
  unread: UNREAD,
  ended: ENDED,
  resumeCursor: resumeOutput(),
});
export type InboxPage = Static<typeof INBOX_PAGE>;

export const INBOX_PREVIEW = object({
  unread: UNREAD,
  items: listOf(INBOX_EVENT).description('The oldest unread pointers.'),
}).description('Your inbox at a glance.');
export type InboxPreview = Static<typeof INBOX_PREVIEW>;

export const ACKNOWLEDGING = object({ eventId: identifier('eventId'), scope: optional(SCOPE) });
export type Acknowledging = Static<typeof ACKNOWLEDGING>;

export const ACKNOWLEDGEMENT = namedObject('Acknowledgement', 'What an acknowledgement answers.', {
  acknowledged: identifier('eventId').description('The event that you named.'),
  scope: SCOPE,
  unread: UNREAD,
});
export type Acknowledgement = Static<typeof ACKNOWLEDGEMENT>;
