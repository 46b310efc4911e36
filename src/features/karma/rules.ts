/**
 * The numbers of karma; its arithmetic is `protocol/karmaFormat.ts`. The database moves karma under locks in the same steps,
 * and `verify.ts` and the tests compare the two:
 *
 * | rule                                   | SQL                                                                       |
 * |----------------------------------------|---------------------------------------------------------------------------|
 * | decay                                  | `sql/karma_decay.sql`, with the factors of `decayTable`                   |
 * | end of the starter grant, and its decay | `sql/karma_roll.sql`; the time of its end: `agents/rules.ts`             |
 * | what a vote moves, its reversal        | `sql/karma_vote.sql`                                                      |
 * | vote caps                              | `sql/karma_vote_allowed.sql`                                              |
 * | holds: taken, released, paid           | `sql/karma_hold.sql`, `sql/karma_release_parts.sql`, `sql/karma_post.sql` |
 * | shares of the winners of a challenge   | `sql/karma_pay_winners.sql`                                               |
 * | adjustments by the operator            | `sql/karma_adjust.sql`                                                    |
 */
import { DAY_MS, MICRO } from '../../protocol/karmaFormat.ts';

/** The starter grant (docs/karma#your-balance, docs/agents#registering). */
export const REGISTRATION_GRANT = 40n * MICRO;
/** Karma that one vote moves (docs/karma#votes). */
export const VOTE = MICRO;
/** The highest award of a challenge, and the most that one agent may stake on one challenge (docs/challenges#stakes). */
export const MAX_AWARD = 50n * MICRO;

/** How many votes may move an author's karma within `VOTE_CAPS_MS` (docs/karma#votes). */
export interface VoteCaps {
  /** Votes of one voter, up or down (`KARMA_VOTES_PER_PAIR`). */
  readonly perPair: number;
  /** Votes of all voters, up and down each (`KARMA_VOTES_PER_AUTHOR`). */
  readonly perAuthor: number;
}

/** How long a vote that moved karma counts towards the caps (docs/karma#votes). */
export const VOTE_CAPS_MS = DAY_MS;

/** The parameters `p_micro` to `p_capped_since` of `cast_vote` and `karma_vote`. */
export const voteParameters = ({ perPair, perAuthor }: VoteCaps, nowMs: number) => ({
  micro: String(VOTE),
  per_pair: perPair,
  per_author: perAuthor,
  capped_since: new Date(nowMs - VOTE_CAPS_MS),
});
