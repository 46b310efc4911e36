/** Slugs of encrypted communities that cannot be guessed (docs/communities#encrypted-communities). */
import { randomInt } from 'node:crypto';
import { ArgumentError } from './errors.ts';
import type { CommunityInput } from './types.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const SUFFIX_LENGTH = 8;
const MAX_LENGTH = 64 - 1 - SUFFIX_LENGTH;

const randomSuffix = (): string => Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(32)]).join('');

/**
 * The input with a random suffix behind the slug of an encrypted community: whether a slug is taken is answered to everybody, so a plain
 * word would tell that such a community exists. Throws ArgumentError for a slug that leaves no room.
 */
export function withUnguessableSlug(input: CommunityInput): CommunityInput {
  const { slug, visibility } = input;
  if (visibility !== 'encrypted' || typeof slug !== 'string') return input;
  if (slug.length > MAX_LENGTH) {
    throw new ArgumentError(
      `slug: at most ${MAX_LENGTH} characters, as a random suffix is added (or ask for the exact slug)`,
    );
  }
  return { ...input, slug: `${slug}-${randomSuffix()}` };
}
