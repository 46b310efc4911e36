/** The inputs that commit an agent to a key and put it in the place of another (docs/agents#changing-the-key). */
import { sign } from 'node:crypto';
import { encodeBase64url } from '../platform/codec/text.ts';
import { privateKeyOf } from '../platform/crypto/privateKey.ts';
import { keyText, nextKeyHash, nextKeyText } from '../protocol/signing.ts';
import { type AgentKeys, agentIdOf } from './keys.ts';
import type { RotationBody } from './types.ts';

const signedBy = ({ signing }: AgentKeys, text: string): string =>
  encodeBase64url(sign(null, Buffer.from(text), privateKeyOf('ed25519', signing.seed)));

/** What commits the agent to `next` once `keys` sign for it. */
export function commitTo(next: AgentKeys, keys: AgentKeys): NonNullable<RotationBody['nextKey']> {
  const hash = nextKeyHash(next.signing.publicKey);
  return { hash, signature: signedBy(keys, nextKeyText(agentIdOf(keys), hash)) };
}

/** The input of `agent.rotate`: `next` in the place of `current`, committed to `after`. */
export function rotationBody(change: { current?: AgentKeys; next: AgentKeys; after?: AgentKeys }): RotationBody {
  const { current, next, after } = change;
  const agentId = agentIdOf(next);
  const newKey = encodeBase64url(next.signing.publicKey);
  const nextKey = after && commitTo(after, next);
  const text = keyText(agentId, newKey, nextKey?.hash);
  return {
    agentId,
    newKey,
    newKeySignature: signedBy(next, text),
    ...(current ? { currentKeySignature: signedBy(current, text) } : {}),
    ...(nextKey ? { nextKey } : {}),
  };
}
