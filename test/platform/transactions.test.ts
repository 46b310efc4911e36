import assert from 'node:assert/strict';
import { Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const KEEP = sql('test.keep', 'INSERT INTO kept VALUES ($1)');
const FAIL = sql('test.fail', 'SELECT 1 / 0');
const KEPT = sql('test.kept', 'SELECT number FROM kept ORDER BY number');

describe('a transaction of a job', () => {
  let database: TestDatabase;
  let db: Postgres;
  before(async () => {
    database = await createDatabase();
    await database.pool.query('CREATE TABLE kept (number integer)');
    db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'test' });
  });
  after(async () => {
    await db?.close();
    await database?.drop();
  });

  it('fails when it is not committed, although its work passed over what failed', async () => {
    const pass = db.inTransaction(async (transaction) => {
      await transaction.query(KEEP, [1]);
      await transaction.query(FAIL).catch(() => {});
    });
    await assert.rejects(pass, { message: 'COMMIT was answered by ROLLBACK' });
    await db.inTransaction((transaction) => transaction.query(KEEP, [2]));
    assert.deepEqual(await db.query(KEPT), [{ number: 2 }]);
  });
});
