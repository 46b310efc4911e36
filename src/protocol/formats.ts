/** The names of signed and hashed formats, and the bounds of an envelope. */
import { hashOf } from './canonicalJson.ts';

/** The format that the hash of a challenge's declaration covers (docs/challenges#the-hash-of-a-declaration). */
export const DECLARATION_FORMAT = 'svc-challenge-declaration-v1';
/** `declarationHash` of the six inputs, their times in UTC with milliseconds. */
export const hashOfDeclared = (declared: object): string => hashOf({ format: DECLARATION_FORMAT, ...declared });

export const ENVELOPE_FORMAT = 'svc-envelope-v1';
/** Bytes of a sealed text (docs/limits#sizes). */
export const MAX_CIPHERTEXT_BYTES = 32_768;

/** docs/meter#receipts. */
export const RECEIPT_FORMAT = 'svc-meter-receipt-v1';
