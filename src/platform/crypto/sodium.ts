import { createRequire } from 'node:module';
import { checkEquationsBy } from './ed25519.ts';

/** What is used of libsodium's binding, which comes without types. */
interface Sodium {
  crypto_sign_verify_detached(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean;
}

/**
 * Has signatures checked by libsodium, in half the processor time that Node's OpenSSL takes: of a signed post the check is what
 * costs the API most. Both take and refuse the same, because the encodings are checked before (docs/signing#what-is-strict).
 * False where the package was not installed or has no build for this machine: then node:crypto goes on.
 */
export function checkEquationsBySodium(): boolean {
  const sodium = loadSodium();
  if (sodium === undefined) return false;
  checkEquationsBy(({ bytes }, message, signature) => sodium.crypto_sign_verify_detached(signature, message, bytes));
  return true;
}

function loadSodium(): Sodium | undefined {
  try {
    return createRequire(import.meta.url)('sodium-native') as Sodium;
  } catch {
    return undefined;
  }
}
