import { endEntries } from '../src/features/inbox/store.ts';
import { foldPool } from '../src/features/karma/store.ts';
import { type Db, type Statement, sql } from '../src/platform/postgres/postgres.ts';

const BATCH = 5_000;
/** At most so many batches of each kind a run: the rest waits for the next minute, so that a run stays short. */
const BATCHES_A_RUN = 40;
/** As much as a batch, and held for as short a time: deliveries to them wait. */
const INBOXES = { inboxes: 20, entries: 250 };

/* The time stands in a subquery: as a volatile function it is asked again for each row, and no index is looked at. */
const removal = (name: string, table: string, column: string, age: string): Statement =>
  sql(
    `retention.${name}`,
    `WITH removed AS (
       DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE ${column} < (SELECT clock_timestamp() - interval '${age}') ORDER BY ${column} LIMIT ${BATCH}
         FOR UPDATE SKIP LOCKED))
       RETURNING 1
     ) SELECT count(*)::integer AS removed FROM removed`,
  );

/**
 * Twice the window of the counters, and of what a client may still ask about (docs/operations#what-is-kept-how-long), and
 * what a clock may be off when a request is signed.
 */
const RECEIPTS = sql(
  'retention.writeReceipts',
  `SELECT release.drop_receipt_days(clock_timestamp() - interval '48 hours 10 minutes') AS removed`,
);
/** The rolling day of the limit of one address (docs/operations#what-is-kept-how-long). */
const ADDRESSES = removal('registrationAddresses', 'registration_addresses', 'registered_at', '1 day');

/**
 * Removes what has served its time (docs/growing#what-ends-by-itself); returns how many days of receipts and how many rows,
 * which go in bounded batches.
 */
export async function removeExpired(db: Db): Promise<{ receiptDays: number; registrationAddresses: number }> {
  return {
    receiptDays: await removeBatch(db, RECEIPTS),
    registrationAddresses: await inBatches(() => removeBatch(db, ADDRESSES)),
  };
}

/** Ends pointers that were read and delivered so many days ago, in the inboxes whose turn it is; returns how many. */
export async function endInboxes(db: Db, days: number): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const { looked, ended } = await endEntries(db, days, INBOXES);
    total += ended;
    if (looked < INBOXES.inboxes) break;
  }
  return total;
}

/**
 * How far ahead the partitions of evidence and receipts are made (docs/operations#what-is-kept-how-long): those of this month
 * and the next, and of today and three days more, are there before the first row.
 */
const EVIDENCE_MONTHS = sql('retention.evidenceMonths', 'SELECT release.create_evidence_months(clock_timestamp(), 2)');
const RECEIPT_DAYS = sql('retention.receiptDays', 'SELECT release.create_receipt_days(clock_timestamp(), 4)');

/** Makes the partitions that will soon be written to. */
export async function createPartitions(db: Db): Promise<void> {
  await db.query(EVIDENCE_MONTHS);
  await db.query(RECEIPT_DAYS);
}

/** Folds the entries of the karma pool into its one row (docs/karma#the-ledger); returns how many. */
export async function foldKarmaPool(db: Db): Promise<number> {
  return inBatches(() => foldPool(db, BATCH));
}

async function removeBatch(db: Db, statement: Statement): Promise<number> {
  const [row] = await db.query<{ removed: number }>(statement);
  return row!.removed;
}

async function inBatches(batch: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const done = await batch();
    total += done;
    if (done < BATCH) break;
  }
  return total;
}
