/** Recomputes an agent's karma from its own events by the arithmetic of the service (docs/karma#the-ledger). */
import {
  categoryOf,
  type DecayTable,
  dayOf,
  decay,
  type KARMA_CATEGORIES,
  type KarmaAccount,
  type KarmaKind,
  type KarmaType,
  kindOf,
  type RolledKarma,
  releaseParts,
  roll,
  shareOf,
  smaller,
  splitAdjustment,
  splitHold,
  toKarma,
  toMicro,
} from '../protocol/karmaFormat.ts';
import type { ForumOperations } from './generated/types.ts';

/** One row of the ledger of an agent. */
export type KarmaEvent = ForumOperations['karma.events']['output']['items'][number];

interface OpenHold {
  readonly type: string;
  readonly reference: string | null;
  readonly amount: bigint;
  readonly fromGrace: bigint;
  readonly fromMain: bigint;
  readonly day: number;
}

interface Change {
  readonly event: KarmaEvent;
  readonly amount: bigint;
  readonly escrowed: bigint;
  readonly complain: (problem: string) => void;
}

/** One account. Events are applied oldest first; what does not follow is added to `differences`. */
export class KarmaFold {
  readonly counts: Record<(typeof KARMA_CATEGORIES)[number], number> = { earned: 0, staked: 0, adjustment: 0 };
  granted = 0n;
  /** Karma of the grant that was paid or taken. */
  grantSpent = 0n;
  #account: KarmaAccount;
  readonly #holds = new Map<string, OpenHold>();
  readonly #seen = new Set<string>();
  readonly #table: DecayTable;
  readonly #differences: string[];

  constructor(table: DecayTable, graceDay: number, differences: string[]) {
    this.#table = table;
    this.#differences = differences;
    this.#account = { graceDay, grace: 0n, main: 0n, mainDay: 0, decayed: 0n };
  }

  get openHolds(): number {
    return this.#holds.size;
  }

  apply(event: KarmaEvent): void {
    const complain = (problem: string) => this.#differences.push(`${event.eventId} (${event.type}): ${problem}`);
    const [amount, escrowed] = [toMicro(event.amount), toMicro(event.escrowed)];
    const kind = kindOf(event.type);
    if (kind === undefined || amount === null || escrowed === null) {
      complain('is not an event of these rules');
      return;
    }
    if (this.#seen.has(event.eventId)) complain('occurs twice');
    this.#seen.add(event.eventId);
    const category = categoryOf(event.type as KarmaType);
    if (event.category !== category) complain(`is ${category}, but is stated as ${event.category}`);
    this.counts[category]++;
    const change = { event, amount, escrowed, complain };
    const hold = this.#resolved(change, kind);
    this.#roll(change, hold, kind);
    if (kind === 'hold') this.#hold(change);
    else if (kind === 'release') this.#release(change, hold);
    else if (kind === 'post') this.#post(change, hold);
    else this.#move(change);
    if (this.#account.grace < 0n || this.#account.main < 0n) complain('takes more than there was');
  }

  #resolved({ event, escrowed, complain }: Change, kind: KarmaKind): OpenHold | undefined {
    const { holdEventId, type, reference } = event;
    if (holdEventId === null) return undefined;
    const hold = this.#holds.get(holdEventId);
    this.#holds.delete(holdEventId);
    if (!hold || (kind !== 'release' && kind !== 'post')) {
      complain('resolves no open hold');
      return undefined;
    }
    const isIts = hold.type.split('_')[0] === type.split('_')[0] && hold.reference === reference;
    if (!isIts) complain('is not about what its hold is for');
    if (escrowed !== -hold.amount) complain(`takes ${toKarma(-escrowed)} out of a hold of ${toKarma(hold.amount)}`);
    return hold;
  }

  /** Decays the account to the day of the event. The payer of a hold is not decayed. */
  #roll({ event, amount, complain }: Change, hold: OpenHold | undefined, kind: KarmaKind): void {
    const { day, createdAt } = event;
    const isPaidOut = kind === 'post' && amount === 0n;
    const own = Math.max(dayOf(Date.parse(createdAt)), hold?.day ?? 0, isPaidOut ? 0 : this.#account.mainDay);
    // A payment may count from a later day, which the other agent's account determines.
    const isRight = event.type === 'bounty_award' ? day >= own : day === own;
    if (!isRight) complain(`counts from day ${day}, and not from ${own}`);
    if (!isPaidOut) this.#account = roll(this.#account, day, this.#table);
  }

  #change(grace: bigint, main: bigint): void {
    const { grace: hadGrace, main: hadMain } = this.#account;
    this.#account = { ...this.#account, grace: hadGrace + grace, main: hadMain + main };
  }

  #hold({ event, amount, escrowed, complain }: Change): void {
    if (escrowed <= 0n || amount !== -escrowed) complain('holds another amount than it takes');
    const split = splitHold(this.#account, escrowed);
    if (!split) complain(`holds ${toKarma(escrowed)}, which was more than there was`);
    const { fromGrace, fromMain } = split ?? { fromGrace: 0n, fromMain: escrowed };
    this.#change(-fromGrace, -fromMain);
    const { type, reference, day } = event;
    this.#holds.set(event.eventId, { type, reference, amount: escrowed, fromGrace, fromMain, day });
  }

  #release({ event, amount, complain }: Change, hold: OpenHold | undefined): void {
    if (!hold) {
      complain('returns no hold');
      return;
    }
    const { toGrace, toMain } = releaseParts(hold, this.#account.graceDay, event.day, this.#table);
    if (amount !== toGrace + toMain) {
      complain(`returns ${toKarma(amount)}, and ${toKarma(toGrace + toMain)} was left of its hold`);
    }
    this.#change(toGrace, toMain);
  }

  #post({ amount, escrowed, complain }: Change, hold: OpenHold | undefined): void {
    if (amount < 0n || (hold === undefined && (amount === 0n || escrowed !== 0n))) complain('pays out no hold');
    if (amount === 0n) this.grantSpent += hold?.fromGrace ?? 0n;
    this.#change(0n, amount);
  }

  #move({ event, amount, escrowed, complain }: Change): void {
    if (escrowed !== 0n) complain('holds nothing, and is stated to');
    if (event.type === 'registration_grant') {
      if (this.#seen.size > 1) complain('is not the first event');
      this.granted += amount;
      this.#change(amount, 0n);
      return;
    }
    const isTaken = event.type === 'enforcement_adjustment' && amount < 0n;
    const fromGrace = isTaken ? splitAdjustment(this.#account, -amount).fromGrace : 0n;
    this.grantSpent += fromGrace;
    this.#change(-fromGrace, amount + fromGrace);
  }

  /** The share of the balance on a day that comes from the grant; null if the balance is 0. */
  grantShareAt(day: number): number | null {
    const { grace, main, escrowedGrace, escrowedMain, day: rolledTo, graceDay } = this.at(day);
    const balance = grace + main + escrowedGrace + escrowedMain;
    const left = decay(this.granted - this.grantSpent, rolledTo - graceDay, this.#table);
    return shareOf(smaller(left, balance), balance);
  }

  /** The balance on a day, but at least the day of the latest event. */
  at(day: number): RolledKarma {
    const { grace, main, mainDay, graceDay } = roll(this.#account, Math.max(day, this.#account.mainDay), this.#table);
    const parts = [...this.#holds.values()].map((hold) => releaseParts(hold, graceDay, mainDay, this.#table));
    const sum = (pick: (part: (typeof parts)[number]) => bigint) =>
      parts.reduce((total, part) => total + pick(part), 0n);
    return {
      graceDay,
      day: mainDay,
      grace,
      main,
      escrowedGrace: sum(({ toGrace }) => toGrace),
      escrowedMain: sum(({ toMain }) => toMain),
    };
  }
}
