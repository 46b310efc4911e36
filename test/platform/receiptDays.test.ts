import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import type pg from 'pg';
import * as receiptsWithoutKey from '../../migrations/0042_receipts_without_key.ts';
import * as receiptsByDay from '../../migrations/0043_receipts_by_day.ts';
import { migrateLatest } from '../../migrations/run.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { createPartitions, removeExpired } from '../../workers/retention.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { scaleWait } from '../support/waits.ts';

const EXISTING = 100_000;
const WRITERS = 4;
const COLUMNS = 'agent_id, nonce, signed_at, operation, counter, status, facts, created_at';
/** As the release before has it: with a key, and removed by place. */
const BEFORE = `CREATE TABLE agents (agent_id text PRIMARY KEY);
CREATE TABLE write_receipts (agent_id text NOT NULL REFERENCES agents, nonce text NOT NULL, signed_at timestamptz NOT NULL,
  operation text NOT NULL, counter text, status smallint NOT NULL, facts text NOT NULL, created_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, nonce));
CREATE INDEX write_receipts_charged ON write_receipts (agent_id, created_at) WHERE counter IS NOT NULL;
CREATE INDEX write_receipts_by_age ON write_receipts (created_at);
CREATE FUNCTION record(p_nonce text, p_signed_at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO write_receipts (${COLUMNS})
  VALUES ('ada', p_nonce, p_signed_at, 'post.create', 'posts', 201, '{}', p_signed_at) ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;
INSERT INTO agents VALUES ('ada');
INSERT INTO write_receipts (${COLUMNS})
SELECT 'ada', 'old-' || n, t.at, 'post.create', 'posts', 201, '{}', t.at
FROM generate_series(1, ${EXISTING}) n, LATERAL (SELECT now() - n * interval '1 second' AS at) t`;
const OLDER = { '0003_before': { up: async (knex: Knex) => void (await knex.raw(BEFORE)) } };
const NEWER = {
  ...OLDER,
  '0042_receipts_without_key': receiptsWithoutKey,
  '0043_receipts_by_day': receiptsByDay,
};
const REMOVE_BY_PLACE = `WITH removed AS (
  DELETE FROM write_receipts WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM write_receipts WHERE created_at < (SELECT clock_timestamp() - interval '48 hours') ORDER BY created_at
    LIMIT 5000 FOR UPDATE SKIP LOCKED)) RETURNING created_at
) SELECT count(*)::integer AS removed, count(*) FILTER (WHERE created_at > now() - interval '48 hours')::integer AS fresh FROM removed`;

const recorded = async (client: Pick<pg.Client, 'query'>, nonce: string, signedAt: Date): Promise<boolean> => {
  const { rows } = await client.query({ name: 'record', text: 'SELECT record($1, $2)', values: [nonce, signedAt] });
  return rows[0].record;
};

describe('receipts by day', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  afterEach(() => database.drop());

  async function makeOlder(): Promise<void> {
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrateLatest(database.url, OLDER);
  }
  const count = async (text: string): Promise<number> =>
    (await database.pool.query(`SELECT count(*)::integer AS count FROM ${text}`)).rows[0].count;

  it('take the place of one table under writers of the release before, who lose and double nothing', async () => {
    database = await createDatabase();
    await makeOlder();
    let isMigrated = false;
    const accepted = new Map<string, Date>();
    let longestMs = 0;
    const write = async (writer: number) => {
      const client = await database.pool.connect();
      for (let n = 0, after = 0; after < 50; n++) {
        const signedAt = new Date();
        assert.equal(await recorded(client, `new-${writer}-${n}`, signedAt), true);
        accepted.set(`new-${writer}-${n}`, signedAt);
        assert.equal(await recorded(client, `new-${writer}-${n}`, signedAt), false, 'replayed');
        longestMs = Math.max(longestMs, Date.now() - signedAt.getTime());
        if (isMigrated) after++;
      }
      client.release();
    };
    const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer));
    await migrateLatest(database.url, NEWER);
    isMigrated = true;
    await Promise.all(writing);
    assert.equal(await count('write_receipts'), EXISTING + accepted.size);
    for (const [nonce, signedAt] of [...accepted].slice(0, 100)) {
      assert.equal(await recorded(database.pool, nonce, signedAt), false, nonce);
    }
    assert.ok(longestMs < scaleWait(1_500), `a writer waited ${longestMs} ms`);
  });

  it('are not lost to a worker of the release before, which removes them by their place', async () => {
    database = await createDatabase();
    await makeOlder();
    await migrateLatest(database.url, NEWER);
    await database.pool.query(
      `UPDATE write_receipts SET created_at = now() - interval '49 hours' WHERE nonce < 'old-2'`,
    );
    const expired = await count(`write_receipts WHERE created_at < now() - interval '48 hours'`);
    // The first rows of another partition have the places of the first rows of this one.
    await database.pool.query(`INSERT INTO write_receipts (${COLUMNS}) SELECT 'ada', 'later-' || n, now() + interval '5 days',
      'post.create', 'posts', 201, '{}', now() FROM generate_series(1, 5000) n`);
    let removed = 0;
    for (let batch = 0; removed < expired && batch < 50; batch++) {
      const { rows } = await database.pool.query(REMOVE_BY_PLACE);
      assert.equal(rows[0].fresh, 0);
      removed += rows[0].removed;
    }
    assert.equal(removed, expired);
    assert.equal(await count('write_receipts'), EXISTING - expired + 5_000);
  });

  it('go a day at a time once nothing in it is younger than 48 hours, and are there before they are needed', async () => {
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

  it('of a day that nobody made ahead are kept apart, and emptied as a whole', async () => {
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

  it('are made for the days to come also after a clock was far ahead', async () => {
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
