import {
  type Db,
  isPostgresUnavailable,
  isTimeout,
  type Postgres,
  type Statement,
  sql,
} from '../platform/postgres/postgres.ts';
import type { DeliveryPace } from './deliveryPace.ts';
import { eventRow, type NewEvent, POINTER_VALUES } from './events.ts';

export const RELAY_BATCH = 500;
/** A batch that was handed over and is not done by then is handed over again: so long a lost Redis delays an event. */
const LEASE_SECONDS = 5;
/** So many are counted; how many more there are is told by their ids. */
const COUNTED_ROWS = 1_000;

const LEASE = sql(
  'outbox.lease',
  `UPDATE outbox SET lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
   WHERE outbox_id = ANY ((SELECT release.leasable_events($1, ${RELAY_BATCH}))::bigint[])
   RETURNING outbox_id AS "outboxId", kind, subject, request_id AS "requestId", trace_id AS "traceId"`,
);
/** Rows that cannot be applied are few, or something else is wrong. */
const MAX_STUCK = 1_000;

/*
 * One delivery at a time, in the order of the outbox: a recipient's numbers follow the order of events, and whoever comes
 * with a later batch first applies what an earlier one left behind when it was lost.
 */
const TAKE_TURN = sql('outbox.takeTurn', 'SELECT pg_advisory_xact_lock(5107202)');
const APPLY_OLDEST = sql(
  'outbox.applyOldest',
  'SELECT release.apply_outbox(release.oldest_events($1, $2, $3, $4, $5), $6, $7) AS applied',
);
const APPLY = sql('outbox.apply', 'SELECT release.apply_outbox($1::bigint[], $2, $3) AS applied');
const WRITE = sql(
  'outbox.write',
  `SELECT release.put_event(e.kind, e.subject, e.community, coalesce(e.hidden, false), $2, e.recipient)
   FROM jsonb_to_recordset($1) AS e(kind text, subject text, community text, hidden boolean, recipient text)`,
);
const LAG = sql(
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

/** Writes events in the transaction of a job; those of an operation are part of its effect. */
export async function writeEvents(db: Db, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length > 0) await db.query(WRITE, [JSON.stringify(events.map(eventRow)), at]);
}

/** Takes up to a batch of rows that nobody has taken, for a few seconds; `from` is where rows begin (`OutboxStart`). */
export async function leaseOutbox(db: Db, from: string): Promise<OutboxRow[]> {
  return db.query<OutboxRow>(LEASE, [from]);
}

/** Applies the rows that are still there and removes them, in one transaction; returns how many that were. */
export async function applyOutbox(db: Db, outboxIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ applied: number }>(APPLY, [outboxIds, ...POINTER_VALUES]);
  return row!.applied;
}

/** Rows that failed by themselves, by id: nobody tries them along with others again. */
export type StuckRows = Set<string>;

/** Where rows begin, which kinds others take, what fails by itself, and how much is delivered at a time. */
export interface Delivery {
  readonly from: string;
  readonly otherKinds: readonly string[];
  readonly stuck: StuckRows;
  readonly pace: DeliveryPace;
}

/**
 * Applies everything from where rows begin up to the newest row of a batch, oldest first, but rows of `otherKinds`, which
 * others take. Where that fails through a row, the batch alone; where it is not done in time, less at once. Returns how many
 * rows were applied.
 */
export async function applyThrough(db: Postgres, outboxIds: readonly string[], delivery: Delivery): Promise<number> {
  const { from, otherKinds, stuck, pace } = delivery;
  const newest = outboxIds.reduce((max, id) => (BigInt(id) > BigInt(max) ? id : max));
  let total = 0;
  try {
    for (let isWhole = false; !isWhole; ) {
      const { piece } = pace;
      const values = [from, newest, otherKinds, [...stuck], piece, ...POINTER_VALUES];
      const applied = await applyInTime(db, APPLY_OLDEST, values, pace);
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

/** How many rows were applied, or undefined when that took too long and less is to be tried. */
async function applyInTime(
  db: Postgres,
  statement: Statement,
  values: readonly unknown[],
  pace: DeliveryPace,
): Promise<number | undefined> {
  let startedAt: number | undefined;
  try {
    const applied = await db.inTransaction(async (transaction) => {
      await transaction.query(TAKE_TURN);
      startedAt = performance.now();
      const [row] = await transaction.query<{ applied: number }>(statement, values);
      return row!.applied;
    });
    pace.ended(applied, performance.now() - startedAt!);
    return applied;
  } catch (error) {
    // Who waits for the turn waits for others, and would not get it sooner with less.
    if (startedAt === undefined || !isTimeout(error) || !pace.shrink()) throw error;
    return undefined;
  }
}

/**
 * Applies a batch as a whole, and where that fails through a row of it, in halves, so that all but that row are applied.
 * Throws what the row failed with; it is noted as stuck, stays in the outbox and keeps failing until somebody looks.
 */
export async function applyBatch(
  db: Postgres,
  outboxIds: readonly string[],
  stuck: StuckRows = new Set(),
): Promise<number> {
  try {
    // A failed statement is answered before its locks are free, and the halves would pass over what is locked: only the
    // end of a transaction tells that they are.
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
      await applyBatch(db, half, stuck).then(
        (applied) => {
          total += applied;
        },
        (failure: unknown) => failures.push(failure),
      );
    }
    if (failures.length > 0) throw failures[0];
    return total;
  }
}

/** What waits from there on: how many rows, of more than 1,000 as their ids say, and the age of the oldest in seconds. */
export async function outboxLag(db: Db, from: string): Promise<{ rows: number; oldestSeconds: number }> {
  const [lag] = await db.query<{ rows: number; oldestSeconds: number }>(LAG, [from]);
  return lag!;
}
