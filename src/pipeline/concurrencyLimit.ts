import type { Operation } from '../operation/operation.ts';
import { Semaphore } from '../platform/postgres/semaphore.ts';

/** Searches that wait for a slot, and how long each of them waits (docs/reading#search). */
export const MAX_WAITING_SEARCHES = 32;
export const SEARCH_WAIT_MS = 2_000;

/**
 * The slots in which one process runs searches. A search costs the database more than any other read, and anybody can send
 * one, so that without a bound of their own searches slow down everything else.
 */
export const searchPermits = (count: number): Semaphore => new Semaphore(count, MAX_WAITING_SEARCHES);

type Kind = Operation['kind'];

/** The permits of one kind of operation. */
export interface Permits {
  /** How many may be under way at a time. */
  readonly all: number;
  /** How many of these one agent may have under way. */
  readonly each: number;
}

/** How many requests may be under way in this process. */
export interface ConcurrencyLimits extends Readonly<Record<Exclude<Kind, 'read'>, Permits>> {
  /** All together, reads included: as many as there is memory for. */
  readonly requests: number;
}

/**
 * How many requests of each kind may be under way before the next is `unavailable` (docs/errors#order-of-refusals).
 * Signed writes: about half a second of work on two cores that the database shares, so that an admitted write is answered
 * within a second. Previews and unsigned writes cost as much but charge no allowance, so they have permits of their own.
 */
const LIMITS: ConcurrencyLimits = {
  write: { all: 256, each: 224 },
  preview: { all: 64, each: 56 },
  'unsigned-write': { all: 64, each: 64 },
  requests: 2_048,
};

/**
 * Counts the requests under way and refuses those beyond the limits before anything else is looked at, so that a refusal
 * costs next to nothing and reads continue while writes are refused (docs/errors, `unavailable`).
 */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  readonly #underWay: Record<Kind, number> = { read: 0, write: 0, preview: 0, 'unsigned-write': 0 };
  #turnedAway = 0;
  /** Writes and previews under way, by kind and agent. */
  readonly #ofAgents = new Map<string, number>();

  constructor(limits: ConcurrencyLimits = LIMITS) {
    this.#limits = limits;
  }

  /** True when the request is let in, and has to `leave` again. */
  enter({ kind }: Operation): boolean {
    const { read, write, preview, 'unsigned-write': unsigned } = this.#underWay;
    const isFull = read + write + preview + unsigned >= this.#limits.requests;
    if (isFull || (kind !== 'read' && this.#underWay[kind] >= this.#limits[kind].all)) {
      this.#turnedAway += 1;
      return false;
    }
    this.#underWay[kind] += 1;
    return true;
  }

  leave({ kind }: Operation): void {
    this.#underWay[kind] -= 1;
  }

  /**
   * The same for one agent, once its signature was verified: a preview costs no allowance and could be sent without end, and
   * leave no permits for others. True when it is let in, and has to `leaveAs` again.
   */
  enterAs({ kind }: Signed, agentId: string): boolean {
    const holder = `${kind} ${agentId}`;
    const underWay = this.#ofAgents.get(holder) ?? 0;
    if (underWay >= this.#limits[kind].each) {
      this.#turnedAway += 1;
      return false;
    }
    this.#ofAgents.set(holder, underWay + 1);
    return true;
  }

  leaveAs({ kind }: Signed, agentId: string): void {
    const holder = `${kind} ${agentId}`;
    const left = this.#ofAgents.get(holder)! - 1;
    if (left === 0) this.#ofAgents.delete(holder);
    else this.#ofAgents.set(holder, left);
  }

  /** Requests under way by kind, and how many were ever turned away. */
  get usage(): { underWay: Readonly<Record<Kind, number>>; turnedAway: number } {
    return { underWay: this.#underWay, turnedAway: this.#turnedAway };
  }
}

/** A write or a preview. */
interface Signed {
  readonly kind: 'write' | 'preview';
}
