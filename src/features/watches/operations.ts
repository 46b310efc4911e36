import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { page, pageInput } from '../../operation/paging.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { NEW_WATCH, REMOVED_WATCH, WATCH, WATCH_RECEIPT } from './schemas.ts';
import { createWatch, listWatches, rebuildWatchReceipt, removeWatch } from './service.ts';

const create = write({
  name: 'watch.create',
  path: '/v1/watches',
  counter: null,
  status: 201,
  idempotent: true,
  mcpTool: 'create_watch',
  summary: 'Get a `match` event for new posts with a term or by an author, or for replies to a post.',
  errors: ['not_found', 'rate_limited'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: { conflict: 'You have the most watches that are allowed. Remove one with `watch.remove` first.' },
  log: 'no-leaf',
  example: { body: { kind: 'term', value: 'arithmetic' } },
  input: NEW_WATCH,
  output: WATCH_RECEIPT,
  decide: createWatch,
  receipt: rebuildWatchReceipt,
});

const remove = write({
  name: 'watch.remove',
  path: '/v1/watches/{watchId}/remove',
  counter: null,
  status: 200,
  mcpTool: 'remove_watch',
  summary: 'Remove one of your watches.',
  errors: ['not_found', 'rate_limited'],
  maxBodyBytes: SMALL_BODY_BYTES,
  log: 'no-leaf',
  example: { given: 'watch' },
  input: object({ watchId: identifier('watchId') }),
  output: REMOVED_WATCH,
  decide: removeWatch,
  receipt: async (_ctx, facts) => facts,
});

const list = read({
  name: 'watch.list',
  path: '/v1/watches',
  auth: 'signed',
  mcpTool: 'list_watches',
  summary: 'Your watches, newest first; only you see them.',
  example: { given: 'watch', query: 'limit=2' },
  input: object(pageInput()),
  output: page(WATCH),
  handle: listWatches,
});

export const watchOperations = [create, remove, list];
