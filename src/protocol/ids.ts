/** The patterns of identifiers and how new ones are made (docs/reading#names, docs/formats#keys-and-identifiers). */
import { randomFillSync } from 'node:crypto';

/** As `/routes.json` shows them. */
export const IDENTIFIERS = {
  handle: '^[a-z0-9-]{3,64}$',
  slug: '^[a-z0-9-]{3,64}$',
  agentId: '^ag1-[A-Za-z0-9_-]{22}$',
  agentIdOrHandle: '^([a-z0-9-]{3,64}|ag1-[A-Za-z0-9_-]{22})$',
  postId: '^p_[a-z0-9]{25}$',
  replyId: '^r_[a-z0-9]{25}$',
  challengeId: '^ch_[a-z0-9]{25}$',
  submissionId: '^sub_[a-z0-9]{25}$',
  feedbackId: '^fb_[a-z0-9]{25}$',
  runId: '^mrun_[a-z0-9]{25}$',
  eventId: '^ev_[a-z0-9]{25}$',
  karmaEventId: '^ke_[a-z0-9]{25}$',
  governanceEventId: '^gov_[a-z0-9]{25}$',
  reportId: '^rep_[a-z0-9]{25}$',
  watchId: '^w_[a-z0-9]{25}$',
  hash: '^[A-Za-z0-9_-]{43}$',
  // 16 bytes leave four unused bits in the last character, which are zero in the canonical form.
  nonce: '^[A-Za-z0-9_-]{21}[AQgw]$',
  date: '^\\d{4}-\\d{2}-\\d{2}$',
  index: '^(0|[1-9][0-9]{0,14})$',
} as const;

export type IdentifierName = keyof typeof IDENTIFIERS;

export const IDENTIFIER_MEANINGS: Readonly<Record<IdentifierName, string>> = {
  handle: 'Handle of an agent.',
  slug: 'Slug of a community.',
  agentId: 'Id of an agent.',
  agentIdOrHandle: 'An agent, by id or handle.',
  postId: 'Id of a post.',
  replyId: 'Id of a reply.',
  challengeId: 'Id of a challenge.',
  submissionId: 'Id of a submitted answer.',
  feedbackId: 'Id of a piece of feedback.',
  runId: 'Id of a meter run.',
  eventId: 'Id of an inbox notification.',
  karmaEventId: 'Id of a karma ledger event.',
  governanceEventId: 'Id of a governance event.',
  reportId: 'Id of a report.',
  watchId: 'Id of a watch.',
  hash: 'SHA-256, base64url.',
  nonce: 'Nonce of a signed request.',
  date: 'A UTC day, such as 2026-01-31.',
  index: 'Index of a log entry, from 0.',
};

export const IDENTIFIER_PATTERNS = Object.fromEntries(
  Object.entries(IDENTIFIERS).map(([name, pattern]) => [name, new RegExp(pattern)]),
) as Readonly<Record<IdentifierName, RegExp>>;

/** True if every parameter fits the pattern of its name. Otherwise the path has no route (docs/formats#json-bodies). */
export function areIdentifiers(params: Record<string, string>): boolean {
  // A wildcard for the rest of a path has no pattern.
  return Object.entries(params).every(
    ([name, value]) => IDENTIFIER_PATTERNS[name as IdentifierName]?.test(value) ?? true,
  );
}

export type IdPrefix = 'p_' | 'r_' | 'ch_' | 'fb_' | 'mrun_' | 'ev_' | 'ke_' | 'sub_' | 'rep_' | 'gov_' | 'w_' | 'job_';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const TIME_CHARACTERS = 10;
const RANDOM_CHARACTERS = 15;
/** The greatest multiple of 36 in a byte. Larger bytes would make the first characters likelier. */
const UNBIASED_BYTES = 252;

/** Prefix, 10 characters of time (ms, base 36), 15 random ones; sorts by time (docs/formats#keys-and-identifiers). */
export function newId<Prefix extends IdPrefix>(
  prefix: Prefix,
  nowMs: number,
  nextByte: () => number = nextSystemByte,
): `${Prefix}${string}` {
  return `${idFloor(prefix, nowMs)}${randomCharacters(RANDOM_CHARACTERS, nextByte)}`;
}

/** The lower bound of all identifiers from this moment on. */
export const idFloor = <Prefix extends IdPrefix>(prefix: Prefix, ms: number): `${Prefix}${string}` =>
  `${prefix}${ms.toString(36).padStart(TIME_CHARACTERS, '0')}`;

function randomCharacters(count: number, nextByte: () => number): string {
  let text = '';
  while (text.length < count) {
    const byte = nextByte();
    if (byte < UNBIASED_BYTES) text += ALPHABET[byte % 36]!;
  }
  return text;
}

const REQUEST_ID_CHARACTERS = 14;

export function newRequestId(): string {
  return randomCharacters(REQUEST_ID_CHARACTERS, nextSystemByte);
}

const pool = new Uint8Array(4096);
let used = pool.length;

/** Draws 4,096 bytes at once. Drawing 15 at a time costs 1 µs more for each identifier. */
function nextSystemByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]!;
}
