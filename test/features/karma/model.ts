import type { VoteCaps } from '../../../src/features/karma/rules.ts';
import {
  type DecayTable,
  dayOf,
  type HoldParts,
  type HoldType,
  type KarmaAccount,
  type KarmaType,
  type PostType,
  type ReleaseType,
  releaseParts,
  roll,
  splitAdjustment,
  splitHold,
} from '../../../src/protocol/karmaFormat.ts';
import { castVote, mayMove, reverseVote, settleStakes, type VoteKarma, type VoteMove } from './modelRules.ts';

export interface ModelRow {
  type: KarmaType;
  from: string;
  to: string;
  amount: bigint;
  day: number;
}

export interface ModelHold extends HoldParts {
  agentId: string;
  type: HoldType;
  amount: bigint;
  open: boolean;
}

export type Refusal = 'AF402' | 'AF409';

/** The ledger in memory: the same rules without a database, for tests to compare with. */
export class LedgerModel {
  readonly accounts = new Map<string, KarmaAccount>();
  readonly holds: ModelHold[] = [];
  readonly votes = new Map<string, VoteKarma>();
  readonly moves = new Map<string, VoteMove[]>();
  readonly rows: ModelRow[] = [];
  pool = 0n;
  readonly #table: DecayTable;

  constructor(table: DecayTable) {
    this.#table = table;
  }

  open(agentId: string, grant: bigint, graceDay: number, at: Date): void {
    const day = dayOf(at.getTime());
    this.accounts.set(agentId, { graceDay, grace: grant, main: 0n, mainDay: day, decayed: 0n });
    if (grant > 0n) this.#row('registration_grant', 'mint', agentId, grant, day);
  }

  /** Returns the index of the hold. */
  hold(agentId: string, amount: bigint, type: HoldType, at: Date): number | Refusal {
    const account = this.#rolled(agentId, dayOf(at.getTime()));
    const split = splitHold(account, amount);
    if (!split) return 'AF402';
    this.#store(agentId, account, -split.fromGrace, -split.fromMain);
    this.#row(type, agentId, agentId, amount, account.mainDay);
    return this.holds.push({ ...split, agentId, type, amount, day: account.mainDay, open: true }) - 1;
  }

  release(index: number, type: ReleaseType, at: Date): bigint | Refusal {
    const hold = this.holds[index]!;
    if (!hold.open) return 'AF409';
    hold.open = false;
    const account = this.#rolled(hold.agentId, Math.max(dayOf(at.getTime()), hold.day));
    const { toGrace, toMain } = releaseParts(hold, account.graceDay, account.mainDay, this.#table);
    const amount = toGrace + toMain;
    this.#store(hold.agentId, { ...account, decayed: account.decayed + hold.amount - amount }, toGrace, toMain);
    this.#row(type, hold.agentId, hold.agentId, amount, account.mainDay);
    return amount;
  }

  post(index: number, to: string, type: PostType, at: Date): bigint | Refusal {
    const hold = this.holds[index]!;
    if (!hold.open) return 'AF409';
    hold.open = false;
    let day = Math.max(dayOf(at.getTime()), hold.day);
    if (to === 'pool') this.pool += hold.amount;
    else {
      const account = this.#rolled(to, day);
      day = account.mainDay;
      this.#store(to, account, 0n, hold.amount);
    }
    this.#row(type, hold.agentId, to, hold.amount, day);
    return hold.amount;
  }

  /** From the mint or the pool to an agent's main. */
  pay(from: 'mint' | 'pool', to: string, amount: bigint, type: KarmaType, at: Date): void {
    const account = this.#rolled(to, dayOf(at.getTime()));
    this.#store(to, account, 0n, amount);
    if (from === 'pool') this.pool -= amount;
    this.#row(type, from, to, amount, account.mainDay);
  }

  adjust(agentId: string, amount: bigint, at: Date): bigint {
    if (amount > 0n) {
      this.pay('mint', agentId, amount, 'enforcement_adjustment', at);
      return amount;
    }
    const account = this.#rolled(agentId, dayOf(at.getTime()));
    const { fromGrace, fromMain } = splitAdjustment(account, -amount);
    if (fromGrace + fromMain === 0n) return 0n;
    this.#store(agentId, account, -fromGrace, -fromMain);
    this.#row('enforcement_adjustment', agentId, 'mint', fromGrace + fromMain, account.mainDay);
    return -fromGrace - fromMain;
  }

  /** A vote that changes; returns the receipt's event. */
  vote(
    change: { voterId: string; targetId: string; authorId: string; value: 1 | -1 | 0; movesKarma: boolean },
    caps: VoteCaps,
    at: Date,
  ): { type: KarmaType; amount: bigint } | null {
    const { voterId, authorId, value } = change;
    const account = this.#rolled(authorId, dayOf(at.getTime()));
    const day = account.mainDay;
    const key = `${voterId} ${change.targetId}`;
    const none = { moved: 0n, movedDay: day, remainder: 0n, remainderDay: day };
    let { vote, amount } = { vote: this.votes.get(key) ?? none, amount: 0n };
    let main = account.main;
    let event: { type: KarmaType; amount: bigint } | null = null;
    const step = (type: KarmaType) => {
      if (amount === 0n) return;
      main += amount;
      event = { type, amount };
      this.#row(type, amount < 0n ? authorId : 'mint', amount < 0n ? 'mint' : authorId, abs(amount), day);
    };
    ({ amount, vote } = reverseVote(vote, main, day, this.#table));
    step('vote_reversal');
    const type = value > 0 ? 'vote_up' : 'vote_down';
    const move: VoteMove = { voterId, type, atMs: at.getTime() };
    const moves = this.moves.get(authorId) ?? [];
    if (value !== 0 && change.movesKarma && mayMove(moves, move, caps)) {
      ({ amount, vote } = castVote(value, vote, main, day, this.#table));
      step(type);
      if (amount !== 0n) this.moves.set(authorId, [...moves, move]);
    }
    this.votes.set(key, vote);
    if (event) this.#store(authorId, { ...account, main }, 0n, 0n);
    return event;
  }

  /**
   * Award and stakes of one challenge, resolved as docs/challenges#scoring says; `stakes` are hold indexes with their
   * outcome.
   */
  settle(
    challenge: { awardHold: number; winnerId: string | null; award: bigint; outcome: string },
    stakes: readonly { hold: number; outcome: string }[],
    at: Date,
  ): void {
    if (challenge.winnerId === null) this.release(challenge.awardHold, 'challenge_release', at);
    else {
      this.post(challenge.awardHold, 'pool', 'challenge_consume', at);
      this.pay('mint', challenge.winnerId, challenge.award, 'challenge_award', at);
    }
    const faces = stakes.map(({ hold, outcome }) => ({ ...this.holds[hold]!, outcome }));
    const { refund, winnings } = settleStakes(faces, challenge.outcome);
    const won = stakes.filter((stake) => refund || stake.outcome === challenge.outcome);
    for (const { hold } of won) this.release(hold, 'stake_refund', at);
    for (const stake of stakes) if (!won.includes(stake)) this.post(stake.hold, 'pool', 'stake_forfeit', at);
    for (const [agentId, amount] of winnings) if (amount > 0n) this.pay('pool', agentId, amount, 'stake_payout', at);
  }

  /** Grants and mints less what went back, against everything that is anywhere (docs/karma#the-ledger, `verify`). */
  imbalance(): bigint {
    let total = this.pool;
    for (const account of this.accounts.values()) total += account.grace + account.main + account.decayed;
    for (const hold of this.holds) if (hold.open) total += hold.amount;
    for (const row of this.rows) {
      if (row.from === 'mint') total -= row.amount;
      if (row.to === 'mint') total += row.amount;
    }
    return total;
  }

  #rolled(agentId: string, day: number): KarmaAccount {
    return roll(this.accounts.get(agentId)!, day, this.#table);
  }

  #store(agentId: string, account: KarmaAccount, grace: bigint, main: bigint): void {
    this.accounts.set(agentId, { ...account, grace: account.grace + grace, main: account.main + main });
  }

  #row(type: KarmaType, from: string, to: string, amount: bigint, day: number): void {
    this.rows.push({ type, from, to, amount, day });
  }
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value;
}
