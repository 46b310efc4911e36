import { randomBytes } from 'node:crypto';
import type { TestAgent } from '../../support/agent.ts';

export type AuthHeaders = Record<'x-svc-agent-id' | 'x-svc-timestamp' | 'x-svc-nonce' | 'x-svc-signature', string>;

export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
export const freshNonce = (): string => base64url(randomBytes(16));

/** The seven lines of a request, line 7 as the test says, signed by the agent. */
export function signedLines(
  agent: TestAgent,
  request: { method: string; path: string; timestamp: string; nonce: string; line7: string },
): AuthHeaders {
  const { method, path, timestamp, nonce, line7 } = request;
  const text = ['svc-request-v1', method, path, '', timestamp, nonce, line7].join('\n');
  return {
    'x-svc-agent-id': agent.agentId,
    'x-svc-timestamp': timestamp,
    'x-svc-nonce': nonce,
    'x-svc-signature': base64url(agent.signing.sign(text)),
  };
}

/** The headers of a bodiless request, ready to be spoilt. */
export const headersOf = (agent: TestAgent, method: string, path: string, body = ''): AuthHeaders =>
  agent.headers(method, path, {}, Buffer.from(body)) as AuthHeaders;

/** S + L instead of S: the same signature to a verifier that does not check S < L. */
export function withLargeScalar(signature: string): string {
  const bytes = Buffer.from(signature, 'base64url');
  const order = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');
  let carry = 0;
  for (let i = 0; i < 32; i++) {
    const sum = bytes[32 + i]! + order[i]! + carry;
    bytes[32 + i] = sum & 0xff;
    carry = sum >> 8;
  }
  return base64url(bytes);
}

/** The same bytes with a trailing bit set that decoders ignore: not canonical. */
export function withTrailingBit(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1)!) ^ 1]!;
}
