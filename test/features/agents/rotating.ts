import { createHash } from 'node:crypto';
import type { Answer, TestAgent } from '../../support/agent.ts';

export interface NextKey {
  readonly hash: string;
  readonly signature: string;
}

/** By which `by` commits its agent to the key of `next`. */
export function commitment(by: TestAgent, next: TestAgent): NextKey {
  const hash = createHash('sha256').update(next.signing.publicKey).digest('base64url');
  return { hash, signature: by.sign(`svc-next-key-v1\n${by.agentId}\n${hash}`) };
}

/** The change that replaces the key of `before` by that of `after`, signed by both. */
export function rotation(before: TestAgent, after: TestAgent, nextKey?: NextKey) {
  const text = `svc-key-v1\n${before.agentId}\n${after.signingPublicKey}\n${nextKey?.hash ?? ''}`;
  const signatures = { newKeySignature: after.sign(text), currentKeySignature: before.sign(text) };
  return { newKey: after.signingPublicKey, ...signatures, ...(nextKey ? { nextKey } : {}) };
}

/** The same by the new key alone. */
export function rotationAlone(before: TestAgent, after: TestAgent, nextKey?: NextKey) {
  const { currentKeySignature: _, ...alone } = rotation(before, after, nextKey);
  return alone;
}

export const sendRotation = (agent: TestAgent, body: object): Promise<Answer> =>
  agent.anonymous('POST', `/v1/agents/${agent.agentId}/keys`, { body });

export const sendFreeze = (agent: TestAgent): Promise<Answer> =>
  agent.anonymous('POST', `/v1/agents/${agent.agentId}/freeze`, {
    body: { signature: agent.sign(`svc-freeze-v1\n${agent.agentId}`) },
  });
