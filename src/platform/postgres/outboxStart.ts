import { type Db, type Statement, sql } from './statement.ts';

/**
 * The oldest row, and which transactions run. An id is drawn before its row can be seen: who has drawn one below that of
 * the oldest row runs now, and who looks again when all that run now have ended sees its row.
 */
const OLDEST = sql(
  'outbox.oldest',
  `SELECT coalesce((SELECT outbox_id FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT 1),
                   (SELECT last_value FROM outbox_outbox_id_seq)) AS oldest,
          pg_snapshot_xmin(now)::text AS running, pg_snapshot_xmax(now)::text AS coming
   FROM pg_current_snapshot() now`,
);
const TIMES = {
  /** So often somebody looks. */
  lookMs: 1_000,
  /** A transaction may draw its id a moment before it has a number of its own. */
  settledMs: 5_000,
  /** From the beginning again, should the database have been put back meanwhile. */
  anewMs: 600_000,
};

/**
 * Where the rows of the outbox begin, or of another table that is emptied from its front. What was delivered stays in the index while an old snapshot is open, and who looks
 * for the oldest row from the very beginning walks over all of it, again and again.
 */
export class RowsStart {
  readonly #oldest: Statement;
  readonly #times: typeof TIMES;
  #from = '0';
  #startedAt = performance.now();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #noted: { readonly oldest: string; readonly coming: bigint; readonly at: number } | undefined;

  /** `times` are others in tests; `oldest` answers for another table what `OLDEST` does for the outbox. */
  constructor(times: Partial<typeof TIMES> = {}, oldest = OLDEST) {
    this.#oldest = oldest;
    this.#times = { ...TIMES, ...times };
  }

  /** An id below which there are no rows and will be none. */
  async below(db: Db): Promise<string> {
    const { lookMs, settledMs, anewMs } = this.#times;
    const now = performance.now();
    if (now - this.#lookedAt < lookMs) return this.#from;
    this.#lookedAt = now;
    if (now - this.#startedAt > anewMs) [this.#from, this.#startedAt, this.#noted] = ['0', now, undefined];
    const [found] = await db.query<{ oldest: string; running: string; coming: string }>(this.#oldest, [this.#from]);
    const noted = this.#noted;
    if (noted && now - noted.at >= settledMs && BigInt(found!.running) >= noted.coming) {
      this.#from = String(smaller(BigInt(noted.oldest), BigInt(found!.oldest)));
      this.#noted = undefined;
    }
    this.#noted ??= { oldest: found!.oldest, coming: BigInt(found!.coming), at: now };
    return this.#from;
  }
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
