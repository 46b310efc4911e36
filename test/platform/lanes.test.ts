import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Postgres, sql } from '../../src/platform/postgres/postgres.ts';
import { Busy } from '../../src/platform/postgres/slots.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { scaleWait } from '../support/waits.ts';

const SLEEP = sql('test.sleep', 'SELECT pg_sleep($1), $2::integer AS number');
const TOUCH = sql('test.touch', 'SELECT touch($1) AS touched');

describe('lanes', function () {
  this.timeout(40_000);
  let database: TestDatabase;
  let db: Postgres;
  beforeEach(async () => {
    database = await createDatabase();
    await database.pool.query('CREATE TABLE rows (id text PRIMARY KEY, touched integer NOT NULL DEFAULT 0)');
    await database.pool.query(
      `CREATE FUNCTION touch(p_id text) RETURNS integer LANGUAGE sql AS
       'UPDATE rows SET touched = touched + 1 WHERE id = p_id RETURNING touched'`,
    );
    await database.pool.query(`INSERT INTO rows (id) VALUES ('hot'), ('other')`);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });
  const open = (lanes: number) => {
    db = new Postgres({ url: database.url, maxConnections: 4, lanes, applicationName: 'test' });
  };
  const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
    const startedAt = performance.now();
    const result = await work;
    return { result, ms: performance.now() - startedAt };
  };

  it('answer what stands behind a late statement, however late', async () => {
    open(1);
    const slow = [db.query(SLEEP, [3.5, 1]), db.query(SLEEP, [3.5, 2]), db.query<{ number: number }>(SLEEP, [0, 3])];
    const [, , last] = await Promise.all(slow);
    assert.equal((last![0] as { number: number }).number, 3);
  });

  it('send nobody behind a statement that is known to be slow', async () => {
    open(2);
    let ended = 0;
    const slow = Array.from({ length: 2 }, () => db.query(SLEEP, [2, 0]).finally(() => (ended += 1)));
    await sleep(400);
    await db.query(SLEEP, [0, 1]);
    assert.equal(ended, 0);
    await Promise.all(slow);
  });

  it('end only the statement that the server cancels', async () => {
    open(1);
    const [late, behind] = await Promise.allSettled([db.query(SLEEP, [9, 1]), db.query(SLEEP, [0, 2])]);
    assert.deepEqual([late.status, behind.status], ['rejected', 'fulfilled']);
  });

  it('keep those who want one row in memory, so many at most, and one of them on a connection', async () => {
    open(2);
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM rows WHERE id = 'hot' FOR UPDATE`);
      const waiting = Array.from({ length: 200 }, () => db.inTurn('hot').query(TOUCH, ['hot']));
      const outcomes = Promise.allSettled(waiting);
      const other = await timed(db.inTurn('other').query(TOUCH, ['other']));
      assert.ok(other.ms < scaleWait(1_000), `${other.ms} ms`);
      await sleep(1_000);
      const { rows } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      assert.equal(rows.length, 1);
      await holder.query('COMMIT');
      const all = await outcomes;
      const refused = all.filter((outcome) => outcome.status === 'rejected');
      for (const outcome of refused) assert.ok((outcome as PromiseRejectedResult).reason instanceof Busy);
      const [{ touched }] = (await database.pool.query(`SELECT touched FROM rows WHERE id = 'hot'`)).rows;
      assert.equal(touched, all.length - refused.length, 'each was done once');
      assert.ok(refused.length > 0 && refused.length < 100, `${refused.length} refused`);
    } finally {
      holder.release();
    }
  });

  it('give up a row that stays locked, one after another, and others go on', async () => {
    open(2);
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM rows WHERE id = 'hot' FOR UPDATE`);
      const waiting = Promise.allSettled(Array.from({ length: 5 }, () => db.inTurn('hot').query(TOUCH, ['hot'])));
      const alone = db.writes.query(TOUCH, ['hot']).catch((error: unknown) => error);
      const { result, ms } = await timed(waiting);
      assert.ok(result.every(({ status }) => status === 'rejected'));
      assert.ok(ms > 2_500 && ms < 8_000, `${ms} ms`);
      assert.ok((await alone) instanceof Error);
      await holder.query('ROLLBACK');
      await db.inTurn('hot').query(TOUCH, ['hot']);
    } finally {
      holder.release();
    }
  });
});
