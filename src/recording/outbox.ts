import { type Db, type Postgres, sql } from '../platform/postgres/postgres.ts';
import { QueueStart, RUNNING } from '../platform/postgres/queueStart.ts';
import { eventRow, type NewEvent } from './events.ts';

const OLDEST = sql(
  'outbox.oldest',
  `SELECT coalesce((SELECT outbox_id FROM outbox WHERE outbox_id >= $1 ORDER BY outbox_id LIMIT 1),
                   (SELECT last_value FROM public.outbox_outbox_id_seq)) AS oldest, ${RUNNING}`,
);
/** One delivery at a time, in the order of the outbox: the numbers of a recipient follow the order of events. */
const LOCK_DELIVERIES = sql('outbox.lockDeliveries', 'SELECT pg_advisory_xact_lock(5107202)');
const WRITE = sql(
  'outbox.write',
  `SELECT release.put_event(e.kind, e.subject, e.community, coalesce(e.hidden, false), $2, e.recipient)
   FROM jsonb_to_recordset($1) AS e(kind text, subject text, community text, hidden boolean, recipient text)`,
);

/** Where the outbox begins. Its ids are drawn a moment before the transaction has a number. */
export class OutboxStart extends QueueStart {
  constructor(times: ConstructorParameters<typeof QueueStart>[1] = {}) {
    super({ oldest: OLDEST, first: '0', isBelow: (a, b) => BigInt(a) < BigInt(b), settledMs: 5_000 }, times);
  }
}

/** Runs work in a transaction while no other delivery runs. What it reads is then not older than what those wrote. */
export const betweenDeliveries = <T>(db: Postgres, work: (db: Db) => Promise<T>): Promise<T> =>
  db.inTransaction(async (transaction) => {
    await transaction.query(LOCK_DELIVERIES);
    return work(transaction);
  });

/** Writes events in the transaction of a job. The events of an operation are part of its effect. */
export async function writeEvents(db: Db, events: readonly NewEvent[], at: Date): Promise<void> {
  if (events.length > 0) await db.query(WRITE, [JSON.stringify(events.map(eventRow)), at]);
}
