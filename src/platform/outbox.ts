import { type Db, isPostgresUnavailable, type Postgres, sql } from './postgres.ts';

export const RELAY_BATCH = 500;
/** A batch that was handed over and is not done by then is handed over again: so long a lost Redis delays an event. */
const LEASE_SECONDS = 5;
/** Counting further tells an operator nothing more. */
const COUNTED_ROWS = 100_000;

const LEASE = sql(
  'outbox.lease',
  `UPDATE outbox SET lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
   WHERE outbox_id IN (
     SELECT outbox_id FROM outbox WHERE lease_until < clock_timestamp()
     ORDER BY outbox_id LIMIT ${RELAY_BATCH} FOR UPDATE SKIP LOCKED
   ) RETURNING outbox_id AS "outboxId", kind, subject`,
);
const APPLY = sql('outbox.apply', 'SELECT apply_outbox($1::bigint[]) AS applied');
const LAG = sql(
  'outbox.lag',
  `SELECT (SELECT count(*) FROM (SELECT FROM outbox LIMIT ${COUNTED_ROWS}) counted)::float8 AS rows,
          coalesce((SELECT greatest(0, extract(epoch FROM clock_timestamp() - occurred_at))
                    FROM outbox ORDER BY outbox_id LIMIT 1), 0)::float8 AS "oldestSeconds"`,
);

export interface OutboxRow {
  readonly outboxId: string;
  readonly kind: string;
  readonly subject: string;
}

/** Takes up to a batch of rows that nobody has taken, for a few seconds. */
export async function leaseOutbox(db: Db): Promise<OutboxRow[]> {
  return db.query<OutboxRow>(LEASE);
}

/** Applies the rows that are still there and removes them, in one transaction; returns how many that were. */
export async function applyOutbox(db: Db, outboxIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ applied: number }>(APPLY, [outboxIds]);
  return row!.applied;
}

/**
 * Applies a batch as a whole, and where that fails through a row of it, in halves, so that all but that row are applied.
 * Throws what the row failed with; it stays in the outbox and keeps failing until somebody looks.
 */
export async function applyBatch(db: Postgres, outboxIds: readonly string[]): Promise<number> {
  try {
    // A failed statement is answered before its locks are free, and the halves would pass over what is locked: only the
    // end of a transaction tells that they are.
    return await db.inTransaction((transaction) => applyOutbox(transaction, outboxIds));
  } catch (error) {
    if (outboxIds.length === 1 || isPostgresUnavailable(error)) throw error;
    const middle = Math.ceil(outboxIds.length / 2);
    const halves = [outboxIds.slice(0, middle), outboxIds.slice(middle)];
    const results = await Promise.allSettled(halves.map((half) => applyBatch(db, half)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return results.reduce((sum, result) => sum + (result.status === 'fulfilled' ? result.value : 0), 0);
  }
}

/** What waits in the outbox: how many rows (at most 100,000 are counted), and the age of the oldest in seconds. */
export async function outboxLag(db: Db): Promise<{ rows: number; oldestSeconds: number }> {
  const [lag] = await db.query<{ rows: number; oldestSeconds: number }>(LAG);
  return lag!;
}
