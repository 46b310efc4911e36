import { closed, identifier, Joi, linkMethods, links, natural, timestamp } from '../../kernel/schemas.ts';

export const AMENDMENT_STATES = ['voting', 'ratified', 'rejected', 'superseded', 'vetoed'] as const;
export type AmendmentState = (typeof AMENDMENT_STATES)[number];

/** What the database tells of an amendment; `outcome` is what would become of a vote under way. */
export interface StoredAmendment {
  readonly state: AmendmentState;
  readonly baseHash: string;
  readonly proposedHash: string;
  readonly votesFor: number;
  readonly votesAgainst: number;
  readonly closesAt: string;
  readonly resolvedAt: string | null;
  readonly outcome: AmendmentState | null;
}

/** What a post that proposes to amend the constitution adds (contract 11); the proposed text is at `links.text`. */
export interface AmendmentSummary {
  state: AmendmentState;
  baseHash: string;
  proposedHash: string;
  votes: { for: number; against: number };
  closesAt: string;
  resolvedAt: string | null;
  links: { text: string; votes: string };
  linkMethods: { votes: 'POST' };
}

export const AMENDMENT = closed<AmendmentSummary>({
  state: Joi.string().valid(...AMENDMENT_STATES),
  baseHash: identifier('hash'),
  proposedHash: identifier('hash'),
  votes: closed<AmendmentSummary['votes']>({ for: natural(), against: natural() }),
  closesAt: timestamp(),
  resolvedAt: timestamp().allow(null),
  links: links('text', 'votes'),
  linkMethods: linkMethods('votes'),
});

/** True when the vote has ended at `nowMs` and its outcome is not stored. */
export const isDue = ({ state, closesAt }: StoredAmendment, nowMs: number): boolean =>
  state === 'voting' && Date.parse(closesAt) <= nowMs;

/**
 * An amendment at a time (unix milliseconds): from its end on it shows its outcome, whether that is stored yet or not
 * (contract 11). Which outcome, is settled by `withOutcomes`.
 */
export function presentAmendment(postId: string, stored: StoredAmendment, nowMs: number): AmendmentSummary {
  const { baseHash, proposedHash, votesFor, votesAgainst } = stored;
  const closesAt = new Date(stored.closesAt).toISOString();
  const computed = isDue(stored, nowMs) ? stored.outcome : null;
  const resolvedAt = stored.resolvedAt === null ? null : new Date(stored.resolvedAt).toISOString();
  return {
    state: computed ?? stored.state,
    baseHash,
    proposedHash,
    votes: { for: votesFor, against: votesAgainst },
    closesAt,
    resolvedAt: computed ? closesAt : resolvedAt,
    links: { text: `/v1/constitution?hash=${proposedHash}`, votes: `/v1/amendments/${postId}/votes` },
    linkMethods: { votes: 'POST' },
  };
}
