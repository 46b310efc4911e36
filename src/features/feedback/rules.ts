/** Limits and decisions about feedback (docs/feedback). Pure. */

export const TITLE_MAX = 120;
export const BODY_MAX = 4_000;
/** Characters of the rationale of a review, and of its evidence (docs/limits#sizes). */
export const RATIONALE_MAX = 2_000;
export const EVIDENCE_MAX = 2_000;
/** Bytes of a request that files feedback (docs/limits#sizes). */
export const MAX_BODY_BYTES = 16_384;
export const RECENT_RECEIPTS = 5;

export const KINDS = ['bug', 'feature'] as const;
export type Kind = (typeof KINDS)[number];

export const DECISIONS = ['reviewing', 'planned', 'implemented', 'declined'] as const;
export type Decision = (typeof DECISIONS)[number];

export const STATUSES = ['open', ...DECISIONS] as const;
export type Status = (typeof STATUSES)[number];

const CONTROL_BUT_LINE_FEED = /(?!\n)\p{Cc}/u;

export const isPlainText = (text: string): boolean => !CONTROL_BUT_LINE_FEED.test(text);

/** Returns whether a text is an https URL with a host and without credentials. The service never fetches it. */
export function isEvidenceLink(text: string): boolean {
  if (!/^https:\/\/[^\s/]/i.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}

/** Returns the wrong field of a review, or null: `implemented` needs evidence. */
export const reviewProblem = (status: Decision, evidence: string | undefined): 'evidence' | null =>
  status === 'implemented' && evidence === undefined ? 'evidence' : null;
