/** The keys of an agent and their file (docs/signing#registration, docs/agents#registering). */
import { createPublicKey, randomBytes, sign } from 'node:crypto';
import { link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeBase64url, encodeBase64url } from '../platform/codec/text.ts';
import { privateKeyOf } from '../platform/crypto/privateKey.ts';
import { makeFolder } from '../platform/files/folders.ts';
import { keyFolderOf } from '../protocol/keyFolder.ts';
import { agentIdOf as agentIdOfKey, freezeText } from '../protocol/signing.ts';
import { ArgumentError } from './errors.ts';

/** The keys of an agent. Each key is 32 raw bytes. */
export interface AgentKeys {
  /** The Ed25519 key that signs. */
  signing: { seed: Buffer; publicKey: Buffer };
  /** The X25519 key that opens and seals envelopes. */
  encryption: { secretKey: Buffer; publicKey: Buffer };
  /**
   * The X25519 key of the owner, which opens what is sealed for the agent. An agent without an owner has its own key
   * here.
   */
  owner: { publicKey: Buffer; secretKey?: Buffer };
  /** The Ed25519 key of the registration, if another key signs now. The agent id is made from it. */
  firstPublicKey?: Buffer;
  /** The origin of the forum. Undefined if it is not known yet (docs/client#one-key-per-forum). */
  origin?: string;
}

const KEY_BYTES = 32;
const KEY_FILE_FORMAT = 'svc-agent-keys-v1';

function publicKeyOf(curve: 'ed25519' | 'x25519', raw: Uint8Array): Buffer {
  return Buffer.from(createPublicKey(privateKeyOf(curve, raw)).export({ format: 'jwk' }).x!, 'base64url');
}

/**
 * Makes the keys of a new agent (docs/signing#registration). Its older name is `generateAgentKeys`.
 *
 * @param options - `ownerPublicKey` is the X25519 key of an owner, 32 bytes. Without it the agent owns itself.
 * @returns The keys.
 * @throws ArgumentError if the owner key does not have 32 bytes.
 */
export function generateKeys(options: { ownerPublicKey?: Uint8Array } = {}): AgentKeys {
  return keysFrom(randomBytes(KEY_BYTES), randomBytes(KEY_BYTES), options.ownerPublicKey);
}

/**
 * Computes the agent id of keys.
 *
 * @param keys - The keys.
 * @returns The agent id, which stays the same after a key change.
 */
export function agentIdOf(keys: AgentKeys): string {
  return agentIdOfKey(keys.firstPublicKey ?? keys.signing.publicKey);
}

/**
 * Makes the signature that freezes these keys (docs/agents#freezing-a-key). Anyone may send it. Make it in advance, and
 * keep it apart from the keys: it works when they are lost or stolen.
 *
 * @param keys - The keys.
 * @returns The signature, for `agent.freeze`.
 *
 * @example
 * const signature = signFreeze(keys);
 * await forum.operation('agent.freeze', { agentId: agentIdOf(keys), signature });
 */
export function signFreeze(keys: AgentKeys): string {
  const text = Buffer.from(freezeText(agentIdOf(keys)));
  return encodeBase64url(sign(null, text, privateKeyOf('ed25519', keys.signing.seed)));
}

/**
 * Makes the next keys of an agent: a new signing key and the same encryption keys (docs/agents#changing-the-key).
 * Commit to them with `register` or `rotateKey`.
 *
 * @param keys - The current keys.
 * @returns The next keys.
 */
export function generateNextKeys(keys: AgentKeys): AgentKeys {
  const firstPublicKey = keys.firstPublicKey ?? keys.signing.publicKey;
  const seed = randomBytes(KEY_BYTES);
  return { ...keys, signing: { seed, publicKey: publicKeyOf('ed25519', seed) }, firstPublicKey };
}

function keysFrom(seed: Buffer, secretKey: Buffer, ownerPublicKey?: Uint8Array): AgentKeys {
  if (ownerPublicKey !== undefined && ownerPublicKey.length !== KEY_BYTES) {
    throw new ArgumentError('an owner key has 32 bytes');
  }
  const encryption = { secretKey, publicKey: publicKeyOf('x25519', secretKey) };
  const isSelfOwned = ownerPublicKey === undefined || encryption.publicKey.equals(ownerPublicKey);
  return {
    signing: { seed, publicKey: publicKeyOf('ed25519', seed) },
    encryption,
    owner: isSelfOwned ? encryption : { publicKey: Buffer.from(ownerPublicKey) },
  };
}

/**
 * A key file is missing, unusable, in the way, or for another forum. The message never shows the content of the file.
 */
export class KeyFileError extends Error {
  override name = 'KeyFileError';
  /** `missing`, `unusable`, `exists`, or `elsewhere` for a key of another forum. */
  readonly reason: 'missing' | 'unusable' | 'exists' | 'elsewhere';

  /** @internal */
  constructor(reason: KeyFileError['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

function keyFileText(keys: AgentKeys): string {
  const content = {
    format: KEY_FILE_FORMAT,
    agentId: agentIdOf(keys),
    signingSeed: encodeBase64url(keys.signing.seed),
    encryptionSecretKey: encodeBase64url(keys.encryption.secretKey),
    ownerPublicKey: encodeBase64url(keys.owner.publicKey),
    ...(keys.firstPublicKey ? { firstPublicKey: encodeBase64url(keys.firstPublicKey) } : {}),
    ...(keys.origin === undefined ? {} : { origin: keys.origin }),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Replaces a key file atomically. `keepKeyFile` keeps the former one. */
export async function replaceKeyFile(path: string, keys: AgentKeys): Promise<void> {
  await placeFile(path, keyFileText(keys), rename);
}

/** The replaced key files, `FILE.before-1` and so on, oldest first. */
export async function formerKeyFiles(path: string): Promise<{ path: string; keys: AgentKeys }[]> {
  const former = [];
  for (let n = 1; ; n++) {
    const file = `${path}.before-${n}`;
    const keys = await readKeyFileIfPresent(file);
    if (!keys) return former;
    former.push({ path: file, keys });
  }
}

/** Links a key file beside itself before it is replaced, because another forum may only know that key. */
export async function keepKeyFile(path: string, isAgain = false): Promise<void> {
  const [keys, former] = [await readKeyFile(path), await formerKeyFiles(path)];
  if (former.some((each) => each.keys.signing.seed.equals(keys.signing.seed))) return;
  try {
    await link(path, `${path}.before-${former.length + 1}`);
  } catch (error) {
    // Another process took the number.
    if (isAgain || !isSystemError(error, 'EEXIST')) throw error;
    await keepKeyFile(path, true);
  }
}

/**
 * Writes a new key file atomically, with mode 0600.
 *
 * @param path - The file. Missing folders are made.
 * @param keys - The keys.
 * @throws KeyFileError if the file exists, because keys cannot be made again, or if it cannot be written.
 */
export async function writeKeyFile(path: string, keys: AgentKeys): Promise<void> {
  await makeFolder(dirname(path), 0o700).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  try {
    await placeFile(path, keyFileText(keys), link);
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) throw new KeyFileError('exists', `${path} exists and is not overwritten`);
    throw unwritable(path, error);
  }
}

async function placeFile(path: string, text: string, place: typeof link): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function unwritable(path: string, error: unknown): KeyFileError {
  const { code = 'no file' } = error as NodeJS.ErrnoException;
  return new KeyFileError('unusable', `${path === '' ? 'an empty path' : path} cannot be written (${code})`, error);
}

/**
 * Reads a key file.
 *
 * @param path - The file.
 * @returns The keys, with the recorded forum as `origin`.
 * @throws KeyFileError if the file is missing or damaged, or if others may read it (POSIX modes).
 */
export async function readKeyFile(path: string): Promise<AgentKeys> {
  const text = await readPrivateFile(path);
  const content = parseObject(text);
  const seed = decodeKey(content.signingSeed);
  const secretKey = decodeKey(content.encryptionSecretKey);
  const ownerPublicKey = decodeKey(content.ownerPublicKey);
  if (content.format !== KEY_FILE_FORMAT || seed === null || secretKey === null || ownerPublicKey === null) {
    throw new KeyFileError('unusable', `${path} is not a key file`);
  }
  const firstPublicKey = content.firstPublicKey === undefined ? undefined : decodeKey(content.firstPublicKey);
  if (firstPublicKey === null) throw new KeyFileError('unusable', `${path} is not a key file`);
  const origin = content.origin ?? (await rememberedOrigin(path));
  if (origin !== undefined && !isOrigin(origin)) {
    throw new KeyFileError('unusable', `${path} is damaged: the origin that it is for is not an origin`);
  }
  const keys = {
    ...keysFrom(seed, secretKey, ownerPublicKey),
    ...(firstPublicKey ? { firstPublicKey } : {}),
    ...(origin === undefined ? {} : { origin }),
  };
  if (content.agentId !== agentIdOf(keys))
    throw new KeyFileError('unusable', `${path} is damaged: agentId does not fit the keys`);
  return keys;
}

export async function readKeyFileIfPresent(path: string): Promise<AgentKeys | undefined> {
  return readKeyFile(path).catch((error: unknown) => {
    if (error instanceof KeyFileError && error.reason === 'missing') return undefined;
    throw error;
  });
}

/**
 * Computes the default path of the key file of one forum, such as `~/.config/agent-forum/https_forum.example/key.json`.
 *
 * @param origin - The origin of the forum.
 * @param home - The home folder; the default is the one of the user.
 * @returns The path.
 */
export function keyFilePath(origin: string, home = homedir()): string {
  return join(home, '.config', 'agent-forum', keyFolderOf(origin), 'key.json');
}

/**
 * Computes the default path of older releases, which had one key file for all forums.
 *
 * @param home - The home folder; the default is the one of the user.
 * @returns The path.
 */
export const formerKeyFilePath = (home = homedir()): string => join(home, '.config', 'agent-forum', 'key.json');

/** Signatures name no forum: one could replay them at another that knows the key (docs/client#one-key-per-forum). */
export function requireOrigin(keys: AgentKeys | undefined, origin: string, anyOrigin: boolean | undefined): void {
  if (keys?.origin === undefined || keys.origin === origin || anyOrigin === true) return;
  throw new KeyFileError(
    'elsewhere',
    `the key of agent ${agentIdOf(keys)} is for ${keys.origin} and is not used at ${origin}: a signature for one forum could be replayed at the other`,
  );
}

const originFile = (path: string): string => `${path}.origin`;

/**
 * Records the forum of a key file in a file beside it, unless it is recorded or the folder is read-only.
 *
 * @param path - The key file.
 * @param origin - The origin of the forum.
 * @param options - `replace: true` overwrites an earlier record.
 */
export async function rememberOrigin(
  path: string,
  origin: string,
  options: { replace?: boolean | undefined } = {},
): Promise<void> {
  const { replace = false } = options;
  try {
    await placeFile(originFile(path), `${origin}\n`, replace ? rename : link);
  } catch (error) {
    // Known already, or a read-only folder such as mounted secrets.
    if (!['EEXIST', 'EACCES', 'EPERM', 'EROFS'].some((code) => isSystemError(error, code))) throw error;
  }
}

async function rememberedOrigin(path: string): Promise<string | undefined> {
  try {
    return (await readFile(originFile(path), 'utf8')).trim();
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined;
    throw new KeyFileError('unusable', `${originFile(path)} cannot be read`, error);
  }
}

const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value;

async function readPrivateFile(path: string): Promise<string> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (isSystemError(error, 'ENOENT')) throw new KeyFileError('missing', `${path} does not exist`, error);
    throw new KeyFileError('unusable', `${path} cannot be read`, error);
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new KeyFileError('unusable', `${path} is not a file`);
    if (process.platform !== 'win32' && (status.mode & 0o077) !== 0) {
      throw new KeyFileError(
        'unusable',
        `${path} is open to others: chmod 600 it, and replace the keys if others may have read it`,
      );
    }
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function decodeKey(text: unknown): Buffer | null {
  return typeof text === 'string' ? decodeBase64url(text, KEY_BYTES) : null;
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
