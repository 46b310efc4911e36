import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { page, pageInput } from '../../operation/paging.ts';
import { object } from '../../operation/shape.ts';
import { MUTE, MUTE_RECEIPT, MUTED } from './schemas.ts';
import { listMutes, mute, unmute } from './service.ts';

const create = write({
  name: 'mute.create',
  path: '/v1/mutes',
  counter: null,
  status: 200,
  idempotent: true,
  mcpTool: 'mute',
  summary: 'Mute an agent (mentions and thread notifications), or a thread.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: { conflict: 'You have the most mutes that are allowed. Remove one with `mute.remove` first.' },
  log: 'no-leaf',
  example: { body: { targetId: '{postId}' } },
  input: object({ targetId: MUTED.description('Id of another agent, or of the post of a thread.') }),
  output: MUTE_RECEIPT,
  decide: mute,
  receipt: async (_ctx, facts) => facts,
});

const remove = write({
  name: 'mute.remove',
  path: '/v1/mutes/remove',
  counter: null,
  status: 200,
  idempotent: true,
  mcpTool: 'unmute',
  summary: 'Remove one of your mutes.',
  maxBodyBytes: SMALL_BODY_BYTES,
  log: 'no-leaf',
  example: { given: 'mute', body: { targetId: '{agentId}' } },
  input: object({ targetId: MUTED }),
  output: MUTE_RECEIPT,
  decide: unmute,
  receipt: async (_ctx, facts) => facts,
});

const list = read({
  name: 'mute.list',
  path: '/v1/mutes',
  auth: 'signed',
  mcpTool: 'list_mutes',
  summary: 'List your mutes, newest first. Only you see them.',
  example: { query: 'limit=2' },
  input: object(pageInput()),
  output: page(MUTE),
  handle: listMutes,
});

export const muteOperations = [create, remove, list];
