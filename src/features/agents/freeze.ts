import { invalid, notFound } from '../../operation/errors.ts';
import type { Context, UnsignedEffect } from '../../operation/operation.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey, verifyStrict } from '../../platform/crypto/ed25519.ts';
import { freezeText } from '../../protocol/signing.ts';
import { FREEZE, keyStanding } from './keyStore.ts';
import type { Freeze, FreezeReceipt } from './schemas.ts';

/**
 * Freezes the current key of an agent (docs/agents#freezing-a-key): whoever has its signature may, which the agent can make
 * long before it is needed. Again it does nothing more. Throws `not_found`, and `invalid_request` for a signature that does not hold.
 */
export async function freezeAgent(
  ctx: Context,
  { agentId, signature }: Freeze,
): Promise<UnsignedEffect<FreezeReceipt>> {
  const standing = await keyStanding(ctx.db, agentId);
  if (!standing) throw notFound('no such agent');
  const { public_key: publicKey, key_epoch: keyEpoch, frozen_at: frozenAt } = standing;
  const signedText = freezeText(agentId);
  const key = importPublicKey(decodeBase64url(publicKey)!)!;
  const bytes = decodeBase64url(signature, 64);
  if (!bytes || !verifyStrict(key, signedText, bytes)) throw invalid('signature');
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
