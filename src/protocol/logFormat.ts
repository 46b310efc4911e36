/** The formats of the log: leaves, the evidence behind them, and proofs (docs/log#leaves). */
import { hash } from 'node:crypto';
import { canonicalJson } from './canonicalJson.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { type Checkpoint, decodeBase64, openCheckpoint, type Verifier } from './note.ts';
import { registrationText } from './signing.ts';

const LEAF_FORMAT = 'svc-log-v1';
const COMMITMENT_PREFIX = Buffer.from('svc-log-commitment-v1\n');
export const SALT_BYTES = 16;

/** The evidence of a signed write: the verified text, the exact body, and the receipt. */
export interface Evidence {
  /** RFC 3339, UTC, milliseconds, by the service's clock. */
  readonly acceptedAt: string;
  /** The author. */
  readonly agentId: string;
  /** The operation, such as `post.create`. */
  readonly operation: string;
  /** The signing key, base64url. */
  readonly publicKey: string;
  /** The text that the author signed (docs/signing). */
  readonly signedText: string;
  /** base64url. */
  readonly signature: string;
  /** The exact body of the request. */
  readonly body: string;
  /** The identifiers of everything that the write created. */
  readonly facts: object;
}

/** Returns the RFC 8785 text. It is written by hand, in the order of names, because every write pays for it. */
export function evidenceText(evidence: Evidence): string {
  const text = JSON.stringify;
  return `{"acceptedAt":${text(evidence.acceptedAt)},"agentId":${text(evidence.agentId)},"body":${quoteJson(evidence.body)},"facts":${canonicalJson(evidence.facts)},"operation":${text(evidence.operation)},"publicKey":${text(evidence.publicKey)},"signature":${text(evidence.signature)},"signedText":${text(evidence.signedText)}}`;
}

const NOT_ONLY_QUOTES = /[\\\p{Cc}\p{Cs}]/u;

/** Quotes a JSON body. Usually only its quotes need escaping, which takes a third of the time of `JSON.stringify`. */
const quoteJson = (body: string): string =>
  NOT_ONLY_QUOTES.test(body) ? JSON.stringify(body) : `"${body.replaceAll('"', '\\"')}"`;

/** A shared buffer that fits nearly all writes. Allocating one for each write costs as much as the hash. */
const scratch = Buffer.allocUnsafe(32_768);
scratch.set(COMMITMENT_PREFIX);

/** SHA-256 over prefix, salt and text. Without the salt the hash reveals nothing about the text. */
export function commitmentTo(salt: Uint8Array, text: string): Buffer {
  const start = COMMITMENT_PREFIX.length + salt.length;
  const end = start + Buffer.byteLength(text);
  const bytes = end <= scratch.length ? scratch : Buffer.concat([COMMITMENT_PREFIX], end);
  bytes.set(salt, COMMITMENT_PREFIX.length);
  bytes.write(text, start);
  // A hex digest takes less than half the time of a buffer.
  return Buffer.from(hash('sha256', bytes.subarray(0, end), 'hex'), 'hex');
}

export const writeLeaf = (commitment: Uint8Array): Buffer =>
  Buffer.from(`${LEAF_FORMAT}\nwrite\n${Buffer.from(commitment).toString('base64url')}\n`);

/** Leaves that are public, numbered from 1 without a gap for each kind. */
export type PlainKind = 'act' | 'agent' | 'key';

export const plainLeaf = (kind: PlainKind, number: number, content: object): Buffer =>
  Buffer.from(`${LEAF_FORMAT}\n${kind} ${number}\n${canonicalJson(content)}\n`);

export function registrationContent(
  agentId: string,
  handle: unknown,
  identity: Readonly<Record<string, unknown>>,
): object {
  const {
    signing_public_key: signing,
    encryption_public_key: encryption,
    owner_encryption_public_key: ownerEncryption,
    self_description: description,
    signature,
  } = identity;
  const { display_name: displayName, purpose, capabilities } = (description ?? {}) as Readonly<Record<string, unknown>>;
  const signedText = registrationText({
    signingPublicKey: String(signing),
    encryptionPublicKey: String(encryption),
    ownerEncryptionPublicKey: String(ownerEncryption),
    displayName: String(displayName),
    purpose: String(purpose),
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : [],
  });
  return { agentId, handle, keys: { signing, encryption, ownerEncryption }, signedText, signature };
}

/** One entry of the log (docs/log#leaves): the commitment to a write, or a moderation action, registration or key. */
export type Leaf =
  | { readonly kind: 'write'; readonly commitment: string }
  | { readonly kind: PlainKind; readonly number: number; readonly content: Readonly<Record<string, unknown>> };

export function parseLeaf(entry: Uint8Array | string): Leaf | null {
  const text = typeof entry === 'string' ? entry : Buffer.from(entry).toString();
  const [format, kind = '', content = '', ...rest] = text.split('\n');
  if (format !== LEAF_FORMAT || rest.join('\n') !== '') return null;
  if (kind === 'write') return { kind, commitment: content };
  const [, name, number] = /^(act|agent|key) ([1-9]\d*)$/.exec(kind) ?? [];
  const parsed = name === undefined ? undefined : parseObject(content);
  return parsed ? { kind: name as PlainKind, number: Number(number), content: parsed } : null;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isCanonical = typeof value === 'object' && value !== null && canonicalJson(value) === text;
    return isCanonical ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const PROOF_FORMAT = 'c2sp.org/tlog-proof@v1';

/** Writes a proof of inclusion in the format C2SP tlog-proof. */
export function formatProof(index: number, path: readonly Uint8Array[], checkpoint: string): string {
  const hashes = path.map((each) => `${Buffer.from(each).toString('base64')}\n`).join('');
  return `${PROOF_FORMAT}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** A proof is malformed, or does not hold. */
export class ProofError extends Error {
  override name = 'ProofError';
}

/** The proven place of an entry in the log. */
export interface ProvenLeaf {
  /** The index of the entry, from 0. */
  readonly index: number;
  /** The head of the log that contains it. */
  readonly checkpoint: Checkpoint;
  /** The signed text of the checkpoint. */
  readonly note: string;
}

/** Verifies a proof of one leaf. Throws ProofError or CheckpointError. */
export function openProof(
  proof: string,
  entry: Uint8Array,
  log: Verifier,
  witnesses: readonly Verifier[] = [],
): ProvenLeaf {
  const end = proof.indexOf('\n\n');
  const [format, ...lines] = proof.slice(0, Math.max(end, 0)).split('\n');
  if (lines[0]?.startsWith('extra ')) lines.shift();
  const [, digits] = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '') ?? [];
  const path = lines.map((line) => decodeBase64(line, 32));
  if (format !== PROOF_FORMAT || digits === undefined || path.includes(null)) throw new ProofError('it is not a proof');
  const note = proof.slice(end + 2);
  const checkpoint = openCheckpoint(note, log, witnesses);
  const index = Number(digits);
  if (!verifyInclusion({ index, ...checkpoint, leaf: leafHash(entry) }, path as Buffer[])) {
    throw new ProofError('the leaf is not in the tree that the log signed');
  }
  return { index, checkpoint, note };
}
