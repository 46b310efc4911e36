import { unauthorized } from '../operation/errors.ts';
import type { Caller, Operation } from '../operation/operation.ts';
import { decodeBase64url } from '../platform/codec/text.ts';
import { dummyVerify, type PublicKey, verifyStrict } from '../platform/crypto/ed25519.ts';
import { IDENTIFIER_PATTERNS } from '../protocol/ids.ts';
import { bodyHash, EMPTY_BODY_HASH, requestText } from '../protocol/signing.ts';
import { CLOCK_TOLERANCE_SECONDS } from './admissionStore.ts';
import type { Run, SignedRequest } from './run.ts';

/** All of them sign a request; one that came says that somebody meant to. */
export const AUTH_HEADERS = ['x-svc-agent-id', 'x-svc-timestamp', 'x-svc-nonce', 'x-svc-signature'] as const;

/** The form of a timestamp (docs/signing#what-is-strict). */
const TIMESTAMP = /^[1-9][0-9]{9}$/;
const SIGNATURE_BYTES = 64;

/** The four headers as they came; a header that was sent twice has both values, and so not its form. */
export interface SignatureHeaders {
  readonly agentId: string | undefined;
  readonly timestamp: string | undefined;
  readonly nonce: string | undefined;
  readonly signature: string | undefined;
}

/** What a face hands over of a request: the exact bytes that were signed, and the four headers. */
export interface Credentials extends SignatureHeaders {
  readonly method: string;
  /** The path exactly as transmitted. */
  readonly path: string;
  /** Canonical query (docs/signing). */
  readonly query: string;
  readonly body: Buffer;
}

/** The registered agent behind an id, with its key at the time that it was looked up. */
export interface KnownAgent {
  readonly caller: Caller;
  readonly key: PublicKey;
  /** The same, base64url. */
  readonly publicKey: string;
  /** Which of its keys that is, from 0. */
  readonly keyEpoch: number;
}

/** What goes before any other refusal of a write. */
export interface RefusalFacts {
  /** The agent's current key; null for the first one. */
  readonly laterKey: string | null;
  /** Or frozen. */
  readonly suspended: boolean;
  readonly replayed: boolean;
}

/** Where agents are looked up; `refusalFacts` are asked only when a request is refused. */
export interface AgentDirectory {
  /** Null: there is none. Whether it was remembered, and so took less time than to look it up. */
  find(agentId: string): Promise<{ readonly agent: KnownAgent | null; readonly isRemembered: boolean }>;
  /** The same as it is now, whatever is remembered. */
  findAgain(agentId: string): Promise<KnownAgent | null>;
  /** Whether a key that was found is still the agent's. Writes are told so by the database. */
  isCurrent(agent: { readonly agentId: string; readonly publicKey: string }): Promise<boolean>;
  refusalFacts(agentId: string, nonce: string): Promise<RefusalFacts>;
}

export type Authentication =
  /** No authentication header was sent. */
  | { readonly kind: 'anonymous' }
  /** Something was sent and does not verify; why is for the log and never said. */
  | { readonly kind: 'declined'; readonly why: string }
  | ({ readonly kind: 'signed' } & SignedRequest);

/**
 * Who asks, as far as the operation wants to know (docs/signing#when-it-answers-401). For reads the nonce is spent as well;
 * writes spend theirs together with their counter. Throws `unauthorized`; where a signature is optional, one that fails makes an
 * anonymous caller, who is told so.
 */
export async function verifySignature(run: Run, { auth, kind }: Operation): Promise<SignedRequest | null> {
  const { credentials } = run.request;
  if (auth === 'public' || auth === 'registration-proof') return null;
  const result = await authenticate(credentials, run.now, run.kernel.directory);
  if (result.kind === 'signed') {
    if (kind !== 'read') return result;
    const { caller, publicKey } = result;
    const current = run.kernel.directory.isCurrent({ agentId: caller.agentId, publicKey });
    // Without Redis, reads are served without the nonce check (docs/operations#what-can-be-lost).
    const spent = run.kernel.gate.spendNonce(caller.agentId, result.nonce, run.request.requestId).catch(() => true);
    const [isFresh, isCurrent] = await Promise.all([spent, current]);
    if (isFresh && isCurrent) return result;
  }
  if (auth !== 'optional-signature') {
    throw unauthorized(
      result.kind === 'anonymous'
        ? 'not signed'
        : result.kind === 'declined'
          ? result.why
          : 'replayed, or signed with a key that was replaced',
    );
  }
  if (result.kind !== 'anonymous') run.headers['x-svc-auth'] = 'declined';
  return null;
}

const ANONYMOUS: Authentication = { kind: 'anonymous' };
const declined = (why: string): Authentication => ({ kind: 'declined', why });

const isSigned = ({ agentId, timestamp, nonce, signature }: SignatureHeaders): boolean =>
  (agentId ?? timestamp ?? nonce ?? signature) !== undefined;

/**
 * Why a signed operation refuses these headers before it reads the body (docs/errors#order-of-refusals), for the log;
 * undefined when the signature has to be verified.
 */
export function headerFault(headers: SignatureHeaders, nowMs: number): string | undefined {
  if (!isSigned(headers)) return 'not signed';
  const read = readHeaders(headers, nowMs);
  return typeof read === 'string' ? read : undefined;
}

/** The four headers when each has its form and the time is inside the window, else what is wrong with them. */
function readHeaders({ agentId, timestamp, nonce, signature }: SignatureHeaders, nowMs: number) {
  if (!agentId || !timestamp || !nonce || !signature) return 'a header is missing';
  if (!IDENTIFIER_PATTERNS.agentId.test(agentId) || !TIMESTAMP.test(timestamp)) return 'not the form of a header';
  if (!IDENTIFIER_PATTERNS.nonce.test(nonce)) return 'not the form of a nonce';
  const signatureBytes = decodeBase64url(signature, SIGNATURE_BYTES);
  if (!signatureBytes) return 'not the form of a signature';
  const apart = Math.abs(Math.floor(nowMs / 1_000) - Number(timestamp));
  if (apart > CLOCK_TOLERANCE_SECONDS) return 'signed too long ago or ahead';
  return { agentId, timestamp, nonce, signature, signatureBytes };
}

/**
 * Verifies a request's signature: header forms, clock, then Ed25519 over the seven lines (docs/signing).
 * The nonce is not spent here. An unknown agent costs a verification too, and a bad signature of a remembered one a
 * look-up, which finds a key that has come meanwhile, so that time does not tell who exists.
 */
export async function authenticate(
  credentials: Credentials,
  nowMs: number,
  directory: AgentDirectory,
): Promise<Authentication> {
  if (!isSigned(credentials)) return ANONYMOUS;
  const headers = readHeaders(credentials, nowMs);
  if (typeof headers === 'string') return declined(headers);
  const { agentId, timestamp, nonce, signature, signatureBytes } = headers;

  const { agent, isRemembered } = await directory.find(agentId);
  const texts = textsToVerify(credentials, timestamp, nonce);
  if (!agent) {
    for (const text of texts) dummyVerify(text, signatureBytes);
    return declined('no such agent');
  }
  const verifiedBy = ({ key }: KnownAgent) => texts.find((text) => verifyStrict(key, text, signatureBytes));
  const verified = (by: KnownAgent, signedText: string): Authentication => {
    const { caller, publicKey, keyEpoch } = by;
    const signedAtMs = Number(timestamp) * 1_000;
    return { kind: 'signed', caller, nonce, signedAtMs, signedText, signature, publicKey, keyEpoch };
  };
  const signedText = verifiedBy(agent);
  if (signedText !== undefined) return verified(agent, signedText);
  const renewed = isRemembered ? await directory.findAgain(agentId) : null;
  const renewedText = renewed && renewed.publicKey !== agent.publicKey ? verifiedBy(renewed) : undefined;
  return renewedText === undefined ? declined('not the signature of this request') : verified(renewed!, renewedText);
}

/**
 * One text, or two for an empty body: line 7 may be the hash of zero bytes or an empty line
 * (docs/signing#what-is-strict).
 */
function textsToVerify({ method, path, query, body }: Credentials, timestamp: string, nonce: string): string[] {
  const hashes = body.length === 0 ? [EMPTY_BODY_HASH, ''] : [bodyHash(body)];
  return hashes.map((hash) => requestText({ method, path, query, timestamp, nonce, bodyHash: hash }));
}
