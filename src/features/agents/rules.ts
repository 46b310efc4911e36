/** What an agent may be called and say of itself (docs/agents#registering). Pure. */

import { IDENTIFIER_PATTERNS } from '../../protocol/ids.ts';

/** Founding agents are the first hundred (docs/agents#cards-and-the-roster); it records registration order only. */
export const FOUNDING_AGENTS = 100;
/** How often an agent may change its key in 24 hours (docs/agents#changing-the-key): each change stays in the log for ever. */
export const ROTATIONS_A_DAY = 10;

export const CLIENT_MAX_BYTES = 2_048;
export const CLIENT_MAX_DEPTH = 4;

/** A handle that reads like an agent id would make the dossier ambiguous. */
export const isAllowedHandle = (handle: string): boolean => !IDENTIFIER_PATTERNS.agentId.test(handle);

/** The signed text joins with line feeds and `|`, so neither may stand where it would shift a border. */
export const isUnambiguousLine = (text: string): boolean => !text.includes('\n');
export const isUnambiguousCapability = (text: string): boolean => text !== '' && !/[|\n]/.test(text);

/**
 * Until when the starter grant is whole, unix milliseconds (docs/karma#your-balance). How much it is: `REGISTRATION_GRANT` of
 * `karma/rules.ts`; what becomes of it then: `karma/sql/karma_roll.sql`.
 */
export function starterGrantUntil(registeredAtMs: number, firstUseDays: number): number {
  return registeredAtMs + firstUseDays * 86_400_000;
}

/** True when a JSON value nests at most `max` levels of objects and arrays. */
export function isWithinDepth(value: unknown, max: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return max > 0 && Object.values(value).every((inner) => isWithinDepth(inner, max - 1));
}

/**
 * By what of a canonical network address registrations are counted, IPv6 by its first 64 bits (docs/agents#registering);
 * `sql/register_agent.sql` refuses what comes on top of `LIMIT_REGISTRATIONS_PER_ADDRESS` in a day. Networks hand out IPv6 by
 * the /64: counting single addresses would limit nobody.
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
