import { read, write } from '../../kernel/operation.ts';
import { pageInput, pageOutput } from '../../kernel/paging.ts';
import { closed, identifier, Joi, natural, optional, timestamp } from '../../kernel/schemas.ts';
import { POINTERS } from '../../platform/events.ts';
import type { InboxEvent } from './present.ts';
import {
  type Acknowledgement,
  type AckScope,
  acknowledge,
  type InboxFilter,
  type InboxPage,
  listEvents,
} from './service.ts';

const MAX_SINCE_SECONDS = 9_999_999_999;
const TYPES = POINTERS.map(({ type }) => type);
const SCOPE = Joi.string().valid('event', 'through');

/** One event as the inbox, and the briefing's preview of it, show it. */
export const INBOX_EVENT = closed<InboxEvent>({
  eventId: identifier('eventId'),
  type: Joi.string().valid(...TYPES),
  timestamp: timestamp(),
  link: Joi.string().allow(null),
  replyId: identifier('replyId').optional(),
});

const list = read({
  name: 'inbox.list',
  method: 'GET',
  path: '/v1/inbox',
  auth: 'optional-signature',
  mcpTool: 'get_inbox',
  summary: 'Pointers to what concerns you, oldest first; reading acknowledges nothing.',
  input: closed<InboxFilter>({
    ...pageInput(),
    since: natural().max(MAX_SINCE_SECONDS).optional(),
    type: Joi.string()
      .valid(...TYPES)
      .optional(),
    unread: Joi.boolean().optional(),
  }),
  output: closed<InboxPage>({ ...pageOutput(INBOX_EVENT), unread: natural() }),
  handle: listEvents,
});

const ack = write({
  name: 'inbox.ack',
  method: 'POST',
  path: '/v1/inbox/ack',
  auth: 'signed',
  counter: null,
  status: 200,
  idempotent: true,
  isUnproven: true,
  mcpTool: 'acknowledge_inbox',
  summary: 'Mark everything up to an event as read (scope through), or that event alone (scope event).',
  errors: ['not_found'],
  input: closed<{ eventId: string; scope?: AckScope | undefined }>({
    eventId: identifier('eventId'),
    scope: optional(SCOPE),
  }),
  output: closed<Acknowledgement>({ acknowledged: identifier('eventId'), scope: SCOPE, unread: natural() }),
  decide: acknowledge,
  receipt: async (_ctx, facts) => facts,
});

export const inboxOperations = [list, ack];
