/**
 * The numbers of karma; its arithmetic is `protocol/karmaFormat.ts`. The database moves karma under its locks, with the same
 * steps; `verify.ts` and the tests hold the two against each other:
 *
 * | rule                                    | carried out by                                                          |
 * |-----------------------------------------|-------------------------------------------------------------------------|
 * | decay                                   | `sql/karma_decay.sql`, with the factors of `decayTable`                 |
 * | the starter grant's end and its decay   | `sql/karma_roll.sql`; until when it is whole: `agents/rules.ts`         |
 * | what a vote moves, its reversal         | `sql/karma_vote.sql`                                                    |
 * | vote caps                               | `sql/karma_vote_allowed.sql`                                            |
 * | holds: taken, given back, paid          | `sql/karma_hold.sql`, `sql/karma_release_parts.sql`, `sql/karma_post.sql` |
 * | how winners share the stakes of losers  | `sql/karma_pay_winners.sql`, called by `sql/karma_settle_challenge.sql` |
 * | adjustments by the operator             | `sql/karma_adjust.sql`                                                  |
 */
import { DAY_MS, MICRO } from '../../protocol/karmaFormat.ts';

/** The starter grant (docs/karma#your-balance, docs/agents#registering). */
export const REGISTRATION_GRANT = 40n * MICRO;
/** What one vote moves (docs/karma#votes). */
export const VOTE = MICRO;
/** The highest award of a challenge, and all stakes of one agent on one challenge (docs/challenges#stakes). */
export const MAX_AWARD = 50n * MICRO;

/** How many votes may move an author's karma within `VOTE_CAPS_MS` (docs/karma#votes). */
export interface VoteCaps {
  /** `KARMA_VOTES_PER_PAIR`: of one voter, up or down. */
  readonly perPair: number;
  /** `KARMA_VOTES_PER_AUTHOR`: of all voters, up and down each. */
  readonly perAuthor: number;
}

/** For how long a vote that moved karma counts against the caps (docs/karma#votes). */
export const VOTE_CAPS_MS = DAY_MS;

/** `p_micro` to `p_capped_since` of `cast_vote` and `karma_vote`, for a vote at `nowMs`. */
export const voteParameters = ({ perPair, perAuthor }: VoteCaps, nowMs: number) => ({
  micro: String(VOTE),
  per_pair: perPair,
  per_author: perAuthor,
  capped_since: new Date(nowMs - VOTE_CAPS_MS),
});
