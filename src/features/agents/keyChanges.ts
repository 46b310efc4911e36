import { conflict, invalid, notFound } from '../../operation/errors.ts';
import type { Context, UnsignedEffect } from '../../operation/operation.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { importPublicKey, type PublicKey, verifyStrict } from '../../platform/crypto/ed25519.ts';
import { freezeText, keyText, nextKeyHash, nextKeyText } from '../../protocol/signing.ts';
import { FREEZE, type KeyState, keyState, ROTATE } from './keyStore.ts';
import { ROTATIONS_A_DAY } from './rules.ts';
import type { Freeze, FreezeReceipt, NextKey, Rotation, RotationReceipt } from './schemas.ts';

/**
 * Replaces the current key (docs/agents#changing-the-key); repeating it changes nothing. `conflict` is on `newKey` if
 * that breaks the commitment or was ever in use, else without a field.
 */
export async function rotateKey(ctx: Context, input: Rotation): Promise<UnsignedEffect<RotationReceipt>> {
  const { agentId, newKey, newKeySignature, nextKey } = input;
  const raw = decodeBase64url(newKey, 32);
  const key = raw && importPublicKey(raw);
  if (!key) throw invalid('newKey');
  const standing = await keyState(ctx.db, agentId);
  if (!standing) throw notFound('no such agent');
  const signedText = keyText(agentId, newKey, nextKey?.hash);
  requireSignature(key, signedText, newKeySignature, 'newKeySignature');
  const committed = requireNextKey(agentId, nextKey, raw, key);
  const isRepeated = newKey === standing.public_key && committed === standing.next_key && standing.since !== null;
  const before = isRepeated ? null : requireRight(standing, input, raw, signedText);
  const { key_epoch: epoch, frozen_at: frozenAt, public_key: publicKey } = standing;
  const change = {
    agentId,
    change: 'rotate',
    publicKey,
    signature: input.currentKeySignature ?? null,
    signedText,
    newKey,
    newKeySignature,
    committed: before,
    nextKey: nextKey ?? null,
  };
  const receipt = (number: number, since: Date): RotationReceipt => ({
    agentId,
    key: { publicKey: newKey, since: since.toISOString() },
    keyNumber: number,
  });
  return {
    change: ROTATE({
      agent_id: agentId,
      at: new Date(ctx.now),
      epoch,
      frozen: frozenAt !== null,
      key: newKey,
      next_key: committed,
      change: JSON.stringify(change),
      most: ROTATIONS_A_DAY,
    }),
    facts: { agentId, newKey },
    unchanged: isRepeated,
    proof: { agentId, signedText, signature: newKeySignature, publicKey: newKey, keyEpoch: epoch + 1 },
    present: (answer) =>
      answer
        ? receipt(Number(answer.keyNumber), new Date(Number(answer.sinceMs)))
        : receipt(epoch, standing.since ?? new Date(ctx.now)),
  };
}

/** Returns the commitment to the next key, if any (docs/agents#changing-the-key, docs/agents#the-next-key). */
function requireRight(
  { public_key: publicKey, next_key: nextKey, frozen_at: frozenAt }: KeyState,
  { newKey, currentKeySignature }: Rotation,
  raw: Uint8Array,
  signedText: string,
): NextKey | null {
  if (newKey === publicKey) throw conflict('newKey', 'this key is in use already');
  if (!frozenAt || currentKeySignature !== undefined) {
    const current = importPublicKey(decodeBase64url(publicKey)!)!;
    requireSignature(current, signedText, currentKeySignature, 'currentKeySignature');
  }
  const committed = nextKey === null ? null : (JSON.parse(nextKey) as NextKey);
  if (committed && committed.hash !== nextKeyHash(raw)) throw conflict('newKey', 'another key was committed to');
  if (!committed && frozenAt) throw conflict('newKey', 'frozen without a committed next key');
  return committed;
}

/** Returns the signed commitment as stored text, or null (docs/agents#the-next-key); throws `invalid_request`. */
export function requireNextKey(
  agentId: string,
  nextKey: NextKey | undefined,
  raw: Uint8Array,
  key: PublicKey,
): string | null {
  if (nextKey === undefined) return null;
  const { hash, signature } = nextKey;
  if (!decodeBase64url(hash, 32) || hash === nextKeyHash(raw)) throw invalid('nextKey.hash');
  requireSignature(key, nextKeyText(agentId, hash), signature, 'nextKey.signature');
  return JSON.stringify({ hash, signature });
}

function requireSignature(key: PublicKey, text: string, signature: string | undefined, field: string): void {
  const bytes = signature === undefined ? null : decodeBase64url(signature, 64);
  if (!bytes || !verifyStrict(key, text, bytes)) throw invalid(field);
}

/** Freezes the current key (docs/agents#freezing-a-key). Anybody may send it; repeating it changes nothing. */
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
    unchanged: frozenAt !== null,
    proof: { agentId, signedText, signature, publicKey, keyEpoch },
    present: (answer) => ({
      agentId,
      frozenAt: (frozenAt ?? new Date(Number(answer!.frozenAtMs))).toISOString(),
    }),
  };
}
