/** Signed notes, checkpoints and cosignatures of C2SP with Ed25519; other types are ignored (docs/log#checkpoints). */
import { createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { importPublicKey, type PublicKey, verifyStrict } from '../platform/crypto/ed25519.ts';
import { privateKeyOf } from '../platform/crypto/privateKey.ts';
import { HASH_BYTES } from './merkle.ts';

/** Signature types: a log's, and a witness's, which signs a time too. */
export const NOTE_KEY = 0x01;
export const COSIGNATURE_KEY = 0x04;
type KeyType = typeof NOTE_KEY | typeof COSIGNATURE_KEY;

const ID_BYTES = 4;
const TIME_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** The clock of a witness may be this much ahead, as with signed requests. */
const MOST_AHEAD_SECONDS = 300;
/** A bound for hostile notes. */
const MOST_SIGNATURES = 64;

/** The public key of a log or witness. */
export interface Verifier {
  /** The name of the log or witness. */
  readonly name: string;
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly type: KeyType;
  readonly publicKey: PublicKey;
  /** The whole verifier key in one line. */
  readonly line: string;
}

export const isKeyName = (name: string): boolean => /^[^\s+\p{Cc}]+$/u.test(name);

function keyId(name: string, type: KeyType, raw: Uint8Array): string {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), raw]);
  return hash('sha256', named, 'buffer').subarray(0, ID_BYTES).toString('hex');
}

/** `<name>+<id>+<base64 of type and key>`. */
export function formatVerifierKey(name: string, type: KeyType, raw: Uint8Array): string {
  return `${name}+${keyId(name, type, raw)}+${Buffer.concat([Buffer.of(type), raw]).toString('base64')}`;
}

/**
 * Parses the key of a log or witness, `<name>+<id>+<base64 of type and key>`.
 *
 * @param line - The key in one line, as `GET /log/vkey` returns it, without the line feed.
 * @returns The key, or null if the text is malformed.
 */
export function parseVerifierKey(line: string): Verifier | null {
  const [, name = '', id = '', text = ''] = /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line) ?? [];
  const bytes = decodeBase64(text);
  const type = bytes?.[0];
  if (!bytes || bytes.length !== 1 + KEY_BYTES || (type !== NOTE_KEY && type !== COSIGNATURE_KEY)) return null;
  const raw = bytes.subarray(1);
  const publicKey = importPublicKey(raw);
  if (!publicKey || !isKeyName(name) || keyId(name, type, raw) !== id) return null;
  return { name, id, type, publicKey, line };
}

/** Decodes canonical standard base64; null for anything else. */
export function decodeBase64(text: string, byteLength?: number): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return null;
  return byteLength === undefined || bytes.length === byteLength ? bytes : null;
}

interface SignatureLine {
  readonly name: string;
  readonly id: string;
  readonly bytes: Buffer;
}

/** `text` ends with a line feed. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly SignatureLine[];
}

export function parseNote(note: string): Note | null {
  const end = note.lastIndexOf('\n\n');
  if (end === -1 || /[^\P{Cc}\n\u007f-\u009f]/u.test(note) || !note.endsWith('\n')) return null;
  const lines = note.slice(end + 2, -1).split('\n');
  const signatures = lines.map(parseSignature);
  if (signatures.length > MOST_SIGNATURES || signatures.includes(null)) return null;
  return { text: note.slice(0, end + 1), signatures: signatures as SignatureLine[] };
}

function parseSignature(line: string): SignatureLine | null {
  const [, name = '', text = ''] = /^— (\S+) (\S+)$/.exec(line) ?? [];
  const bytes = decodeBase64(text);
  if (!isKeyName(name) || !bytes || bytes.length <= ID_BYTES) return null;
  return { name, id: bytes.subarray(0, ID_BYTES).toString('hex'), bytes: bytes.subarray(ID_BYTES) };
}

export const formatSignature = ({ name, id, bytes }: SignatureLine): string =>
  `— ${name} ${Buffer.concat([Buffer.from(id, 'hex'), bytes]).toString('base64')}\n`;

/** `time` is the signed time of a witness, in Unix seconds. */
export interface Verified {
  readonly name: string;
  readonly line: string;
  readonly time?: number;
}

/** Ignores unknown keys. Null if a known one does not verify or has an impossible time: the note is invalid. */
export function verifyNote({ text, signatures }: Note, known: readonly Verifier[]): Verified[] | null {
  const verified: Verified[] = [];
  for (const signature of signatures) {
    const verifier = known.find(({ name, id }) => name === signature.name && id === signature.id);
    if (!verifier) continue;
    const time = timeOf(verifier, signature);
    if (!isTimely(time)) return null;
    const signed = time === undefined ? text : cosignedText(text, time);
    const raw = verifier.type === COSIGNATURE_KEY ? signature.bytes.subarray(TIME_BYTES) : signature.bytes;
    if (raw.length !== SIGNATURE_BYTES || !verifyStrict(verifier.publicKey, signed, raw)) return null;
    verified.push({ name: verifier.name, line: formatSignature(signature), ...(time === undefined ? {} : { time }) });
  }
  return verified;
}

function timeOf({ type }: Verifier, { bytes }: SignatureLine): number | undefined {
  if (type !== COSIGNATURE_KEY) return undefined;
  return bytes.length < TIME_BYTES ? Number.NaN : Number(bytes.readBigUInt64BE(0));
}

/** The time of a witness must be after 0 and not in the future. A log's signature has no time. */
const isTimely = (time: number | undefined): boolean =>
  time === undefined || (time > 0 && time <= Date.now() / 1_000 + MOST_AHEAD_SECONDS);

const untimely = ({ signatures }: Note, witnesses: readonly Verifier[]): Verifier | undefined =>
  witnesses.find((witness) =>
    signatures.some(
      (signature) =>
        signature.name === witness.name && signature.id === witness.id && !isTimely(timeOf(witness, signature)),
    ),
  );

const cosignedText = (text: string, time: number): string => `cosignature/v1\ntime ${time}\n${text}`;

export class NoteSigner {
  readonly name: string;
  readonly #type: KeyType;
  readonly #key: KeyObject;
  readonly #raw: Buffer;

  /** `seed`: 32 bytes. */
  constructor(name: string, seed: Uint8Array, type: KeyType = NOTE_KEY) {
    if (!isKeyName(name)) throw new Error('the name of a key holds neither white space nor a plus');
    this.name = name;
    this.#type = type;
    this.#key = privateKeyOf('ed25519', seed);
    this.#raw = Buffer.from(createPublicKey(this.#key).export({ format: 'jwk' }).x!, 'base64url');
  }

  get verifierKey(): string {
    return formatVerifierKey(this.name, this.#type, this.#raw);
  }

  get verifier(): Verifier {
    return parseVerifierKey(this.verifierKey)!;
  }

  /** Returns the signature line for a text that ends with a line feed. `time` (Unix seconds) is for witnesses only. */
  sign(text: string, time = 0): string {
    const id = keyId(this.name, this.#type, this.#raw);
    const signed = (message: string) => sign(null, Buffer.from(message), this.#key);
    if (this.#type === NOTE_KEY) return formatSignature({ name: this.name, id, bytes: signed(text) });
    const stamp = Buffer.alloc(TIME_BYTES);
    stamp.writeBigUInt64BE(BigInt(time));
    const bytes = Buffer.concat([stamp, signed(cosignedText(text, time))]);
    return formatSignature({ name: this.name, id, bytes });
  }
}

/** The size and root hash of a log at one time. */
export interface Head {
  /** The name of the log. */
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** The root hash of the tree. */
  readonly root: Buffer;
}

export const checkpointText = ({ origin, size, root }: Head): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

export function parseCheckpointText(text: string): Head | null {
  const [origin = '', digits = '', rootText = '', ...rest] = text.split('\n');
  const root = decodeBase64(rootText, HASH_BYTES);
  const size = Number(digits);
  const isWhole = rest.pop() === '' && !rest.includes('');
  if (!isWhole || origin === '' || !root || !/^(0|[1-9]\d*)$/.test(digits) || !Number.isSafeInteger(size)) return null;
  return { origin, size, root };
}

/** A checkpoint signed by a key of the log: `origin`, `size` and `root`, and the known witnesses that cosigned. */
export interface Checkpoint extends Head {
  /** The witnesses, each with its `name`, its signature `line` and the `time` in Unix seconds. */
  readonly cosigners: readonly Verified[];
}

export class CheckpointError extends Error {
  override name = 'CheckpointError';
}

export function isSignedBy(note: string, verifier: Verifier): boolean {
  const parsed = parseNote(note);
  return parsed !== null && (verifyNote(parsed, [verifier])?.length ?? 0) > 0;
}

/** Throws CheckpointError unless `log` signed the checkpoint and every known signature verifies. */
export function openCheckpoint(note: string, log: Verifier, witnesses: readonly Verifier[] = []): Checkpoint {
  return openCheckpointBy(note, [log], witnesses);
}

/** Accepts any of several keys of one log, at least one. */
export function openCheckpointBy(
  note: string,
  logs: readonly Verifier[],
  witnesses: readonly Verifier[] = [],
): Checkpoint {
  const { name: origin } = logs[0]!;
  const parsed = parseNote(note);
  const head = parsed && parseCheckpointText(parsed.text);
  if (!parsed || !head) throw new CheckpointError('it is no checkpoint');
  if (head.origin !== origin) throw new CheckpointError(`it is a checkpoint of another log: ${head.origin}`);
  const witness = untimely(parsed, witnesses);
  if (witness) {
    throw new CheckpointError(
      `the cosignature of ${witness.name} has the time 0 or one in the future: check that the clock of this machine is right`,
    );
  }
  const verified = verifyNote(parsed, [...logs, ...witnesses]);
  if (!verified?.some(({ name, time }) => name === origin && time === undefined)) {
    throw new CheckpointError('its signature does not verify under the key of the log');
  }
  const byName = new Map(verified.filter(({ time }) => time !== undefined).map((each) => [each.name, each]));
  return { ...head, cosigners: [...byName.values()] };
}
