import { freezeText } from '../../formats/signing.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import type { Context, UnsignedEffect } from '../../kernel/operation.ts';
import { decodeCanonical } from '../../platform/codec/base64url.ts';
import { importPublicKey, verifyStrict } from '../../platform/crypto/ed25519.ts';
import type { Freeze, FreezeReceipt } from './schemas.ts';
import { FREEZE, keyStanding } from './store.ts';

/**
 * Freezes the key of an agent (docs/agents#freezing-a-key): whoever has the signature may, which the agent can make long
 * before it is needed. Again it does nothing more. Throws `not_found`, and `invalid_request` for a signature that does not hold.
 */
export async function freezeAgent(
  ctx: Context,
  { agentId, signature }: Freeze,
): Promise<UnsignedEffect<FreezeReceipt>> {
  const standing = await keyStanding(ctx.db, agentId);
  if (!standing) throw notFound('no such agent');
  const { signing_public_key: publicKey, frozen_at: frozenAt } = standing;
  const signedText = freezeText(agentId);
  const key = importPublicKey(decodeCanonical(publicKey)!)!;
  const bytes = decodeCanonical(signature, 64);
  if (!bytes || !verifyStrict(key, signedText, bytes)) throw invalid('signature');
  const change = { agentId, change: 'freeze', publicKey, signature, signedText };
  return {
    statement: FREEZE,
    values: [agentId, new Date(ctx.now), JSON.stringify(change)],
    facts: { agentId },
    free: frozenAt !== null,
    proof: { agentId, signedText, signature, publicKey },
    present: (answer) => ({
      agentId,
      frozenAt: (frozenAt ?? new Date(Number(answer!.frozenAtMs))).toISOString(),
    }),
  };
}
