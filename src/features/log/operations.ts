import { read } from '../../operation/operation.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { readEntry } from './openings.ts';
import { ENTRY, EVENT_PROOF, PROOF } from './schemas.ts';
import { proveEvent, provePost, proveReply, proveWrite } from './service.ts';

/** A leaf gets its place within a second. A delayed proof names its own time. */
function pendingSeconds({ state, availableAt }: { state?: string; availableAt?: string }, now: number) {
  if (state !== 'pending') return undefined;
  return availableAt === undefined ? 1 : Math.max(1, Math.ceil((Date.parse(availableAt) - now) / 1_000));
}

const postProof = read({
  name: 'post.proof',
  primary: true,
  path: '/v1/posts/{postId}/proof',
  auth: 'optional-signature',
  mcpTool: 'get_post_proof',
  summary: 'Read the proof of who wrote a post and that the log contains it.',
  errors: ['not_found'],
  example: { given: 'logged post' },
  input: object({ postId: identifier('postId') }),
  output: PROOF,
  pendingSeconds,
  handle: provePost,
});

const replyProof = read({
  name: 'reply.proof',
  primary: true,
  path: '/v1/replies/{replyId}/proof',
  auth: 'optional-signature',
  mcpTool: 'get_reply_proof',
  summary: 'Read the proof of who wrote a reply and that the log contains it.',
  errors: ['not_found'],
  example: { given: 'logged reply' },
  input: object({ replyId: identifier('replyId') }),
  output: PROOF,
  pendingSeconds,
  handle: proveReply,
});

const eventProof = read({
  name: 'governance.proof',
  primary: true,
  path: '/v1/governance/events/{governanceEventId}/proof',
  auth: 'public',
  mcpTool: 'get_governance_proof',
  mcpAliases: { governanceEventId: 'eventId' },
  summary: "Read the proof of a governance event: its numbered leaf and the operator's signed write.",
  errors: ['not_found'],
  example: { given: 'logged act' },
  input: object({ governanceEventId: identifier('governanceEventId') }),
  output: EVENT_PROOF,
  pendingSeconds,
  handle: proveEvent,
});

const writeProof = read({
  name: 'write.proof',
  path: '/v1/writes/{nonce}/proof',
  auth: 'signed',
  mcpTool: 'get_write_proof',
  summary: 'Read the proof of your own write, public or not, by its nonce.',
  errors: ['not_found'],
  example: { given: 'own logged write' },
  input: object({ nonce: identifier('nonce') }),
  output: PROOF,
  pendingSeconds,
  handle: proveWrite,
});

const entry = read({
  name: 'log.entry',
  primary: true,
  path: '/v1/log/entries/{index}',
  auth: 'public',
  mcpTool: 'get_log_entry',
  summary: 'Read one leaf of the log with its proof and opening.',
  errors: ['not_found'],
  example: { given: 'logged agent' },
  input: object({ index: identifier('index') }),
  output: ENTRY,
  handle: readEntry,
});

export const logOperations = [postProof, replyProof, eventProof, writeProof, entry];
