import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Postgres, type Statement, sql } from '../../src/platform/postgres/postgres.ts';
import { Busy } from '../../src/platform/postgres/slots.ts';
import { Way } from '../faults/support/way.ts';
import { createDatabase } from '../support/database.ts';
import { together } from '../support/together.ts';
import { eventually, scaleWait } from '../support/waits.ts';

const SLEEP = sql('test.sleep', 'SELECT pg_sleep($1), $2::integer AS number');
const SLEEP_PID = sql('test.sleepPid', 'SELECT pg_backend_pid() AS pid FROM pg_sleep($1)');
const PID = sql('test.pid', 'SELECT pg_backend_pid() AS pid');
const TOUCH = sql('test.touch', 'SELECT touch($1) AS touched');

interface Server {
  readonly url: string;
  readonly db: Postgres;
  readonly pool: pg.Pool;
}

/** A test with a database, two rows and so many lanes of its own. */
function withLanes(lanes: number, test: (server: Server) => Promise<void>): () => Promise<void> {
  return async () => {
    const { url, pool, drop } = await createDatabase();
    await pool.query('CREATE TABLE rows (id text PRIMARY KEY, touched integer NOT NULL DEFAULT 0)');
    await pool.query(
      `CREATE FUNCTION touch(p_id text) RETURNS integer LANGUAGE sql AS
       'UPDATE rows SET touched = touched + 1 WHERE id = p_id RETURNING touched'`,
    );
    await pool.query(`INSERT INTO rows (id) VALUES ('hot'), ('other')`);
    const db = new Postgres({ url, maxConnections: 4, lanes, applicationName: 'test' });
    try {
      await test({ url, db, pool });
    } finally {
      await db.close();
      await drop();
    }
  };
}

/** The server says of all who are at work that they wait for their commits, whatever they do. */
async function claimThatCommitsWait(pool: pg.Pool): Promise<void> {
  await pool.query(
    `CREATE VIEW pg_stat_activity AS SELECT datname, pid, state, 'WALSync' AS wait_event FROM pg_catalog.pg_stat_activity`,
  );
  const { rows } = await pool.query<{ alter: string }>(
    `SELECT format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()) AS alter`,
  );
  await pool.query(rows[0]!.alter);
}

/** Has callers write all the time until there have been more lanes than so many, and `then` as long as that takes. */
async function withMoreLanes(
  { db, pool }: Server,
  work: Statement,
  lanes: number,
  then: (count: () => Promise<number>) => Promise<void>,
): Promise<void> {
  let isOver = false;
  const write = async () => {
    while (!isOver) await db.writes.query(work);
  };
  const callers = Array.from({ length: 32 }, write);
  const count = () => lanesOf(pool, work);
  try {
    await eventually(async () => (await count()) > lanes, 10_000);
    await then(count);
  } finally {
    isOver = true;
    await Promise.all(callers);
  }
}

async function lanesOf(pool: pg.Pool, work: Statement): Promise<number> {
  const { rows } = await pool.query<{ lanes: number }>(
    `SELECT count(*)::integer AS lanes FROM pg_catalog.pg_stat_activity
     WHERE datname = current_database() AND application_name = 'test' AND query = $1`,
    [work.text],
  );
  return rows[0]!.lanes;
}

async function timed<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedAt };
}

describe('lanes', function () {
  this.timeout(40_000);

  together({
    'answer what stands behind a late statement, however late': withLanes(1, async ({ db }) => {
      const slow = [db.query(SLEEP, [3.5, 1]), db.query(SLEEP, [3.5, 2]), db.query<{ number: number }>(SLEEP, [0, 3])];
      const [, , last] = await Promise.all(slow);
      assert.equal((last![0] as { number: number }).number, 3);
    }),
    'send reads of one turn of the event loop down one lane, four at most': withLanes(4, async ({ db }) => {
      const read = async () => (await db.query<{ pid: number }>(PID))[0]!.pid;
      const processesOf = async (count: number) => new Set(await Promise.all(Array.from({ length: count }, read))).size;
      // The first opens it.
      assert.deepEqual([await processesOf(1), await processesOf(4), await processesOf(5)], [1, 1, 2]);
    }),
    'send writes down lanes of their own until all are busy, then those of one turn down one lane, four at most':
      withLanes(3, async ({ db }) => {
        const write = async () => (await db.writes.query<{ pid: number }>(SLEEP_PID, [0.05]))[0]!.pid;
        // They open the lanes.
        assert.equal(new Set(await Promise.all([write(), write(), write()])).size, 3);
        const pids = await Promise.all(Array.from({ length: 3 * 3 + 5 }, write));
        const before = pids.slice(0, 9);
        for (const pid of new Set(before)) assert.equal(before.filter((each) => each === pid).length, 3);
        assert.equal(new Set(before).size, 3);
        assert.equal(new Set(pids.slice(9, 13)).size, 1);
        assert.notEqual(pids[13], pids[12]);
      }),
    'tell how many writes wait behind others, to go as a set, and for a row': withLanes(1, async ({ db, pool }) => {
      const answers = (rows: readonly object[], each: readonly unknown[]) => each.map(() => [...rows]);
      const oneByOne = sql('test.sleepInSet', SLEEP.text);
      const inSet: Statement = { ...oneByOne, set: { statement: PID, values: () => [], answers } };
      assert.deepEqual(db.writesWaiting, { lane: 0, set: 0, row: 0 });
      const slow = Array.from({ length: 3 }, (_, n) => db.writes.query(SLEEP, [0.4, n]));
      const first = db.writes.query(inSet, [0, 0]);
      const gathers = Promise.all([first, db.writes.query(inSet, [0, 1])]);
      await new Promise(process.nextTick);
      assert.deepEqual(db.writesWaiting, { lane: 2, set: 2, row: 0 });
      await Promise.all([...slow, gathers]);
      const holder = await pool.connect();
      await holder.query(`BEGIN; SELECT FROM rows WHERE id = 'hot' FOR UPDATE`);
      const touches = Promise.all(Array.from({ length: 12 }, () => db.inTurn('hot').query(TOUCH, ['hot'])));
      assert.deepEqual(db.writesWaiting, { lane: 7, set: 0, row: 4 });
      await holder.query('ROLLBACK');
      holder.release();
      await touches;
      assert.deepEqual(db.writesWaiting, { lane: 0, set: 0, row: 0 });
    }),
    'send nothing of a set again when nobody knows what became of it': withLanes(1, async ({ url, pool }) => {
      const way = await Way.to(url);
      const db = new Postgres({ url: way.url, maxConnections: 4, lanes: 1, applicationName: 'test' });
      const text = 'UPDATE rows SET touched = touched + 1 FROM pg_sleep(2)';
      const set = { statement: sql('test.touchAll', text), values: () => [], answers: () => [] };
      const touches = ['hot', 'other'].map((id) => db.writes.query({ ...TOUCH, set }, [id]));
      const outcomes = Promise.allSettled(touches);
      await eventually(
        async () => (await pool.query('SELECT FROM pg_stat_activity WHERE query = $1', [text])).rowCount === 1,
      );
      way.silence();
      assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
      assert.deepEqual((await pool.query('SELECT touched FROM rows')).rows, [{ touched: 1 }, { touched: 1 }]);
      await db.close();
      way.close();
    }),
    'keep the place of who waits, whatever becomes of those whose turn has come': withLanes(1, async ({ db }) => {
      const wait = (count: number, seconds: number) =>
        Array.from({ length: count }, () => db.inTurn('hot').query(SLEEP, [seconds, 0]));
      const first = wait(8, 0.45);
      await sleep(3_000);
      // Some of these wait in memory when those above would have waited for too long.
      await Promise.all([...first, ...wait(12, 0)]);
    }),
    'send nobody behind a statement that is known to be slow': withLanes(2, async ({ db }) => {
      let ended = 0;
      const slow = Array.from({ length: 2 }, () => db.query(SLEEP, [2, 0]).finally(() => (ended += 1)));
      await sleep(400);
      await db.query(SLEEP, [0, 1]);
      assert.equal(ended, 0);
      await Promise.all(slow);
    }),
    'end only the statement that the server cancels': withLanes(1, async ({ db }) => {
      const [late, behind] = await Promise.allSettled([db.query(SLEEP, [9, 1]), db.query(SLEEP, [0, 2])]);
      assert.deepEqual([late.status, behind.status], ['rejected', 'fulfilled']);
    }),
    'keep those who want one row in memory, so many at most, and one of them on a connection': withLanes(
      2,
      async ({ db, pool }) => {
        const holder = await pool.connect();
        try {
          await holder.query('BEGIN');
          await holder.query(`SELECT FROM rows WHERE id = 'hot' FOR UPDATE`);
          const waiting = Array.from({ length: 200 }, () => db.inTurn('hot').query(TOUCH, ['hot']));
          const outcomes = Promise.allSettled(waiting);
          const other = await timed(db.inTurn('other').query(TOUCH, ['other']));
          assert.ok(other.ms < scaleWait(1_000), `${other.ms} ms`);
          await sleep(1_000);
          const { rows } = await pool.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          assert.equal(rows.length, 1);
          await holder.query('COMMIT');
          const all = await outcomes;
          const refused = all.filter((outcome) => outcome.status === 'rejected');
          for (const outcome of refused) assert.ok((outcome as PromiseRejectedResult).reason instanceof Busy);
          const [{ touched }] = (await pool.query(`SELECT touched FROM rows WHERE id = 'hot'`)).rows;
          assert.equal(touched, all.length - refused.length, 'each was done once');
          assert.ok(refused.length > 0 && refused.length < 100, `${refused.length} refused`);
        } finally {
          holder.release();
        }
      },
    ),
    'stay where they were added for commits, and bring more answers': withLanes(2, async (server) => {
      await claimThatCommitsWait(server.pool);
      await withMoreLanes(server, sql('test.apart', 'SELECT pg_sleep(0.02)'), 2, async (count) => {
        await sleep(2_500);
        assert.ok((await count()) > 2);
      });
    }),
    'go again where they were added and bring nothing': withLanes(2, async (server) => {
      await claimThatCommitsWait(server.pool);
      const serial = sql('test.serial', 'SELECT pg_advisory_xact_lock(7), pg_sleep(0.005)');
      await withMoreLanes(server, serial, 2, async (count) => eventually(async () => (await count()) === 2, 8_000));
    }),
    'go again where the load ended before their use was known': withLanes(2, async (server) => {
      const { db, pool } = server;
      await claimThatCommitsWait(pool);
      const apart = sql('test.burst', 'SELECT pg_sleep(0.02)');
      await withMoreLanes(server, apart, 2, async () => {});
      // So long that what was answered meanwhile is few for it, also where the machine was slow to see more lanes.
      await sleep(4_000);
      const write = async () => {
        for (let n = 0; n < 3; n++) await db.writes.query(apart);
      };
      await Promise.all(Array.from({ length: 32 }, write));
      await eventually(async () => (await lanesOf(pool, apart)) === 2);
    }),
    'give up a row that stays locked, one after another, and others go on': withLanes(2, async ({ db, pool }) => {
      const holder = await pool.connect();
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
    }),
  });
});
