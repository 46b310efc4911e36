import {
  type Db,
  isPostgresUnavailable,
  isTimeout,
  manyRows,
  oneRow,
  oneValue,
  type Postgres,
  sql,
} from '../platform/postgres/postgres.ts';
import { QueueStart, RUNNING } from '../platform/postgres/queueStart.ts';
import { eventRow, type NewEvent, POINTER_VALUES } from './events.ts';

export const RELAY_BATCH = 500;
/** A batch that is not done by then is handed over again, so a lost Redis delays an event by this time. */
const LEASE_SECONDS = 5;
/** Further rows are estimated from their ids. */
const COUNTED_ROWS = 1_000;

/** Leases up to a batch of free rows for a few seconds; `from` is where rows begin (`OutboxStart`). */
export const leaseOutbox = manyRows<OutboxRow, [from: string]>(
  'outbox.lease',
  `UPDATE outbox SET lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
   WHERE outbox_id = ANY ((SELECT release.leasable_events($1, ${RELAY_BATCH}))::bigint[])
   RETURNING outbox_id AS "outboxId", kind, subject, request_id AS "requestId", trace_id AS "traceId"`,
);
/** If more rows fail, something else is wrong. */
const MAX_STUCK = 1_000;
/**
 * How many events one transaction may deliver (docs/operations#time-limits). The most are two batches, to catch up
 * after a loss.
 */
const PIECES = [1_000, 250, 60, 15, 4, 1] as const;
/** A larger piece must be expected to take less than this, well below the time limit of a statement. */
const EASY_MS = 2_000;

const OLDEST = sql(
  'outbox.oldest',
  `SELECT coalesce((SELECT outbox_id FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT 1),
                   (SELECT last_value FROM public.outbox_outbox_id_seq)) AS oldest, ${RUNNING}`,
);
/** One delivery at a time, in the order of the outbox: the numbers of a recipient follow the order of events. */
const TAKE_TURN = sql('outbox.takeTurn', 'SELECT pg_advisory_xact_lock(5107202)');
const applyOldest = oneValue<number, unknown[]>(
  'outbox.applyOldest',
  'SELECT release.apply_outbox(release.oldest_events($1, $2, $3, $4, $5), $6, $7) AS applied',
);
const apply = oneValue<number, unknown[]>(
  'outbox.apply',
  'SELECT release.apply_outbox($1::bigint[], $2, $3) AS applied',
);
const WRITE = sql(
  'outbox.write',
  `SELECT release.put_event(e.kind, e.subject, e.community, coalesce(e.hidden, false), $2, e.recipient)
   FROM jsonb_to_recordset($1) AS e(kind text, subject text, community text, hidden boolean, recipient text)`,
);
const readLag = oneRow<{ rows: number; oldestSeconds: number }, [from: string]>(
  'outbox.lag',
  `SELECT (count(*) + CASE count(*) WHEN ${COUNTED_ROWS} THEN (SELECT max(outbox_id) FROM outbox) - max(outbox_id)
                      ELSE 0 END)::float8 AS rows,
          coalesce(greatest(0, extract(epoch FROM clock_timestamp() - (array_agg(occurred_at ORDER BY outbox_id))[1])), 0)::float8
            AS "oldestSeconds"
   FROM (SELECT outbox_id, occurred_at FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT ${COUNTED_ROWS}) first`,
);

export interface OutboxRow {
  readonly outboxId: string;
  readonly kind: string;
  readonly subject: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
}

/** Where the outbox begins. Its ids are drawn a moment before the transaction has a number. */
export class OutboxStart extends QueueStart {
  constructor(times: ConstructorParameters<typeof QueueStart>[1] = {}) {
    super({ oldest: OLDEST, first: '0', isBelow: (a, b) => BigInt(a) < BigInt(b), settledMs: 5_000 }, times);
  }
}

/** Runs work while no event is delivered. What it reads is then not older than what deliveries wrote. */
export const betweenDeliveries = <T>(db: Postgres, work: (db: Db) => Promise<T>): Promise<T> =>
  db.inTransaction(async (transaction) => {
    await transaction.query(TAKE_TURN);
    return work(transaction);
  });

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

/** Writes events in the transaction of a job. The events of an operation are part of its effect. */
export async function writeEvents(db: Db, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length > 0) await db.query(WRITE, [JSON.stringify(events.map(eventRow)), at]);
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
    const applied = await db.inTransaction(async (transaction) => {
      await transaction.query(TAKE_TURN);
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
    const applied = await db.inTransaction(async (transaction) => {
      await transaction.query(TAKE_TURN);
      return applyOutbox(transaction, outboxIds);
    });
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

/** Returns how many rows wait, more than 1,000 estimated from their ids, and the age of the oldest in seconds. */
export const outboxLag = async (db: Db, from: string) => (await readLag(db, from))!;
