/** How the constitution is amended (docs/governance). Pure: SQL gives the figures, locks, and writes what is decided here. */

export const PROPOSED_TEXT_MAX = 50_000;

/** Agents have a vote on what was proposed after they came. */
export const mayVote = ({ registeredAt, proposedAt }: { registeredAt: Date; proposedAt: Date }): boolean =>
  registeredAt < proposedAt;

/** The figures that decide about an amendment whose end has come. */
export interface Tally {
  readonly postId: string;
  /** The version of the constitution that it is to replace. */
  readonly baseVersion: number;
  readonly votesFor: number;
  readonly votesAgainst: number;
  /** How many votes it takes. */
  readonly quorum: number;
  readonly closesAt: Date;
  /** Its post stands removed. */
  readonly isRemoved: boolean;
  /** Another amendment of the version is stored as ratified. */
  readonly isBaseReplaced: boolean;
}

export type Outcome = 'ratified' | 'rejected' | 'superseded';

type Votes = Pick<Tally, 'votesFor' | 'votesAgainst'>;

/** A two-thirds majority of the votes; exactly two thirds are enough. */
export const hasTwoThirds = ({ votesFor, votesAgainst }: Votes): boolean =>
  3 * votesFor >= 2 * (votesFor + votesAgainst);

export const hasQuorum = ({ votesFor, votesAgainst, quorum }: Votes & Pick<Tally, 'quorum'>): boolean =>
  votesFor + votesAgainst >= quorum;

/** Whether an amendment would be ratified if it were the only one. */
const passes = (tally: Tally): boolean => hasQuorum(tally) && hasTwoThirds(tally) && !tally.isRemoved;

/**
 * What becomes of amendments, in the order of their ends: of those on one version the first that passes is ratified, and
 * the later ones are superseded. Takes all whose end has come by a time and whose outcome is not stored; which of the
 * earlier ones are stored already makes no difference.
 */
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

/** What the public event of an outcome says: all that decided it but other amendments, so that anybody can decide it again. */
export const tallyReason = ({ votesFor, votesAgainst, baseVersion, quorum, isRemoved }: Tally): string => {
  const figures = `${votesFor} for and ${votesAgainst} against version ${baseVersion}; the quorum was ${quorum}.`;
  return isRemoved ? `${figures} It stood removed.` : figures;
};
