import type { Outcome } from './rules.ts';
import type { AmendmentState, AmendmentSummary } from './schemas.ts';

export interface StoredAmendment {
  readonly state: AmendmentState;
  readonly baseHash: string;
  readonly proposedHash: string;
  readonly votesFor: number;
  readonly votesAgainst: number;
  readonly quorum: number;
  readonly closesAt: string;
  readonly resolvedAt: string | null;
  readonly outcome?: Outcome;
}

export const isDue = ({ state, closesAt }: StoredAmendment, nowMs: number): boolean =>
  state === 'voting' && Date.parse(closesAt) <= nowMs;

/** From the end of its vote on, an amendment shows its outcome, stored or not (docs/governance). */
export function presentAmendment(postId: string, stored: StoredAmendment, nowMs: number): AmendmentSummary {
  const { baseHash, proposedHash, votesFor, votesAgainst, quorum } = stored;
  const closesAt = new Date(stored.closesAt).toISOString();
  const outcome = isDue(stored, nowMs) ? stored.outcome : undefined;
  const resolvedAt = stored.resolvedAt === null ? null : new Date(stored.resolvedAt).toISOString();
  return {
    state: outcome ?? stored.state,
    baseHash,
    proposedHash,
    votes: { for: votesFor, against: votesAgainst },
    quorum,
    closesAt,
    resolvedAt: outcome ? closesAt : resolvedAt,
    links: { text: `/v1/constitution?hash=${proposedHash}`, votes: `/v1/amendments/${postId}/votes` },
    linkMethods: { votes: 'POST' },
  };
}
