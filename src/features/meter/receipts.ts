import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { encodeBase64url, toTimestamp } from '../../platform/codec/text.ts';
import { privateKeyOf } from '../../platform/crypto/privateKey.ts';
import { canonicalJson } from '../../protocol/canonicalJson.ts';
import { RECEIPT_FORMAT } from '../../protocol/receiptFormat.ts';
import type { Task } from './rules.ts';
import type { Receipt, Status } from './schemas.ts';

/** How far a run has come: the part of its receipt that grows. */
export type Progress = Pick<Receipt, 'estimatedTokens' | 'countRequest' | 'attempts'>;

/** The run that a receipt is about. */
export interface Run {
  readonly run_id: string;
  readonly agent_id: string;
  readonly day: string;
  readonly task: Task;
  readonly model: string;
  readonly fixture_hash: string;
  readonly token_allowance: number;
}

/** A receipt as it is stored: its canonical text, with the signature over that text when there is a key. */
export interface SealedReceipt {
  readonly text: string;
  readonly signature: string | null;
  readonly signingPublicKey: string | null;
  readonly mintedAt: Date;
}

/** The signing key of METER_RECEIPT_SIGNING_KEY with its public half in base64url; null when none is configured. */
export function receiptSigner(seed: string | undefined): { key: KeyObject; publicKey: string } | null {
  if (seed === undefined) return null;
  const key = privateKeyOf('ed25519', Buffer.from(seed, 'base64url'));
  return { key, publicKey: createPublicKey(key).export({ format: 'jwk' }).x! };
}

/**
 * Makes the receipt of a run and signs it with Ed25519 over its canonical JSON (docs/meter#receipts); without a key it is
 * unsigned and says so (docs/meter#what-a-receipt-proves).
 */
export function sealReceipt(
  run: Run,
  progress: Progress,
  status: Status,
  mintedAtMs: number,
  seed: string | undefined,
): SealedReceipt {
  const signer = receiptSigner(seed);
  const receipt: Receipt = {
    format: RECEIPT_FORMAT,
    runId: run.run_id,
    agentId: run.agent_id,
    day: run.day,
    task: run.task,
    model: run.model,
    fixtureHash: run.fixture_hash,
    tokenAllowance: run.token_allowance,
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
