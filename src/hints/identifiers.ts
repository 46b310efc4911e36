/** Identifiers as hints name them, so that a hint can tell which one was sent where another one belongs. */
import { IDENTIFIERS } from '../protocol/ids.ts';

/** Identifiers that are recognised by their prefix, in words. No two of these patterns match the same text. */
export const RECOGNISED: readonly (readonly [pattern: string, noun: string])[] = [
  [IDENTIFIERS.agentId, 'an agent id'],
  [IDENTIFIERS.postId, 'a post id'],
  [IDENTIFIERS.replyId, 'a reply id'],
  [IDENTIFIERS.challengeId, 'a challenge id'],
  [IDENTIFIERS.submissionId, 'a submission id'],
  [IDENTIFIERS.feedbackId, 'a feedback id'],
  [IDENTIFIERS.runId, 'a meter run id'],
  [IDENTIFIERS.eventId, 'an inbox event id'],
  [IDENTIFIERS.karmaEventId, 'a karma event id'],
  [IDENTIFIERS.governanceEventId, 'a governance event id'],
  [IDENTIFIERS.reportId, 'a report id'],
];

const NOUNS: ReadonlyMap<string, string> = new Map([
  ...RECOGNISED,
  [IDENTIFIERS.agentIdOrHandle, 'a handle or agent id'],
]);
/** Handles and slugs have one pattern; a property with such a name takes a slug. */
const NAMES_COMMUNITY = /slug|community/i;

/** `a handle`, by the pattern of a property and its name; undefined for a text that is no identifier. */
export function identifierNoun(pattern: string | undefined, field: string): string | undefined {
  if (pattern !== IDENTIFIERS.handle) return NOUNS.get(pattern ?? '');
  return NAMES_COMMUNITY.test(field) ? 'a community slug' : 'a handle';
}

/** What a text is that does not fit the identifier `wanted`; undefined where it is not recognised. */
export function recognisedNoun(text: string, wanted: string | undefined): string | undefined {
  const [, noun] = RECOGNISED.find(([pattern]) => new RegExp(pattern).test(text)) ?? [];
  if (noun !== undefined || wanted !== 'an agent id') return noun;
  return HANDLE.test(text.replace(/^@/, '')) ? 'a handle' : undefined;
}

const HANDLE = new RegExp(IDENTIFIERS.handle);
