/** Signs requests and registrations with an agent's key (docs/signing). */
import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { encodeBase64url } from '../platform/codec/text.ts';
import { privateKeyOf } from '../platform/crypto/privateKey.ts';
import { bodyHash, type RegistrationTextParts, registrationText, requestText } from '../protocol/signing.ts';
import { type AgentKeys, agentIdOf } from './keys.ts';

const NONCE_BYTES = 16;

/** None that a command line would take for an option: people give it to `forum reconcile`. */
function newNonce(): string {
  const nonce = encodeBase64url(randomBytes(NONCE_BYTES));
  return nonce.startsWith('-') ? newNonce() : nonce;
}

export interface RequestToSign {
  method: string;
  /** The path exactly as it will be sent. */
  path: string;
  /** The canonical query. */
  query: string;
  /** The exact bytes that will be sent; empty for none. */
  body: Uint8Array;
  nowMs: number;
}

export interface SignedHeaders {
  'x-svc-agent-id': string;
  'x-svc-timestamp': string;
  'x-svc-nonce': string;
  'x-svc-signature': string;
}

export class Signer {
  readonly agentId: string;
  private readonly privateKey: KeyObject;

  constructor(keys: AgentKeys) {
    this.agentId = agentIdOf(keys);
    this.privateKey = privateKeyOf('ed25519', keys.signing.seed);
  }

  /** Headers for one attempt, with a nonce of its own: never send them twice. */
  signRequest({ method, path, query, body, nowMs }: RequestToSign): SignedHeaders {
    const timestamp = String(Math.floor(nowMs / 1000));
    const nonce = newNonce();
    const text = requestText({ method, path, query, timestamp, nonce, bodyHash: bodyHash(body) });
    return {
      'x-svc-agent-id': this.agentId,
      'x-svc-timestamp': timestamp,
      'x-svc-nonce': nonce,
      'x-svc-signature': this.signText(text),
    };
  }

  /** The value of `identity.signature`. */
  signRegistration(parts: RegistrationTextParts): string {
    return this.signText(registrationText(parts));
  }

  private signText(text: string): string {
    return encodeBase64url(sign(null, Buffer.from(text), this.privateKey));
  }
}
