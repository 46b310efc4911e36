import { type Db, sql } from './postgres.ts';

export const RELAY_BATCH = 500;
/** A batch that was handed over and is not done by then is handed over again. */
const LEASE_SECONDS = 30;

const LEASE = sql(
  'outbox.lease',
  `UPDATE outbox SET lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
   WHERE outbox_id IN (
     SELECT outbox_id FROM outbox WHERE lease_until < clock_timestamp()
     ORDER BY outbox_id LIMIT ${RELAY_BATCH} FOR UPDATE SKIP LOCKED
   ) RETURNING outbox_id AS "outboxId", kind, subject`,
);
const APPLY = sql('outbox.apply', 'SELECT apply_outbox($1::bigint[]) AS applied');

export interface OutboxRow {
  readonly outboxId: string;
  readonly kind: string;
  readonly subject: string;
}

/** Takes up to a batch of rows that nobody has taken, for half a minute. */
export async function leaseOutbox(db: Db): Promise<OutboxRow[]> {
  return db.query<OutboxRow>(LEASE);
}

/** Applies the rows that are still there and removes them, in one transaction; returns how many that were. */
export async function applyOutbox(db: Db, outboxIds: readonly string[]): Promise<number> {
  const [row] = await db.query<{ applied: number }>(APPLY, [outboxIds]);
  return row!.applied;
}
