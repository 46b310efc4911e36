import { randomBytes } from 'node:crypto';
import { eventRow, type NewEvent } from '../../src/recording/events.ts';

const MINUTE_MS = 60_000;

/**
 * A post as the pipeline sends it (`recording/sql/write.sql`). `values` are those of its effect, `change` replaces
 * columns.
 */
export function recordOfPost(
  agentId: string,
  values: Readonly<Record<string, unknown>>,
  events: readonly NewEvent[] = [],
  change: Readonly<Record<string, unknown>> = {},
): string {
  const now = new Date().toISOString();
  const nonce = randomBytes(16).toString('base64url');
  return JSON.stringify({
    agent_id: agentId,
    nonce,
    signed_at: now,
    accepted_at: now,
    deadline: new Date(Date.now() + MINUTE_MS).toISOString(),
    operation: 'post.create',
    counter: 'posts',
    reserved: true,
    status: 201,
    preview: false,
    facts: '{}',
    salt: hex(16),
    signed_text: `svc-request-v1\nPOST\n/v1/posts\n\n${Math.floor(Date.now() / 1_000)}\n${nonce}\n${nonce}${nonce}`,
    signature: randomBytes(64).toString('base64url'),
    body: '{}',
    evident: '{}',
    commitment: hex(32),
    events: events.map(eventRow),
    request_id: nonce.slice(0, 14),
    fence: 0,
    key_epoch: 0,
    effect: values,
    ...change,
  });
}

/** Random bytes as a text of PostgreSQL's `bytea`. */
export const hex = (bytes: number): string => `\\x${randomBytes(bytes).toString('hex')}`;
