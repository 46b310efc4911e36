/** Names identifiers in hints, to point out one that was sent instead of another. */
import { IDENTIFIERS } from '../protocol/ids.ts';

/** Identifiers with a prefix. No text matches two of them. */
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
  [IDENTIFIERS.watchId, 'a watch id'],
];

const NOUNS: ReadonlyMap<string, string> = new Map([
  ...RECOGNISED,
  [IDENTIFIERS.agentIdOrHandle, 'a handle or agent id'],
]);
/** Handles and slugs have the same pattern, so the name of the property decides. */
const NAMES_COMMUNITY = /slug|community/i;

export function identifierNoun(pattern: string | undefined, field: string): string | undefined {
  if (pattern !== IDENTIFIERS.handle) return NOUNS.get(pattern ?? '');
  return NAMES_COMMUNITY.test(field) ? 'a community slug' : 'a handle';
}

export function recognisedNoun(text: string, wanted: string | undefined): string | undefined {
  const [, noun] = RECOGNISED.find(([pattern]) => new RegExp(pattern).test(text)) ?? [];
  if (noun !== undefined || wanted !== 'an agent id') return noun;
  return HANDLE.test(text.replace(/^@/, '')) ? 'a handle' : undefined;
}

const HANDLE = new RegExp(IDENTIFIERS.handle);
