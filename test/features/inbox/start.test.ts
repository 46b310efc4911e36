import assert from 'node:assert/strict';
import pg from 'pg';
import { Postgres } from '../../../src/platform/postgres/postgres.ts';
import { OutboxStart } from '../../../src/recording/outbox.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/waits.ts';

const PUT = `INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('test.nothing', '', true, now())
  RETURNING outbox_id AS id`;

describe('the start of the outbox', () => {
  let database: TestDatabase;
  let db: Postgres;
  beforeEach(async () => {
    database = await createDatabase();
    db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'test' });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const put = async (client: { query: typeof pg.Client.prototype.query } = database.pool as never) =>
    (await client.query<{ id: string }>(PUT)).rows[0]!.id;

  /** Transactions of other databases run meanwhile. */
  const becomes = (start: OutboxStart, id: string, what?: string) =>
    eventually(async () => (await start.below(db)) === id, undefined, what);

  it('is at the oldest row, once all that ran when it was seen have ended, and not before', async () => {
    const start = new OutboxStart({ lookMs: 0, settledMs: 0 });
    const writer = new pg.Client({ connectionString: database.url });
    await writer.connect();
    await writer.query('BEGIN');
    const held = await put(writer);
    const gone = await put();
    const oldest = await put();
    await database.pool.query('DELETE FROM outbox WHERE outbox_id = $1', [gone]);
    for (let look = 0; look < 3; look++) assert.equal(await start.below(db), '0', 'a row may still come before it');
    await writer.query('COMMIT');
    await writer.end();
    await becomes(start, held, 'what has come is not passed over');
    await database.pool.query('DELETE FROM outbox WHERE outbox_id = $1', [held]);
    await becomes(start, oldest);
    await database.pool.query('DELETE FROM outbox');
    for (let look = 0; look < 3; look++) await start.below(db);
    assert.ok(BigInt(await start.below(db)) <= BigInt(await put()), 'nor what comes into an empty one');
  });

  it('is the beginning again after a while', async () => {
    const start = new OutboxStart({ lookMs: 0, settledMs: 0, anewMs: 300 });
    const oldest = await put();
    await becomes(start, oldest);
    await becomes(start, '0');
  });
});
