// The rules that the database alone carries out, once more in TypeScript: the tests compare the two.

import { VOTE, VOTE_CAPS_MS, type VoteCaps } from '../../../src/features/karma/rules.ts';
import { type DecayTable, decay } from '../../../src/protocol/karmaFormat.ts';

/** The vote of one voter on one target. */
export interface VoteKarma {
  /** What the standing vote moved: positive to the author, negative from it. */
  readonly moved: bigint;
  readonly movedDay: number;
  /** What an earlier reversal could not take. */
  readonly remainder: bigint;
  readonly remainderDay: number;
}

/** The change of the author's main, signed (0: no row), and the resulting state. */
export interface VoteStep {
  readonly amount: bigint;
  readonly vote: VoteKarma;
}

/** Reverses what is left on `day` of what the current vote moved; takes at most `main`. */
export function reverseVote(vote: VoteKarma, main: bigint, day: number, table: DecayTable): VoteStep {
  const reversed = { ...vote, moved: 0n };
  if (vote.moved <= 0n) return { amount: decay(-vote.moved, day - vote.movedDay, table), vote: reversed };
  const due = decay(vote.moved, day - vote.movedDay, table);
  const taken = smaller(due, main);
  if (taken === due) return { amount: -taken, vote: reversed };
  const remainder = decay(vote.remainder, day - vote.remainderDay, table) + due - taken;
  return { amount: -taken, vote: { ...reversed, remainder, remainderDay: day } };
}

/**
 * A vote that may move karma, after the one before it was reversed. The remainder is collected first: it is subtracted
 * from an up-vote and added to a down-vote. Only the rest of a down-vote is its own, so that its reversal never refunds
 * the debt of an earlier reversal (docs/karma#votes).
 */
export function castVote(value: 1 | -1, vote: VoteKarma, main: bigint, day: number, table: DecayTable): VoteStep {
  const owed = decay(vote.remainder, day - vote.remainderDay, table);
  const taken = smaller(main, VOTE + owed);
  const collected = smaller(owed, value > 0 ? VOTE : taken);
  const amount = value > 0 ? VOTE - collected : -taken;
  const moved = value > 0 ? VOTE : collected - taken;
  return {
    amount,
    vote: {
      moved,
      movedDay: moved === 0n ? vote.movedDay : day,
      remainder: collected > 0n ? owed - collected : vote.remainder,
      remainderDay: collected > 0n ? day : vote.remainderDay,
    },
  };
}

/** A vote that moved an author's karma. */
export interface VoteMove {
  readonly voterId: string;
  readonly type: 'vote_up' | 'vote_down';
  readonly atMs: number;
}

/** Whether one more vote may move the author's karma, given the moves by votes so far (docs/karma#votes). */
export function mayMove(moves: readonly VoteMove[], next: VoteMove, caps: VoteCaps): boolean {
  const recent = moves.filter((move) => move.atMs > next.atMs - VOTE_CAPS_MS);
  const byPair = recent.filter((move) => move.voterId === next.voterId);
  const inDirection = recent.filter((move) => move.type === next.type);
  return byPair.length < caps.perPair && inDirection.length < caps.perAuthor;
}

export interface Stake {
  readonly agentId: string;
  readonly outcome: string;
  readonly amount: bigint;
}

export interface StakeSettlement {
  /** All stakes are released: nobody backed the outcome, or it is `void`. */
  readonly refund: boolean;
  /** Paid from the pool, beside the released own stakes; in the order of first stakes, zeros included. */
  readonly winnings: ReadonlyMap<string, bigint>;
  /** What stays in the pool because of rounding down. */
  readonly dust: bigint;
}

/** Parimutuel settlement on faces, per agent (docs/challenges#stakes). */
export function settleStakes(stakes: readonly Stake[], outcome: string): StakeSettlement {
  const own = new Map<string, bigint>();
  let won = 0n;
  let lost = 0n;
  for (const stake of stakes) {
    if (stake.outcome === outcome) {
      own.set(stake.agentId, (own.get(stake.agentId) ?? 0n) + stake.amount);
      won += stake.amount;
    } else lost += stake.amount;
  }
  if (won === 0n) return { refund: true, winnings: new Map(), dust: 0n };
  const winnings = new Map([...own].map(([agentId, amount]) => [agentId, (lost * amount) / won]));
  let dust = lost;
  for (const amount of winnings.values()) dust -= amount;
  return { refund: false, winnings, dust };
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
