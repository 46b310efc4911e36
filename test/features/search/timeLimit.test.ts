import assert from 'node:assert/strict';
import { type Db, isTimeout, Postgres, sql } from '../../../src/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { scaleWait } from '../../support/waits.ts';

const SLEEP = sql('test.sleep', 'SELECT pg_sleep($1)');
const SETTINGS = sql(
  'test.settings',
  `SELECT current_setting('statement_timeout') AS timeout, current_setting('transaction_read_only') AS read_only`,
);
const NOTHING = sql('test.nothing', 'SELECT 1');

describe('a query with a time limit', () => {
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

  const settings = async (of: Db, timeoutMs?: number) =>
    (await of.query<{ timeout: string; read_only: string }>(SETTINGS, [], timeoutMs ? { timeoutMs } : undefined))[0];

  it('is cancelled in time, and leaves the connection as it was', async () => {
    const before = await settings(db);
    const startedAt = performance.now();
    await assert.rejects(db.query(SLEEP, [5], { timeoutMs: 50 }), isTimeout);
    assert.ok(performance.now() - startedAt < scaleWait(2_000));
    assert.deepEqual(await settings(db), before);
  });

  it('runs under its own limit, read-only, and hands its rows back', async () => {
    assert.deepEqual(await settings(db, 1_234), { timeout: '1234ms', read_only: 'on' });
    assert.deepEqual(await settings(db), { timeout: '5s', read_only: 'off' });
  });

  it('gives the connection back when the statement is wrong', async () => {
    await assert.rejects(db.query(sql('test.wrong', 'SELECT nothing'), [], { timeoutMs: 1_000 }), /nothing/);
    assert.equal((await settings(db))!.timeout, '5s');
  });

  it('the limit ends with the statement, not with the transaction', async () => {
    const transaction = db.transaction(NOTHING, []);
    assert.equal((await settings(transaction, 1_234))!.timeout, '1234ms');
    assert.equal((await settings(transaction))!.timeout, '5s');
    await transaction.abandon();
  });
});
