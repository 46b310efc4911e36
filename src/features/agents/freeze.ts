import { notFound } from '../../operation/errors.ts';
import type { Context, UnsignedEffect } from '../../operation/operation.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey } from '../../platform/crypto/ed25519.ts';
import { freezeText } from '../../protocol/signing.ts';
import { FREEZE, keyState } from './keyStore.ts';
import { requireSignature } from './rotate.ts';
import type { Freeze, FreezeReceipt } from './schemas.ts';

/**
 * Freezes the current key of an agent (docs/agents#freezing-a-key). The agent can sign the request long before it is needed,
 * and anybody may send it. Sending it again changes nothing. Throws `not_found`, and `invalid_request` for a wrong signature.
 */
export async function freezeAgent(
  ctx: Context,
  { agentId, signature }: Freeze,
): Promise<UnsignedEffect<FreezeReceipt>> {
  const state = await keyState(ctx.db, agentId);
  if (!state) throw notFound('no such agent');
  const { public_key: publicKey, key_epoch: keyEpoch, frozen_at: frozenAt } = state;
  const signedText = freezeText(agentId);
  requireSignature(importPublicKey(decodeBase64url(publicKey)!)!, signedText, signature, 'signature');
  const change = { agentId, change: 'freeze', publicKey, signature, signedText };
  return {
    change: FREEZE({ agent_id: agentId, at: new Date(ctx.now), epoch: keyEpoch, change: JSON.stringify(change) }),
    facts: { agentId },
    free: frozenAt !== null,
    proof: { agentId, signedText, signature, publicKey, keyEpoch },
    present: (answer) => ({
      agentId,
      frozenAt: (frozenAt ?? new Date(Number(answer!.frozenAtMs))).toISOString(),
    }),
  };
}
