import type { Db, Statement } from './statement.ts';

/** A table whose rows are added at one end by their ids, and removed at the other. */
export interface Queue {
  /** Returns the oldest row from `$1` on as `oldest`, else an id below all future ids, and `RUNNING`. */
  readonly oldest: Statement;
  readonly first: string;
  isBelow(a: string, b: string): boolean;
  /** The longest time between drawing an id and beginning the transaction that stores its row. */
  readonly settledMs: number;
}

/** Running transactions. An id is drawn before its row is visible: ids below the oldest visible one belong to them. */
export const RUNNING =
  'pg_snapshot_xmin(pg_current_snapshot())::text AS running, pg_snapshot_xmax(pg_current_snapshot())::text AS coming';

const TIMES = {
  lookMs: 2_500,
  /** The search restarts from the beginning, in case the database was restored from a backup. */
  anewMs: 600_000,
};

/** Finds where rows begin. Under an old snapshot, a search from the beginning would pass all removed rows. */
export class QueueStart {
  readonly #queue: Queue;
  readonly #times: typeof TIMES & { readonly settledMs: number };
  #from: string;
  #startedAt = performance.now();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #noted: { readonly oldest: string; readonly coming: bigint; readonly at: number } | undefined;

  constructor(queue: Queue, times: Partial<typeof TIMES & { readonly settledMs: number }> = {}) {
    this.#queue = queue;
    this.#from = queue.first;
    this.#times = { ...TIMES, settledMs: queue.settledMs, ...times };
  }

  async below(db: Db): Promise<string> {
    const { lookMs, settledMs, anewMs } = this.#times;
    const { oldest, first, isBelow } = this.#queue;
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return this.#from;
    this.#lookedAt = now;
    if (now - this.#startedAt > anewMs) [this.#from, this.#startedAt, this.#noted] = [first, now, undefined];
    const [found] = await db.query<{ oldest: string; running: string; coming: string }>(oldest, [this.#from]);
    const noted = this.#noted;
    if (noted && now - noted.at >= settledMs && BigInt(found!.running) >= noted.coming) {
      this.#from = isBelow(noted.oldest, found!.oldest) ? noted.oldest : found!.oldest;
      this.#noted = undefined;
    }
    this.#noted ??= { oldest: found!.oldest, coming: BigInt(found!.coming), at: now };
    return this.#from;
  }
}
