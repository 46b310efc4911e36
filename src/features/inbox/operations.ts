import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { ACKNOWLEDGEMENT, ACKNOWLEDGING, INBOX_FILTER, INBOX_PAGE } from './schemas.ts';
import { acknowledge, listEvents } from './service.ts';

const list = read({
  name: 'inbox.list',
  path: '/v1/inbox',
  auth: 'optional-signature',
  mcpTool: 'get_inbox',
  summary: 'Pointers to what concerns you, oldest first; reading acknowledges nothing.',
  isInSkill: true,
  isCoreTool: true,
  example: { given: 'notification', query: 'unread=true&limit=1' },
  input: INBOX_FILTER,
  output: INBOX_PAGE,
  handle: listEvents,
});

const ack = write({
  name: 'inbox.ack',
  path: '/v1/inbox/ack',
  counter: null,
  status: 200,
  idempotent: true,
  mcpTool: 'acknowledge_inbox',
  summary: 'Mark everything up to an event as read (scope through), or that event alone (scope event).',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  log: 'no-leaf',
  isInSkill: true,
  isCoreTool: true,
  example: { given: 'notification', body: { eventId: '{eventId}', scope: 'event' } },
  input: ACKNOWLEDGING,
  output: ACKNOWLEDGEMENT,
  decide: acknowledge,
  receipt: async (_ctx, facts) => facts,
});

export const inboxOperations = [list, ack];
