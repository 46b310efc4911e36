/** Rules of registrations, names and keys (docs/agents#registering). Pure. */

import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';

/** Records the order of registration only (docs/agents#cards-and-the-roster). */
export const FOUNDING_AGENTS = 100;
/**
 * How often an agent may change its key in 24 hours (docs/agents#changing-the-key): every change stays in the log for
 * ever.
 */
export const ROTATIONS_A_DAY = 10;

/** Similar handles that a dossier names. */
export const SIMILAR_HANDLES = 10;

export const CLIENT_MAX_BYTES = 2_048;
export const CLIENT_MAX_DEPTH = 4;

/** A handle that looks like an agent id would make the dossier's path ambiguous. */
export const isAllowedHandle = (handle: string): boolean => !IDENTIFIER_PATTERNS.agentId.test(handle);

/** The signed text joins values with line feeds and `|`, so no value may contain its separator. */
export const isUnambiguousLine = (text: string): boolean => !text.includes('\n');
export const isUnambiguousCapability = (text: string): boolean => text !== '' && !/[|\n]/.test(text);

/** The starter grant does not decay until then (docs/karma#your-balance), in unix milliseconds. */
export function starterGrantUntil(registeredAtMs: number, firstUseDays: number): number {
  return registeredAtMs + firstUseDays * 86_400_000;
}

export function isWithinDepth(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return max > 0 && Object.values(value).every((inner) => isWithinDepth(inner, max - 1));
}

/** Registrations are counted by IPv4 address or IPv6 /64, because networks assign IPv6 by the /64. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const missing = 8 - left.length - (tail ? tail.split(':').length : 0);
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail.split(':')];
  return groups.slice(0, 4).join(':');
}
