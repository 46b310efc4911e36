import { randomBytes } from 'node:crypto';
import type { Recording } from '../../src/kernel/recordingValues.ts';
import { eventValues, type NewEvent } from '../../src/platform/events.ts';

const MINUTE_MS = 60_000;

/** What is recorded of a post, as the pipeline gives it, but for what the test or the measurement is about. */
export function recordedPost(agentId: string, events: readonly NewEvent[], change: Partial<Recording>): Recording {
  const now = new Date().toISOString();
  const nonce = randomBytes(16).toString('base64url');
  const [kinds, subjects, communities, hidden, recipients] = eventValues(events);
  return {
    agentId,
    nonce,
    signedAt: now,
    at: now,
    deadline: new Date(Date.now() + MINUTE_MS).toISOString(),
    operation: 'post.create',
    counter: 'posts',
    isReserved: true,
    status: 201,
    isPreview: false,
    facts: '{}',
    rateLimitIfFree: null,
    salt: randomBytes(16),
    signedText: `svc-request-v1\nPOST\n/v1/posts\n\n${Math.floor(Date.now() / 1_000)}\n${nonce}\n${nonce}${nonce}`,
    signature: randomBytes(64).toString('base64url'),
    body: Buffer.from('{}'),
    evident: '{}',
    commitment: randomBytes(32),
    publicKey: null,
    kinds,
    subjects,
    communities,
    hidden,
    recipients,
    requestId: nonce.slice(0, 14),
    traceId: null,
    fence: 0,
    keyEpoch: 0,
    laterKey: null,
    ...change,
  };
}
