import {
  type Db,
  isPostgresUnavailable,
  isTimeout,
  oneValue,
  type Postgres,
} from '../src/platform/postgres/postgres.ts';
import { POINTER_VALUES } from '../src/recording/events.ts';
import { betweenDeliveries } from '../src/recording/outbox.ts';

/** If more rows fail, something else is wrong. */
const MAX_STUCK = 1_000;
/** How many events one transaction may deliver (docs/operations#time-limits): two batches, to catch up after a loss. */
const PIECES = [1_000, 250, 60, 15, 4, 1] as const;
/** A larger piece must be expected to take less than this, well below the time limit of a statement. */
const EASY_MS = 2_000;

const applyOldest = oneValue<number, unknown[]>(
  'outbox.applyOldest',
  'SELECT release.apply_outbox(release.oldest_events($1, $2, $3, $4, $5), $6, $7) AS applied',
);
const apply = oneValue<number, unknown[]>(
  'outbox.apply',
  'SELECT release.apply_outbox($1::bigint[], $2, $3) AS applied',
);

/** How many events one transaction delivers, all or none: on a busy database a large piece would never end in time. */
export class DeliveryPace {
  #step = 0;

  get piece(): number {
    return PIECES[this.#step]!;
  }

  ended(events: number, ms: number): void {
    const larger = PIECES[this.#step - 1];
    if (larger !== undefined && events > 0 && (ms / events) * larger < EASY_MS) this.#step -= 1;
  }

  shrink(): boolean {
    if (this.#step === PIECES.length - 1) return false;
    this.#step += 1;
    return true;
  }
}

export const applyOutbox = async (db: Db, outboxIds: readonly string[]): Promise<number> =>
  (await apply(db, outboxIds, ...POINTER_VALUES))!;

/** The ids of rows that failed by themselves: they are not tried together with others again. */
export type StuckRows = Set<string>;

interface Delivery {
  readonly from: string;
  readonly otherKinds: readonly string[];
  readonly stuck: StuckRows;
  readonly pace: DeliveryPace;
}

/** Applies all rows up to the batch's newest. If a row fails, applies only the batch; if time is over, fewer rows. */
export async function applyThrough(db: Postgres, outboxIds: readonly string[], delivery: Delivery): Promise<number> {
  const { from, otherKinds, stuck, pace } = delivery;
  const newest = outboxIds.reduce((max, id) => (BigInt(id) > BigInt(max) ? id : max));
  let total = 0;
  try {
    for (let isWhole = false; !isWhole; ) {
      const { piece } = pace;
      const values = [from, newest, otherKinds, [...stuck], piece, ...POINTER_VALUES];
      const applied = await applyInTime(db, values, pace);
      isWhole = applied !== undefined && applied < piece;
      total += applied ?? 0;
    }
  } catch (error) {
    if (isPostgresUnavailable(error)) throw error;
    return total + (await applyBatch(db, outboxIds, stuck));
  }
  const again = outboxIds.filter((id) => stuck.has(id));
  return again.length === 0 ? total : total + (await applyBatch(db, again, stuck));
}

/** Returns how many rows were applied, or undefined if that took too long and fewer should be tried. */
async function applyInTime(db: Postgres, values: readonly unknown[], pace: DeliveryPace): Promise<number | undefined> {
  let startedAt: number | undefined;
  try {
    const applied = await betweenDeliveries(db, async (transaction) => {
      startedAt = performance.now();
      return (await applyOldest(transaction, ...values))!;
    });
    pace.ended(applied, performance.now() - startedAt!);
    return applied;
  } catch (error) {
    // A delivery that waits for the lock would not get it sooner with fewer rows.
    if (startedAt === undefined || !isTimeout(error) || !pace.shrink()) throw error;
    return undefined;
  }
}

/** Applies a batch whole. If a row fails, applies the halves, so that only that row stays, and throws its error. */
export async function applyBatch(
  db: Postgres,
  outboxIds: readonly string[],
  stuck: StuckRows = new Set(),
): Promise<number> {
  try {
    // The halves skip locked rows, and only the end of a transaction shows that its locks are free.
    const applied = await betweenDeliveries(db, (transaction) => applyOutbox(transaction, outboxIds));
    for (const id of outboxIds) stuck.delete(id);
    return applied;
  } catch (error) {
    if (isPostgresUnavailable(error)) throw error;
    if (outboxIds.length === 1) {
      if (stuck.size < MAX_STUCK) stuck.add(outboxIds[0]!);
      throw error;
    }
    const middle = Math.ceil(outboxIds.length / 2);
    const halves = [outboxIds.slice(0, middle), outboxIds.slice(middle)];
    let total = 0;
    const failures: unknown[] = [];
    for (const half of halves) {
      try {
        total += await applyBatch(db, half, stuck);
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
    return total;
  }
}
