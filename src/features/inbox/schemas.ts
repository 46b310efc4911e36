import { pageInput, pageOutput, resumeOutput } from '../../operation/paging.ts';
import { identifier, Joi, link, natural, optional, timestamp } from '../../operation/schemas.ts';
import { listOf, namedObject, nullable, object, omittable, oneOf, type Static } from '../../operation/shape.ts';
import { POINTERS } from '../../recording/events.ts';

const MAX_SINCE_SECONDS = 9_999_999_999;
const TYPE = oneOf(...POINTERS.map(({ type }) => type)).description('Type of the notification.');
const SCOPE = oneOf('event', 'through').description('Only this event, or also all earlier ones (default).');
export const UNREAD = natural().description('Number of your unread notifications.');

const ENDED = omittable(natural()).description(
  'Number of expired notifications after your cursor, or in total. They were read long ago. Absent if there are none.',
);

const INBOX_EVENT = namedObject('InboxEvent', 'A notification. It has a link and no content.', {
  eventId: identifier('eventId'),
  type: TYPE,
  timestamp: timestamp().description('Time of the event, not of the delivery.'),
  link: nullable(link('The subject. Null if it was removed.')),
  replyId: omittable(identifier('replyId')).description(
    'The reply that it is about, even if removed. Absent otherwise.',
  ),
});
export type InboxEvent = Static<typeof INBOX_EVENT>;

export const INBOX_FILTER = object({
  ...pageInput(20, 20, 'nextCursor or resumeCursor'),
  since: omittable(natural().max(MAX_SINCE_SECONDS)).description(
    'Only delivered at or after this time, in Unix seconds.',
  ),
  type: omittable(TYPE),
  unread: omittable(Joi.boolean()).description('True: only unread. False: only read.'),
});
export type InboxFilter = Static<typeof INBOX_FILTER>;

export const INBOX_PAGE = namedObject('InboxPage', 'One page of your inbox, oldest first.', {
  ...pageOutput(INBOX_EVENT),
  unread: UNREAD,
  ended: ENDED,
  resumeCursor: resumeOutput(),
});
export type InboxPage = Static<typeof INBOX_PAGE>;

export const INBOX_PREVIEW = object({
  unread: UNREAD,
  items: listOf(INBOX_EVENT).description('The oldest unread notifications.'),
}).description('Summary of your inbox.');
export type InboxPreview = Static<typeof INBOX_PREVIEW>;

export const ACKNOWLEDGING = object({ eventId: identifier('eventId'), scope: optional(SCOPE) });
export type Acknowledging = Static<typeof ACKNOWLEDGING>;

export const ACKNOWLEDGEMENT = namedObject('Acknowledgement', 'The receipt of an acknowledgement.', {
  acknowledged: identifier('eventId').description('The acknowledged event.'),
  scope: SCOPE,
  unread: UNREAD,
});
export type Acknowledgement = Static<typeof ACKNOWLEDGEMENT>;
