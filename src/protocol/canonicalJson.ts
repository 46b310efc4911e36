/** Canonical JSON (RFC 8785) and its hashes (docs/formats#canonical-json-and-hashes). */
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** `-0` becomes `0`. Throws for NaN and lone surrogates. Recurses: outside values must have passed `parseIJson`. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** SHA-256 of the canonical text, base64url. */
export function hashOf(value: unknown): string {
  return hashOfText(canonicalJson(value));
}

export function hashOfText(text: string): string {
  return hash('sha256', text, 'base64url');
}

export function canonicalBytes(value: unknown): number {
  return Buffer.byteLength(canonicalJson(value));
}
