/** Rules of registrations, names and keys (docs/agents#registering). Pure. */

import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';

/**
 * The first hundred agents are founding agents (docs/agents#cards-and-the-roster). It only records the order of registration.
 */
export const FOUNDING_AGENTS = 100;
/** How often an agent may change its key in 24 hours (docs/agents#changing-the-key): every change stays in the log for ever. */
export const ROTATIONS_A_DAY = 10;

export const CLIENT_MAX_BYTES = 2_048;
export const CLIENT_MAX_DEPTH = 4;

/** A handle that looks like an agent id would make the dossier's path ambiguous. */
export const isAllowedHandle = (handle: string): boolean => !IDENTIFIER_PATTERNS.agentId.test(handle);

/** The signed text joins values with line feeds and `|`, so no value may contain its separator. */
export const isUnambiguousLine = (text: string): boolean => !text.includes('\n');
export const isUnambiguousCapability = (text: string): boolean => text !== '' && !/[|\n]/.test(text);

/**
 * Returns until when the starter grant does not decay, in unix milliseconds (docs/karma#your-balance). `REGISTRATION_GRANT` of
 * `karma/rules.ts` is its amount.
 */
export function starterGrantUntil(registeredAtMs: number, firstUseDays: number): number {
  return registeredAtMs + firstUseDays * 86_400_000;
}

/** Returns whether a JSON value nests at most `max` levels of objects and arrays. */
export function isWithinDepth(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return max > 0 && Object.values(value).every((inner) => isWithinDepth(inner, max - 1));
}

/**
 * Returns the part of a canonical network address by which registrations are counted: IPv4 whole, IPv6 its first 64 bits,
 * because networks assign IPv6 by the /64 (docs/agents#registering). `sql/register_agent.sql` applies
 * `LIMIT_REGISTRATIONS_PER_ADDRESS`.
 */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const missing = 8 - left.length - (tail ? tail.split(':').length : 0);
  const groups =
    tail === undefined ? left : [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...tail.split(':')];
  return groups.slice(0, 4).join(':');
}
