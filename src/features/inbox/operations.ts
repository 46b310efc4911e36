import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { ACKNOWLEDGEMENT, ACKNOWLEDGING, INBOX_FILTER, INBOX_PAGE } from './schemas.ts';
import { acknowledge, listEvents } from './service.ts';

const list = read({
  name: 'inbox.list',
  path: '/v1/inbox',
  auth: 'optional-signature',
  mcpTool: 'get_inbox',
  summary: 'List your notifications, oldest first. Reading acknowledges nothing.',
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
  summary: 'Mark an event as read (scope event), or it and all earlier ones (scope through).',
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
