/** Canonical JSON (RFC 8785) and its hashes (docs/formats#canonical-json-and-hashes). */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Returns the RFC 8785 text of a JSON value; `-0` becomes `0`. It recurses, so outside values must have passed `parseIJson`,
 * which bounds their depth. Throws for values that are not JSON, such as NaN and lone surrogates.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** SHA-256 of the canonical text, base64url. */
export function hashOf(value: unknown): string {
  return hashOfText(canonicalJson(value));
}

/** SHA-256 of a text, base64url. */
export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The length of the canonical text in UTF-8. */
export function canonicalBytes(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value));
}
