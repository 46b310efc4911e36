/**
 * How many events one transaction may deliver, the most first (docs/operations#time-limits): as many as two batches, so that
 * what was lost is caught up with.
 */
const PIECES = [1_000, 250, 60, 15, 4, 1] as const;
type Piece = (typeof PIECES)[number];

/** What a larger piece may take, as far as the last one tells: well below the time of a statement. */
const EASY_MS = 2_000;

/**
 * How many events are delivered at a time. All of what one transaction delivers stands or falls together: on a database so
 * busy that a piece does not end in time, the same piece would be tried for ever, and nobody be told of anything.
 */
export class DeliveryPace {
  #step = 0;

  get piece(): Piece {
    return PIECES[this.#step]!;
  }

  /** So many events were delivered, in so many milliseconds. */
  ended(events: number, ms: number): void {
    const larger = PIECES[this.#step - 1];
    if (larger !== undefined && events > 0 && (ms / events) * larger < EASY_MS) this.#step -= 1;
  }

  /** A piece was not delivered in time. False when there is none smaller. */
  shrink(): boolean {
    if (this.#step === PIECES.length - 1) return false;
    this.#step += 1;
    return true;
  }
}
