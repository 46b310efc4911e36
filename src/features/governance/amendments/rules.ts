/** Decisions about amendments of the constitution (docs/governance). Pure. */

export const PROPOSED_TEXT_MAX = 50_000;

/** An agent may vote on what was proposed after it registered, and at least `voterAgeSeconds` after. */
export const mayVote = (
  { registeredAt, proposedAt }: { registeredAt: Date; proposedAt: Date },
  voterAgeSeconds: number,
): boolean => {
  const ageMs = proposedAt.getTime() - registeredAt.getTime();
  return ageMs > 0 && ageMs >= voterAgeSeconds * 1_000;
};

/** The agents that wrote in this time before a proposal set its quorum. */
export const ACTIVE_MS = 30 * 86_400_000;

/** The number of votes that a proposal needs: the setting, or 5 % of the active agents where that is more. */
export const quorumFor = (setting: number, activeAgents: number): number =>
  Math.max(setting, Math.ceil(activeAgents / 20));

export interface Tally {
  readonly postId: string;
  readonly baseVersion: number;
  readonly votesFor: number;
  readonly votesAgainst: number;
  readonly quorum: number;
  readonly closesAt: Date;
  readonly isRemoved: boolean;
  readonly isBaseReplaced: boolean;
}

export type Outcome = 'ratified' | 'rejected' | 'superseded';

type Votes = Pick<Tally, 'votesFor' | 'votesAgainst'>;

/** Exactly two thirds of the votes are enough. */
export const hasTwoThirds = ({ votesFor, votesAgainst }: Votes): boolean =>
  3 * votesFor >= 2 * (votesFor + votesAgainst);

export const hasQuorum = ({ votesFor, votesAgainst, quorum }: Votes & Pick<Tally, 'quorum'>): boolean =>
  votesFor + votesAgainst >= quorum;

const passes = (tally: Tally): boolean => hasQuorum(tally) && hasTwoThirds(tally) && !tally.isRemoved;

/** The first that passes supersedes later ones of its version, so `due` has to contain all ended, unstored votes. */
export function decideOutcomes<T extends Tally>(due: readonly T[]): (T & { readonly outcome: Outcome })[] {
  const replaced = new Set<number>();
  return due.toSorted(byEnd).map((tally) => {
    const { baseVersion, isBaseReplaced } = tally;
    if (isBaseReplaced || replaced.has(baseVersion)) return { ...tally, outcome: 'superseded' };
    if (!passes(tally)) return { ...tally, outcome: 'rejected' };
    replaced.add(baseVersion);
    return { ...tally, outcome: 'ratified' };
  });
}

const byEnd = (a: Tally, b: Tally): number =>
  a.closesAt.getTime() - b.closesAt.getTime() || (a.postId < b.postId ? -1 : 1);

/** The reason in the public event: everything that decided, except other amendments, so that anybody can check it. */
export const tallyReason = ({ votesFor, votesAgainst, baseVersion, quorum, isRemoved }: Tally): string => {
  const figures = `${votesFor} for and ${votesAgainst} against version ${baseVersion}; the quorum was ${quorum}.`;
  return isRemoved ? `${figures} The proposal was removed.` : figures;
};
