/** What stands in the log: leaves, the evidence behind them, and proofs (docs/log#leaves). */
import { hash } from 'node:crypto';
import { canonicalJson } from './canonicalJson.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { type Checkpoint, decodeBase64, openCheckpoint, type Verifier } from './note.ts';
import { registrationText } from './signing.ts';

const LEAF_FORMAT = 'svc-log-v1';
const COMMITMENT_PREFIX = Buffer.from('svc-log-commitment-v1\n');
export const SALT_BYTES = 16;

/** What a signed write is known by: the text that verified, the exact body, and what became of it. */
export interface Evidence {
  /** RFC 3339, UTC, milliseconds; the service's word. */
  readonly acceptedAt: string;
  readonly agentId: string;
  readonly operation: string;
  /** The key that verified, base64url. */
  readonly publicKey: string;
  readonly signedText: string;
  /** base64url. */
  readonly signature: string;
  readonly body: string;
  /** Ids under their names on the wire. */
  readonly facts: object;
}

/**
 * The RFC 8785 text of the evidence. Written name by name, because every write pays for it: strings are in JSON what they
 * are in RFC 8785, and the names stand in their order.
 */
export function evidenceText(evidence: Evidence): string {
  const text = JSON.stringify;
  return `{"acceptedAt":${text(evidence.acceptedAt)},"agentId":${text(evidence.agentId)},"body":${quoteJson(evidence.body)},"facts":${canonicalJson(evidence.facts)},"operation":${text(evidence.operation)},"publicKey":${text(evidence.publicKey)},"signature":${text(evidence.signature)},"signedText":${text(evidence.signedText)}}`;
}

const NOT_ONLY_QUOTES = /[\\\p{Cc}\p{Cs}]/u;

/** A body, which is JSON, as a string in JSON: as a rule only its quotes are escaped, which by itself takes a third of the time. */
const quoteJson = (body: string): string =>
  NOT_ONLY_QUOTES.test(body) ? JSON.stringify(body) : `"${body.replaceAll('"', '\\"')}"`;

/** What is hashed for nearly all writes fits; memory of its own for each would cost them as much as the hash. */
const scratch = Buffer.allocUnsafe(32_768);
scratch.set(COMMITMENT_PREFIX);

/** SHA-256 over prefix, salt and text: who has not the salt learns nothing of the text. */
export function commitmentTo(salt: Uint8Array, text: string): Buffer {
  const start = COMMITMENT_PREFIX.length + salt.length;
  const end = start + Buffer.byteLength(text);
  const bytes = end <= scratch.length ? scratch : Buffer.concat([COMMITMENT_PREFIX], end);
  bytes.set(salt, COMMITMENT_PREFIX.length);
  bytes.write(text, start);
  // By way of text it takes less than half: a digest of its own memory is dear.
  return Buffer.from(hash('sha256', bytes.subarray(0, end), 'hex'), 'hex');
}

/** The leaf of a write: its commitment, and nothing else. */
export const writeLeaf = (commitment: Uint8Array): Buffer =>
  Buffer.from(`${LEAF_FORMAT}\nwrite\n${Buffer.from(commitment).toString('base64url')}\n`);

/** Leaves that anybody can read, numbered from 1 without a gap in their kind. */
export type PlainKind = 'act' | 'agent' | 'key';

export const plainLeaf = (kind: PlainKind, number: number, content: object): Buffer =>
  Buffer.from(`${LEAF_FORMAT}\n${kind} ${number}\n${canonicalJson(content)}\n`);

/** What the leaf of a registration shows: it as whoever registered signed it. */
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

export type Leaf =
  | { readonly kind: 'write'; readonly commitment: string }
  | { readonly kind: PlainKind; readonly number: number; readonly content: Readonly<Record<string, unknown>> };

/** Reads a leaf; null where it is none of this format. */
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

/** A proof of inclusion as C2SP tlog-proof has it. */
export function formatProof(index: number, path: readonly Uint8Array[], checkpoint: string): string {
  const hashes = path.map((each) => `${Buffer.from(each).toString('base64')}\n`).join('');
  return `${PROOF_FORMAT}\nindex ${index}\n${hashes}\n${checkpoint}`;
}

/** Why a proof shows nothing. */
export class ProofError extends Error {
  override name = 'ProofError';
}

export interface ProvenLeaf {
  readonly index: number;
  readonly checkpoint: Checkpoint;
  /** The signed note itself. */
  readonly note: string;
}

/** Opens a proof of one leaf. Throws ProofError or CheckpointError unless the leaf is in a tree that the log signed. */
export function openProof(
  proof: string,
  entry: Uint8Array,
  log: Verifier,
  witnesses: readonly Verifier[] = [],
): ProvenLeaf {
  const end = proof.indexOf('\n\n');
  const [format, ...lines] = proof.slice(0, Math.max(end, 0)).split('\n');
  // Extra data means nothing here.
  if (lines[0]?.startsWith('extra ')) lines.shift();
  const [, digits] = /^index (0|[1-9]\d*)$/.exec(lines.shift() ?? '') ?? [];
  const path = lines.map((line) => decodeBase64(line, 32));
  if (format !== PROOF_FORMAT || digits === undefined || path.includes(null)) throw new ProofError('it is no proof');
  const note = proof.slice(end + 2);
  const checkpoint = openCheckpoint(note, log, witnesses);
  const index = Number(digits);
  if (!verifyInclusion({ index, ...checkpoint, leaf: leafHash(entry) }, path as Buffer[])) {
    throw new ProofError('the leaf is not in the tree that the log signed');
  }
  return { index, checkpoint, note };
}
