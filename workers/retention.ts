import { endEntries } from '../src/features/inbox/store.ts';
import { foldPool } from '../src/features/karma/store.ts';
import { type Db, type Statement, sql } from '../src/platform/postgres/postgres.ts';

const BATCH = 5_000;
/** Batches of each kind per run; the next run, a minute later, continues. */
const BATCHES_A_RUN = 40;
/** Inboxes and entries of one batch. Deliveries to these inboxes wait for it. */
const INBOXES = { inboxes: 20, entries: 250 };

/**
 * The time is in a subquery: a volatile function in the condition would be called for each row and prevent use of the
 * index.
 */
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
 * Twice the longest window of limits and lost answers, plus the clock tolerance
 * (docs/operations#what-is-kept-how-long).
 */
const RECEIPTS = sql(
  'retention.writeReceipts',
  `SELECT release.drop_receipt_days(clock_timestamp() - interval '48 hours 10 minutes') AS removed`,
);
/** The day that registrations per address are limited over (docs/operations#what-is-kept-how-long). */
const ADDRESSES = removal('registrationAddresses', 'registration_addresses', 'registered_at', '1 day');

/**
 * Deletes expired rows in batches (docs/growing#what-ends-by-itself). Returns the days of receipts and the rows
 * deleted.
 */
export async function removeExpired(db: Db): Promise<{ receiptDays: number; registrationAddresses: number }> {
  return {
    receiptDays: await removeBatch(db, RECEIPTS),
    registrationAddresses: await inBatches(() => removeBatch(db, ADDRESSES)),
  };
}

/** Deletes notifications that were read `days` ago, in the inboxes that are due. Returns how many. */
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
 * Partitions that must exist: this month and the next, today and three more days
 * (docs/operations#what-is-kept-how-long).
 */
const EVIDENCE_MONTHS = sql('retention.evidenceMonths', 'SELECT release.create_evidence_months(clock_timestamp(), 2)');
const RECEIPT_DAYS = sql('retention.receiptDays', 'SELECT release.create_receipt_days(clock_timestamp(), 4)');

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
