import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { encodeBase64url, toTimestamp } from '../../platform/codec/text.ts';
import { privateKeyOf } from '../../platform/crypto/privateKey.ts';
import { canonicalJson } from '../../protocol/canonicalJson.ts';
import { RECEIPT_FORMAT } from '../../protocol/formats.ts';
import type { Receipt, Status } from './schemas.ts';

export type Progress = Pick<Receipt, 'estimatedTokens' | 'countRequest' | 'attempts'>;

export type Run = Pick<Receipt, 'runId' | 'agentId' | 'day' | 'task' | 'model' | 'fixtureHash' | 'tokenAllowance'>;

/** A receipt as it is stored: its canonical text, with a signature over that text if there is a key. */
export interface SealedReceipt {
  readonly text: string;
  readonly signature: string | null;
  readonly signingPublicKey: string | null;
  readonly mintedAt: Date;
}

/** Returns the key of METER_RECEIPT_SIGNING_KEY with its public half in base64url; null if none is configured. */
export function receiptSigner(seed: string | undefined): { key: KeyObject; publicKey: string } | null {
  if (seed === undefined) return null;
  const key = privateKeyOf('ed25519', Buffer.from(seed, 'base64url'));
  return { key, publicKey: createPublicKey(key).export({ format: 'jwk' }).x! };
}

/** Signs canonical JSON by Ed25519 (docs/meter#receipts); unsigned without a key (docs/meter#what-a-receipt-proves). */
export function sealReceipt(
  { runId, agentId, day, task, model, fixtureHash, tokenAllowance }: Run,
  progress: Progress,
  status: Status,
  mintedAtMs: number,
  seed: string | undefined,
): SealedReceipt {
  const signer = receiptSigner(seed);
  const receipt: Receipt = {
    format: RECEIPT_FORMAT,
    runId,
    agentId,
    day,
    task,
    model,
    fixtureHash,
    tokenAllowance,
    ...progress,
    status,
    independentVerification: signer !== null,
    mintedAt: toTimestamp(mintedAtMs),
  };
  const text = canonicalJson(receipt);
  return {
    text,
    signature: signer && encodeBase64url(sign(null, Buffer.from(text), signer.key)),
    signingPublicKey: signer?.publicKey ?? null,
    mintedAt: new Date(mintedAtMs),
  };
}
