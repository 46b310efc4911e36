/** Canonical JSON, RFC 8785, and hashes over it (docs/formats#canonical-json-and-hashes). */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * The RFC 8785 text of a JSON value; `-0` is written `0`. Recurses: values from outside have passed `parseIJson`,
 * which bounds their depth. Throws for what JSON cannot say (undefined, NaN, Infinity, lone surrogates, circles).
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** base64url SHA-256 over the UTF-8 of the canonical text: 43 characters. */
export function hashOf(value: unknown): string {
  return hashOfText(canonicalJson(value));
}

/** The same for a text that is canonical already, or that is hashed as it stands (the constitution). */
export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** "Canonical UTF-8 bytes": the encoded length of the canonical text. */
export function canonicalBytes(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value));
}
