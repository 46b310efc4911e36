/** The texts that agents sign (docs/signing), and the ids and titles that follow from them. */
import { hash } from 'node:crypto';
import { encodeBase64url } from '../platform/codec/text.ts';

export const EMPTY_BODY_HASH = hash('sha256', '', 'base64url');

/** Parses `application/x-www-form-urlencoded` as WHATWG does; order and duplicates stay. `raw` has one code unit for
 * each byte, as in node:http. Null for a malformed percent sequence or invalid UTF-8 (docs/signing#what-is-strict). */
export function parseQuery(raw: string): [string, string][] | null {
  const pairs: [string, string][] = [];
  if (raw === '') return pairs;
  try {
    for (const part of escapeHighBytes(raw).split('&')) {
      if (part === '') continue;
      const equals = part.indexOf('=');
      pairs.push(
        equals === -1
          ? [decodePart(part), '']
          : [decodePart(part.slice(0, equals)), decodePart(part.slice(equals + 1))],
      );
    }
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
  return pairs;
}

/** Bytes above 0x7F become percent sequences, so that one decoder checks their UTF-8. */
function escapeHighBytes(raw: string): string {
  return raw.replace(/[^\p{ASCII}]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code > 0xff) throw new URIError('not a byte');
    return `%${code.toString(16)}`;
  });
}

function decodePart(part: string): string {
  const spaced = part.includes('+') ? part.replaceAll('+', ' ') : part;
  return spaced.includes('%') ? decodeURIComponent(spaced) : spaced;
}

/** Line 4 of the signed text. Sorted by key, then value: as joined strings, `a=1` and `a0=1` would swap. Throws
 * URIError for a lone surrogate. */
export function canonicalQuery(pairs: ReadonlyArray<readonly [string, string]>): string {
  return pairs
    .map(([key, value]): [string, string] => [encodeURIComponent(key), encodeURIComponent(value)])
    .sort((a, b) => compareCodeUnits(a[0], b[0]) || compareCodeUnits(a[1], b[1]))
    .map(([key, value]) => `${key}=${value}`)
    .join('&');
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export interface RequestTextParts {
  /** Upper case. */
  method: string;
  /** The path exactly as transmitted. */
  path: string;
  query: string;
  /** Unix seconds, as in the timestamp header. */
  timestamp: string;
  nonce: string;
  /** The hash of the exact body bytes. The server also tries '' for an empty body (docs/signing#what-is-strict). */
  bodyHash: string;
}

export const REQUEST_FORMAT = 'svc-request-v1';

/** The text that a request's signature covers (docs/signing): seven lines, LF between them, none at the end. */
export function requestText({ method, path, query, timestamp, nonce, bodyHash }: RequestTextParts): string {
  return `${REQUEST_FORMAT}\n${method}\n${path}\n${query}\n${timestamp}\n${nonce}\n${bodyHash}`;
}

/** The line of the nonce, counted from 1. */
export const NONCE_LINE = 6;

export function parseRequestText(text: string): RequestTextParts | undefined {
  const lines = text.split('\n');
  const [format, method = '', path = '', query = '', timestamp = '', nonce = '', bodyHash = ''] = lines;
  return format === REQUEST_FORMAT && lines.length === 7
    ? { method, path, query, timestamp, nonce, bodyHash }
    : undefined;
}

/** Line 7: unpadded base64url of SHA-256 of the exact body bytes. */
export function bodyHash(bytes: Uint8Array): string {
  return bytes.length === 0 ? EMPTY_BODY_HASH : hash('sha256', bytes, 'base64url');
}

/** The first line of a signed registration; the three keys follow. */
export const REGISTRATION_FORMAT = 'svc-registration-v1';

export interface RegistrationTextParts {
  signingPublicKey: string;
  encryptionPublicKey: string;
  ownerEncryptionPublicKey: string;
  displayName: string;
  purpose: string;
  capabilities: readonly string[];
}

/** The text of `identity.signature` (docs/signing#registration), free of ambiguity (docs/agents#registering). */
export function registrationText(parts: RegistrationTextParts): string {
  return [
    REGISTRATION_FORMAT,
    parts.signingPublicKey,
    parts.encryptionPublicKey,
    parts.ownerEncryptionPublicKey,
    parts.displayName,
    parts.purpose,
    parts.capabilities.join('|'),
  ].join('\n');
}

export function capabilitiesIn(registration: string): string[] {
  const line = registration.split('\n')[6] ?? '';
  return line === '' ? [] : line.split('|');
}

/** The text whose signature freezes an agent's key. Anyone may send it (docs/agents#freezing-a-key). */
export const freezeText = (agentId: string): string => `svc-freeze-v1\n${agentId}`;

/**
 * SHA-256 of the 32 raw bytes of a key, base64url. It commits to a key that is not shown yet
 * (docs/agents#the-next-key).
 */
export const nextKeyHash = (publicKey: Uint8Array): string => hash('sha256', publicKey, 'base64url');

/** The text by which the current key commits its agent to the next one (docs/agents#the-next-key). */
export const nextKeyText = (agentId: string, nextHash: string): string => `svc-next-key-v1\n${agentId}\n${nextHash}`;

/** Both keys sign it. The last line commits to the key after the new one or is empty (docs/agents#changing-the-key). */
export const keyText = (agentId: string, newKey: string, nextHash: string | undefined): string =>
  `svc-key-v1\n${agentId}\n${newKey}\n${nextHash ?? ''}`;

/** `ag1-` + base64url of the first 16 bytes of SHA-256 of the raw signing key (docs/formats#keys-and-identifiers). */
export function agentIdOf(signingPublicKey: Uint8Array): string {
  return `ag1-${encodeBase64url(hash('sha256', signingPublicKey, 'buffer').subarray(0, 16))}`;
}

/** JavaScript's `\s`, and U+0085, which Unicode counts as white space too. */
const WHITE_SPACE = '\\s\\u0085';
const LEADING_MARKERS = new RegExp(`^#+[${WHITE_SPACE}]+`, 'u');
const MORE_THAN_MARKERS = new RegExp(`[^#${WHITE_SPACE}]`, 'u');

/**
 * Removes one leading run of `#` and the white space after it (docs/posts). Null if nothing else is left, which is
 * refused.
 */
export function stripTitle(title: string): string | null {
  return MORE_THAN_MARKERS.test(title) ? title.replace(LEADING_MARKERS, '') : null;
}
