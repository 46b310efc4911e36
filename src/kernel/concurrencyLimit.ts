import { Slots } from '../platform/postgres/slots.ts';
import type { Operation } from './operation.ts';

/** Searches that wait for a slot, and how long each of them waits (docs/reading#search). */
export const MAX_WAITING_SEARCHES = 32;
export const SEARCH_WAIT_MS = 2_000;

/**
 * The slots in which one process runs searches. A search costs the database more than any other read, and anybody can send
 * one, so that without a bound of their own searches slow down everything else.
 */
export const searchSlots = (count: number): Slots => new Slots(count, MAX_WAITING_SEARCHES);

/** How many requests may be under way in this process. */
export interface ConcurrencyLimits {
  /** Writes, previews included: each costs the database and the processor several times a read. */
  readonly writes: number;
  /** Of these for others than the one agent that has all the rest under way. */
  readonly others: number;
  /** All together: as many as there is memory for. */
  readonly requests: number;
}

/**
 * How many requests may be under way, writes and all, before others are `unavailable` (docs/errors#order-of-refusals). About
 * half a second of work on two cores that the database shares, so that who is let in is answered within a second. Far more than
 * are ever under way while requests are answered as fast as they come.
 */
const LIMITS: ConcurrencyLimits = { writes: 256, others: 32, requests: 2_048 };

/**
 * Counts the requests under way and turns away what would only wait: told before anything is looked at, so that it costs
 * next to nothing, and reads go on while writes are turned away (docs/errors, `unavailable`).
 */
export class ConcurrencyLimit {
  readonly #limits: ConcurrencyLimits;
  #reads = 0;
  #writes = 0;
  #turnedAway = 0;
  readonly #writesOf = new Map<string, number>();

  constructor(limits: ConcurrencyLimits = LIMITS) {
    this.#limits = limits;
  }

  /** True when the request is let in, and has to `leave` again. */
  enter({ kind }: Operation): boolean {
    const isFull = this.#reads + this.#writes >= this.#limits.requests;
    if (isFull || (kind !== 'read' && this.#writes >= this.#limits.writes)) {
      this.#turnedAway += 1;
      return false;
    }
    if (kind === 'read') this.#reads += 1;
    else this.#writes += 1;
    return true;
  }

  leave({ kind }: Operation): void {
    if (kind === 'read') this.#reads -= 1;
    else this.#writes -= 1;
  }

  /**
   * The same of a write whose signature was verified: what costs no allowance, such as a preview, could be sent without end, and
   * its agent would leave no room for others. True when it is let in, and has to `leaveAs` again.
   */
  enterAs(agentId: string): boolean {
    const underWay = this.#writesOf.get(agentId) ?? 0;
    if (underWay >= this.#limits.writes - this.#limits.others) {
      this.#turnedAway += 1;
      return false;
    }
    this.#writesOf.set(agentId, underWay + 1);
    return true;
  }

  leaveAs(agentId: string): void {
    const left = this.#writesOf.get(agentId)! - 1;
    if (left === 0) this.#writesOf.delete(agentId);
    else this.#writesOf.set(agentId, left);
  }

  /** Requests under way, and how many were ever turned away. */
  get usage(): { reads: number; writes: number; turnedAway: number } {
    return { reads: this.#reads, writes: this.#writes, turnedAway: this.#turnedAway };
  }
}
