import assert from 'node:assert/strict';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { createPartitions, removeExpired } from '../../workers/retention.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const COLUMNS = 'agent_id, nonce, signed_at, operation, counter, status, facts, created_at';

describe('receipts by day', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  afterEach(() => database.drop());

  const count = async (text: string): Promise<number> =>
    (await database.pool.query(`SELECT count(*)::integer AS count FROM ${text}`)).rows[0].count;

  it('are dropped by day after 48 hours, and created in advance', async () => {
    database = await createDatabase();
    const db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'test' });
    const partitions = () => count(`pg_inherits WHERE inhparent = 'write_receipts'::regclass`);
    const daysAhead = async (): Promise<number> =>
      (
        await database.pool.query(
          `SELECT (max(ends_at)::date - date_trunc('day', now(), 'UTC')::date) AS days FROM release.receipt_days()`,
        )
      ).rows[0].days;
    // One less where midnight came after the migration.
    const migrated = await daysAhead();
    assert.ok(migrated === 4 || migrated === 3, `${migrated} days`);
    await createPartitions(db);
    assert.equal(await daysAhead(), 4);
    const made = await partitions();
    await createPartitions(db);
    assert.equal(await partitions(), made);
    // Days are made in order: those before today on a table that has none yet.
    const { rows: days } = await database.pool.query<{ name: string }>('SELECT name FROM release.receipt_days()');
    for (const { name } of days) await database.pool.query(`DROP TABLE ${name}`);
    await database.pool.query(`SELECT release.create_receipt_days(now() - interval '4 days', 9)`);
    await database.pool.query(
      `INSERT INTO write_receipts (${COLUMNS}) SELECT 'ada', 'day-' || n, t.at, 'post.create', 'posts', 201, '{}', t.at
       FROM generate_series(0, 4) n, LATERAL (SELECT date_trunc('day', now(), 'UTC') - n * interval '24 hours' AS at) t`,
    );
    assert.equal(await count('write_receipts_default'), 0);
    const holder = await database.pool.connect();
    await holder.query(`BEGIN; SELECT FROM write_receipts WHERE nonce = 'day-0'`);
    assert.equal((await removeExpired(db)).receiptDays, 0, 'what is read is dropped another time');
    await holder.query('COMMIT');
    holder.release();
    const { receiptDays } = await removeExpired(db);
    // The day before the day before yesterday too, but for the first minutes of a day.
    assert.ok(receiptDays === 2 || receiptDays === 1, `${receiptDays} days`);
    assert.equal(await count('write_receipts'), 5 - receiptDays);
    assert.equal((await removeExpired(db)).receiptDays, 0);
    await db.close();
  });

  it('of a day without a partition are stored separately and emptied as a whole', async () => {
    database = await createDatabase();
    const db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'test' });
    await database.pool.query(
      `INSERT INTO write_receipts (${COLUMNS}) SELECT 'ada', n::text, t.at, 'post.create', 'posts', 201, '{}', t.at
       FROM generate_series(1, 2) n, LATERAL (SELECT now() - n * interval '30 days' AS at) t`,
    );
    assert.equal(await count('write_receipts_default'), 2);
    await createPartitions(db);
    assert.equal((await removeExpired(db)).receiptDays, 1);
    assert.equal(await count('write_receipts'), 0);
    await db.close();
  });

  it('are created for coming days even after a clock was far ahead', async () => {
    database = await createDatabase();
    const make = (after: string) =>
      database.pool.query(`SELECT release.create_receipt_days(now() + interval '${after}', 3)`);
    const partitions = () => count('release.receipt_days()');
    await make('60 days');
    const made = await partitions();
    await make('20 days');
    assert.equal(await partitions(), made + 3);
    await make('20 days');
    assert.equal(await partitions(), made + 3);
  });
});
