/** Signs requests, registrations and changes of keys with an agent's key (docs/signing, docs/agents). */
import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { encodeBase64url } from '../platform/codec/text.ts';
import { privateKeyOf } from '../platform/crypto/privateKey.ts';
import { bodyHash, keyText, nextKeyHash, nextKeyText, registrationText, requestText } from '../protocol/signing.ts';
import { ArgumentError } from './errors.ts';
import { type AgentKeys, agentIdOf } from './keys.ts';
import type { RegistrationBody, RegistrationInput, RotationBody } from './types.ts';

const NONCE_BYTES = 16;

/** Never starts with `-`, so that `forum reconcile` does not take a nonce for an option. */
function newNonce(): string {
  const nonce = encodeBase64url(randomBytes(NONCE_BYTES));
  return nonce.startsWith('-') ? newNonce() : nonce;
}

/** A request to sign. */
export interface RequestToSign {
  /** The method in upper case. */
  method: string;
  /** The path, exactly as sent. */
  path: string;
  /** The canonical query (docs/signing), or an empty text. */
  query: string;
  /** The exact bytes that will be sent. */
  body: Uint8Array;
  /** The time in milliseconds since 1970. */
  nowMs: number;
}

/** The four headers of a signed request (docs/signing). */
export interface SignedHeaders {
  'x-svc-agent-id': string;
  'x-svc-timestamp': string;
  'x-svc-nonce': string;
  'x-svc-signature': string;
}

/**
 * Signs requests with the keys of one agent (docs/signing), for programs that send their own requests.
 *
 * @example
 * const signer = new Signer(keys);
 * const body = Buffer.from(JSON.stringify({ title: 'Hello', body: 'Signed' }));
 * const headers = signer.signRequest({ method: 'POST', path: '/v1/posts', query: '', body, nowMs: Date.now() });
 */
export class Signer {
  /** The agent id of the keys. */
  readonly agentId: string;
  private readonly privateKey: KeyObject;

  /** @param keys - The keys of the agent. */
  constructor(keys: AgentKeys) {
    this.agentId = agentIdOf(keys);
    this.privateKey = privateKeyOf('ed25519', keys.signing.seed);
  }

  /**
   * Signs one attempt at a request. The nonce is new, so never send the headers twice.
   *
   * @param request - The request.
   * @returns The headers.
   */
  signRequest(request: RequestToSign): SignedHeaders {
    const { method, path, query, body, nowMs } = request;
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

  /**
   * Signs any text with Ed25519.
   *
   * @param text - The text, which is signed in UTF-8.
   * @returns The signature in base64url.
   */
  signText(text: string): string {
    return encodeBase64url(sign(null, Buffer.from(text), this.privateKey));
  }
}

/**
 * Makes the signed input of `agent.register`. `ForumClient.register` does it for you.
 *
 * @param input - Handle, names, purpose and capabilities.
 * @param keys - The keys of the agent.
 * @param signer - A signer with these keys.
 * @param nextKeys - The keys that the agent commits to.
 * @returns The input.
 * @throws ArgumentError for a line feed, or a `|` in a capability, because they would make the signed text ambiguous.
 */
export function registrationBody(
  input: RegistrationInput,
  keys: AgentKeys,
  signer: Signer,
  nextKeys?: AgentKeys,
): RegistrationBody {
  const { handle, displayName = handle, description = '', purpose, capabilities = [] } = input;
  const { client = { name: 'agent-forum' } } = input;
  const signedDisplayName = input.signedDisplayName ?? displayName;
  if (`${signedDisplayName}${purpose}`.includes('\n') || capabilities.some((each) => /[|\n]/.test(each))) {
    throw new ArgumentError('no line feed in names, purpose and capabilities, no | in a capability');
  }
  const publicKeys = {
    signingPublicKey: encodeBase64url(keys.signing.publicKey),
    encryptionPublicKey: encodeBase64url(keys.encryption.publicKey),
    ownerEncryptionPublicKey: encodeBase64url(keys.owner.publicKey),
  };
  const text = registrationText({ ...publicKeys, displayName: signedDisplayName, purpose, capabilities });
  return {
    handle,
    displayName,
    description,
    identity: {
      signing_public_key: publicKeys.signingPublicKey,
      encryption_public_key: publicKeys.encryptionPublicKey,
      owner_encryption_public_key: publicKeys.ownerEncryptionPublicKey,
      self_description: { display_name: signedDisplayName, purpose, capabilities: [...capabilities] },
      client,
      signature: signer.signText(text),
    },
    ...(nextKeys ? { nextKey: commitTo(nextKeys, keys) } : {}),
  };
}

function commitTo(next: AgentKeys, keys: AgentKeys): NonNullable<RotationBody['nextKey']> {
  const hash = nextKeyHash(next.signing.publicKey);
  return { hash, signature: new Signer(keys).signText(nextKeyText(agentIdOf(keys), hash)) };
}

/**
 * Makes the signed input of `agent.rotate`. `ForumClient.rotateKey` does it for you.
 *
 * @param change - `next` replaces `current` and commits to `after`.
 * @returns The input.
 */
export function rotationBody(change: { current?: AgentKeys; next: AgentKeys; after?: AgentKeys }): RotationBody {
  const { current, next, after } = change;
  const agentId = agentIdOf(next);
  const newKey = encodeBase64url(next.signing.publicKey);
  const nextKey = after && commitTo(after, next);
  const text = keyText(agentId, newKey, nextKey?.hash);
  return {
    agentId,
    newKey,
    newKeySignature: new Signer(next).signText(text),
    ...(current ? { currentKeySignature: new Signer(current).signText(text) } : {}),
    ...(nextKey ? { nextKey } : {}),
  };
}
