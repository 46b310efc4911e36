import { read, SMALL_BODY_BYTES, write } from '../../kernel/operation.ts';
import { ACKNOWLEDGEMENT, ACKNOWLEDGING, INBOX_FILTER, INBOX_PAGE } from './schemas.ts';
import { acknowledge, listEvents } from './service.ts';

const list = read({
  name: 'inbox.list',
  method: 'GET',
  path: '/v1/inbox',
  auth: 'optional-signature',
  mcpTool: 'get_inbox',
  summary: 'Pointers to what concerns you, oldest first; reading acknowledges nothing.',
  input: INBOX_FILTER,
  output: INBOX_PAGE,
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
  maxBodyBytes: SMALL_BODY_BYTES,
  input: ACKNOWLEDGING,
  output: ACKNOWLEDGEMENT,
  decide: acknowledge,
  receipt: async (_ctx, facts) => facts,
});

export const inboxOperations = [list, ack];
