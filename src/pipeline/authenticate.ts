import { unauthorized } from '../operation/errors.ts';
import type { Caller, Operation, Proof } from '../operation/operation.ts';
import { decodeBase64url } from '../platform/codec/text.ts';
import { dummyVerify, type PublicKey, verifyStrict } from '../platform/crypto/ed25519.ts';
import { IDENTIFIER_PATTERNS } from '../protocol/ids.ts';
import { bodyHash, EMPTY_BODY_HASH, requestText } from '../protocol/signing.ts';
import { CLOCK_TOLERANCE_SECONDS } from './admission.ts';
import type { Run } from './run.ts';

export const AUTH_HEADERS = ['x-svc-agent-id', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-signature'] as const;

/** The form of a timestamp (docs/signing#what-is-strict). */
const TIMESTAMP = /^[1-9][0-9]{9}$/;
const SIGNATURE_BYTES = 64;

/** The four headers as they came. A header that was sent twice has both values, so it is malformed. */
export type SignatureHeaders = Readonly<Record<'agentId' | 'timestamp' | 'nonce' | 'signature', string | undefined>>;

export interface Credentials extends SignatureHeaders {
  readonly method: string;
  /** The path exactly as transmitted. */
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
}

/** A registered agent, with its key at the time that it was looked up. */
export interface KnownAgent extends Pick<Proof, 'publicKey' | 'keyEpoch'> {
  readonly caller: Caller;
  readonly registeredAtMs: number;
  readonly key: PublicKey;
}

/** What takes precedence over any other refusal of a write. */
export interface RefusalFacts {
  /** The agent's current key; null for the first one. */
  readonly laterKey: string | null;
  /** Suspended, or its key is frozen. */
  readonly suspended: boolean;
  readonly replayed: boolean;
}

/** Looks up agents. `refusalFacts` are read only when a request is refused. */
export interface AgentDirectory {
  /** `agent` is null if there is none. `isRemembered`: it came from memory, in less time than a lookup takes. */
  find(agentId: string): Promise<{ readonly agent: KnownAgent | null; readonly isRemembered: boolean }>;
  findAgain(agentId: string): Promise<KnownAgent | null>;
  /** Whether a key that was found is still the agent's. For writes the database checks this. */
  isCurrent(agent: { readonly agentId: string; readonly publicKey: string }): Promise<boolean>;
  refusalFacts(agentId: string, nonce: string): Promise<RefusalFacts>;
}

export interface SignedRequest extends Proof {
  readonly caller: Caller;
  readonly registeredAtMs: number;
  readonly nonce: string;
  readonly signedAtMs: number;
}

export type Authentication =
  /** No authentication header was sent. */
  | { readonly kind: 'anonymous' }
  /** The signature is not valid. The reason is for the log only. */
  | { readonly kind: 'declined'; readonly why: string }
  | ({ readonly kind: 'signed' } & SignedRequest);

/** Returns the signer and spends the nonce of a read; admission spends a write's (docs/signing#when-it-answers-401). */
export async function verifySignature({ services, request, headers, now }: Run, { auth, kind }: Operation) {
  if (auth === 'public' || auth === 'registration-proof') return null;
  const result = await authenticate(request.credentials, now, services.directory);
  if (result.kind === 'signed') {
    if (kind !== 'read') return result;
    const { agentId } = result.caller;
    // Without Redis, reads are served without the nonce check (docs/operations#what-can-be-lost).
    const spent = services.admission.spendNonce(agentId, result.nonce, request.requestId).catch(() => true);
    const current = services.directory.isCurrent({ agentId, publicKey: result.publicKey });
    const [isFresh, isCurrent] = await Promise.all([spent, current]);
    if (isFresh && isCurrent) return result;
  }
  if (auth !== 'optional-signature') {
    if (result.kind === 'signed') throw unauthorized('nonce used before, or key replaced');
    throw unauthorized(result.kind === 'declined' ? result.why : 'not signed');
  }
  if (result.kind !== 'anonymous') headers['x-svc-auth'] = 'declined';
  return null;
}

/** Why signature headers are refused before the body is read, for the log (docs/errors#order-of-refusals). */
export function headerFault(headers: SignatureHeaders, nowMs: number): string | undefined {
  const { agentId, timestamp, nonce, signature } = headers;
  if ((agentId ?? timestamp ?? nonce ?? signature) === undefined) return 'not signed';
  if (!agentId || !timestamp || !nonce || !signature) return 'a header is missing';
  if (!IDENTIFIER_PATTERNS.agentId.test(agentId) || !TIMESTAMP.test(timestamp)) return 'malformed header';
  if (!IDENTIFIER_PATTERNS.nonce.test(nonce)) return 'malformed nonce';
  if (!decodeBase64url(signature, SIGNATURE_BYTES)) return 'malformed signature';
  const apart = Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp));
  return apart > CLOCK_TOLERANCE_SECONDS ? 'timestamp outside the clock tolerance' : undefined;
}

/**
 * Verifies headers, clock and signature (docs/signing). Time does not reveal which agents exist: unknown agents are
 * verified too, and an invalid signature of a remembered agent leads to a lookup, which finds a changed key.
 */
export async function authenticate(
  credentials: Credentials,
  nowMs: number,
  directory: AgentDirectory,
): Promise<Authentication> {
  const { method, path, query, body, agentId, timestamp, nonce, signature } = credentials;
  const fault = headerFault(credentials, nowMs);
  if (fault === 'not signed') return { kind: 'anonymous' };
  if (fault !== undefined) return { kind: 'declined', why: fault };
  const signatureBytes = decodeBase64url(signature!, SIGNATURE_BYTES)!;
  // For an empty body, line 7 may be the hash of zero bytes or an empty line (docs/signing#what-is-strict).
  const hashes = body.length === 0 ? [EMPTY_BODY_HASH, ''] : [bodyHash(body)];
  const texts = hashes.map((hash) =>
    requestText({ method, path, query, timestamp: timestamp!, nonce: nonce!, bodyHash: hash }),
  );
  const { agent, isRemembered } = await directory.find(agentId!);
  if (!agent) {
    for (const text of texts) dummyVerify(text, signatureBytes);
    return { kind: 'declined', why: 'no such agent' };
  }
  for (let signer: KnownAgent | null = agent; signer; ) {
    const { key, caller, registeredAtMs, publicKey, keyEpoch } = signer;
    for (const signedText of texts) {
      if (!verifyStrict(key, signedText, signatureBytes)) continue;
      const proof = { signedText, signature: signature!, publicKey, keyEpoch };
      const signedAtMs = Number(timestamp) * 1_000;
      return { kind: 'signed', caller, registeredAtMs, nonce: nonce!, signedAtMs, ...proof };
    }
    const renewed: KnownAgent | null = signer === agent && isRemembered ? await directory.findAgain(agentId!) : null;
    signer = renewed && renewed.publicKey !== agent.publicKey ? renewed : null;
  }
  return { kind: 'declined', why: 'signature does not match the request' };
}
