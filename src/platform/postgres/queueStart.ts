import { type Db, type Statement, sql } from './statement.ts';

/** A table whose rows come in at one end by their ids and leave at the other. */
export interface Queue {
  /**
   * The oldest row from `$1` on, or where there is none an id that those to come are above: `oldest`. And which transactions
   * run, as `RUNNING` has it.
   */
  readonly oldest: Statement;
  /** Below every id. */
  readonly first: string;
  isBelow(a: string, b: string): boolean;
  /** From the drawing of an id to the beginning of the transaction that stores its row, at the longest. */
  readonly settledMs: number;
}

/**
 * An id is drawn before its row can be seen: who has drawn one below that of the oldest row runs now, and who looks again
 * when all that run now have ended sees its row.
 */
export const RUNNING =
  'pg_snapshot_xmin(pg_current_snapshot())::text AS running, pg_snapshot_xmax(pg_current_snapshot())::text AS coming';

/** Draws its ids itself, a moment before the transaction has a number of its own. */
const OUTBOX: Queue = {
  oldest: sql(
    'outbox.oldest',
    `SELECT coalesce((SELECT outbox_id FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT 1),
                     (SELECT last_value FROM public.outbox_outbox_id_seq)) AS oldest, ${RUNNING}`,
  ),
  first: '0',
  isBelow: (a, b) => BigInt(a) < BigInt(b),
  settledMs: 5_000,
};

const TIMES = {
  /** So often somebody looks. */
  lookMs: 2_500,
  /** From the beginning again, should the database have been put back meanwhile. */
  anewMs: 600_000,
};

/**
 * Where the rows of a queue begin. What has left it stays in the index while an old snapshot is open, and who looks for the
 * oldest row from the very beginning walks over all of it, again and again.
 */
export class QueueStart {
  readonly #queue: Queue;
  readonly #times: typeof TIMES & { readonly settledMs: number };
  #from: string;
  #startedAt = performance.now();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #noted: { readonly oldest: string; readonly coming: bigint; readonly at: number } | undefined;

  /** `times` are others in tests. */
  constructor(queue: Queue, times: Partial<typeof TIMES & { readonly settledMs: number }> = {}) {
    this.#queue = queue;
    this.#from = queue.first;
    this.#times = { ...TIMES, settledMs: queue.settledMs, ...times };
  }

  /** An id below which there are no rows and will be none. */
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

/** Where the outbox begins; `times` are others in tests. */
export class OutboxStart extends QueueStart {
  constructor(times: ConstructorParameters<typeof QueueStart>[1] = {}) {
    super(OUTBOX, times);
  }
}
