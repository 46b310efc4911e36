import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Postgres, sql } from '../../../src/platform/postgres/postgres.ts';
import { createDatabase } from '../../support/database.ts';
import { together } from '../../support/together.ts';

const SLEEP = sql('test.sleep', 'SELECT pg_sleep($1), $2::integer AS number');

/** A test with a database and a number of connections for reads. */
function withReads(readConnections: number, test: (db: Postgres) => Promise<void>): () => Promise<void> {
  return async () => {
    const { url, drop } = await createDatabase();
    const db = new Postgres({ url, maxConnections: 4, readConnections, applicationName: 'test' });
    try {
      await test(db);
    } finally {
      await db.close();
      await drop();
    }
  };
}

describe('pipelined reads', function () {
  this.timeout(40_000);

  together({
    'are answered though a statement before them on the connection is late': withReads(1, async (db) => {
      const slow = [db.query(SLEEP, [3.5, 1]), db.query(SLEEP, [3.5, 2]), db.query<{ number: number }>(SLEEP, [0, 3])];
      const [, , last] = await Promise.all(slow);
      assert.equal((last![0] as { number: number }).number, 3);
    }),
    'are not sent behind a statement that is known to be slow': withReads(3, async (db) => {
      let ended = 0;
      const slow = Array.from({ length: 8 }, () => db.query(SLEEP, [2, 0]).finally(() => (ended += 1)));
      await sleep(400);
      await db.query(SLEEP, [0, 1]);
      assert.equal(ended, 0);
      await Promise.all(slow);
    }),
    'continue after the server cancelled one of them': withReads(1, async (db) => {
      const [late, behind] = await Promise.allSettled([db.query(SLEEP, [9, 1]), db.query(SLEEP, [0, 2])]);
      assert.deepEqual([late.status, behind.status], ['rejected', 'fulfilled']);
    }),
  });
});
