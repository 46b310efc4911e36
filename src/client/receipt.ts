/** Proves that the key's holder issued these words, not the vendor's counters (docs/meter#what-a-receipt-proves). */

import { decodeBase64url } from '../platform/codec/text.ts';
import { importPublicKey, verifyStrict } from '../platform/crypto/ed25519.ts';
import { canonicalJson } from '../protocol/canonicalJson.ts';
import { RECEIPT_FORMAT } from '../protocol/formats.ts';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A meter receipt is forged, damaged or malformed. */
export class ReceiptError extends Error {
  override name = 'ReceiptError';
}

/** The signed part of a meter receipt. Further members are the vendor's counters and the circumstances of the run. */
export interface MeterReceipt {
  format: string;
  runId: string;
  agentId: string;
  day: string;
  status: string;
  independentVerification: boolean;
  [more: string]: unknown;
}

/** The result of `verifyReceipt`. */
export interface VerifiedReceipt {
  /** The signed receipt. */
  receipt: MeterReceipt;
  /** The key that signed, in base64url. */
  signingPublicKey: string;
  /** False if the key came with the receipt, so that the issuer is not proven. */
  keyIsTrusted: boolean;
}

/**
 * Verifies the signature of a meter receipt offline (docs/meter#what-a-receipt-proves).
 *
 * @param row - The response of `meter.run`.
 * @param trustedKey - The key to trust, in base64url. Without it, the key in the receipt is used.
 * @returns The receipt and its key.
 * @throws ReceiptError if the signature does not hold.
 */
export function verifyReceipt(row: unknown, trustedKey?: string): VerifiedReceipt {
  const { receipt, receiptSignature, receiptSigningPublicKey, runId, agentId, day } = members(row);
  const inner = members(receipt) as MeterReceipt;
  if (inner.format !== RECEIPT_FORMAT) throw new ReceiptError(`it is not a receipt of the format ${RECEIPT_FORMAT}`);
  if (typeof receiptSignature !== 'string' || typeof receiptSigningPublicKey !== 'string') {
    throw new ReceiptError('it is not signed');
  }
  if (trustedKey !== undefined && trustedKey !== receiptSigningPublicKey) {
    throw new ReceiptError('it is signed with another key than the trusted one');
  }
  if (!signatureHolds(inner, receiptSignature, receiptSigningPublicKey)) {
    throw new ReceiptError('its signature does not hold: it was changed, or never signed with this key');
  }
  if (inner.runId !== runId || inner.agentId !== agentId || inner.day !== day) {
    throw new ReceiptError('the members beside the receipt differ from the signed receipt');
  }
  return { receipt: inner, signingPublicKey: receiptSigningPublicKey, keyIsTrusted: trustedKey !== undefined };
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ReceiptError('it is not a receipt');
  }
  return value as Record<string, unknown>;
}

function signatureHolds(receipt: MeterReceipt, signature: string, publicKey: string): boolean {
  const keyBytes = decodeBase64url(publicKey, KEY_BYTES);
  const key = keyBytes && importPublicKey(keyBytes);
  const signatureBytes = decodeBase64url(signature, SIGNATURE_BYTES);
  return key !== null && signatureBytes !== null && verifyStrict(key, canonicalJson(receipt), signatureBytes);
}
