/**
 * The numbers of karma; its arithmetic is `protocol/karmaFormat.ts`. The database moves karma under locks in the same
 * steps (`sql/karma_*.sql`), and `verify.ts` and the tests compare the two.
 */
import { DAY_MS, MICRO } from '../../protocol/karmaFormat.ts';

/** The starter grant (docs/karma#your-balance, docs/agents#registering). */
export const REGISTRATION_GRANT = 40n * MICRO;
/** Karma that one vote moves (docs/karma#votes). */
export const VOTE = MICRO;
/**
 * The highest award of a challenge, and the most that one agent may stake on one challenge (docs/challenges#stakes).
 */
export const MAX_AWARD = 50n * MICRO;

export interface VoteCaps {
  /** Votes of one voter, up or down (`KARMA_VOTES_PER_PAIR`). */
  readonly perPair: number;
  /** Votes of all voters, up and down each (`KARMA_VOTES_PER_AUTHOR`). */
  readonly perAuthor: number;
  /** Age of a voter since its registration (`KARMA_VOTER_AGE_SECONDS`). Without it, there is no minimum age. */
  readonly voterAgeSeconds?: number;
}

/** How long a vote that moved karma counts towards the caps (docs/karma#votes). */
export const VOTE_CAPS_MS = DAY_MS;

/** The parameters `p_micro` to `p_registered_by` of `cast_vote` and `karma_vote`. */
export const voteParameters = ({ perPair, perAuthor, voterAgeSeconds = 0 }: VoteCaps, nowMs: number) => ({
  micro: String(VOTE),
  per_pair: perPair,
  per_author: perAuthor,
  capped_since: new Date(nowMs - VOTE_CAPS_MS),
  registered_by: voterAgeSeconds === 0 ? null : new Date(nowMs - voterAgeSeconds * 1_000),
});
