import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Postgres, sql } from '../../../src/platform/postgres/postgres.ts';
import { Busy } from '../../../src/platform/postgres/semaphore.ts';
import { Way } from '../../faults/support/way.ts';
import { createDatabase } from '../../support/database.ts';
import { together } from '../../support/together.ts';
import { eventually, scaleWait } from '../../support/waits.ts';

/** Touches the row of each write; a row that does not exist fails. */
const TOUCH = sql('test.touch', 'SELECT touch_all($1, $2) AS answers');

const ACTIVE = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND query = $1';

interface Server {
  readonly url: string;
  readonly db: Postgres;
  readonly pool: pg.Pool;
  touch(id: string, seconds?: number): Promise<unknown>;
}

/** A test with a database, two rows and a number of connections for writes. */
function withWrites(writeConnections: number, test: (server: Server) => Promise<void>): () => Promise<void> {
  return async () => {
    const { url, pool, drop } = await createDatabase();
    await pool.query('CREATE TABLE rows (id text PRIMARY KEY, touched integer NOT NULL DEFAULT 0)');
    await pool.query(`
      CREATE FUNCTION touch_all(p_writes jsonb, p_fail_fast boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
      DECLARE
        v_write jsonb;
      BEGIN
        IF p_fail_fast THEN PERFORM set_config('lock_timeout', '50', true); END IF;
        FOR v_write IN SELECT * FROM jsonb_array_elements(p_writes) LOOP
          PERFORM pg_sleep(coalesce((v_write->>'seconds')::float8, 0));
          UPDATE rows SET touched = touched + 1 WHERE id = v_write->>'id';
          IF NOT FOUND THEN RAISE EXCEPTION 'no such row'; END IF;
        END LOOP;
        RETURN p_writes;
      END $$`);
    await pool.query(`INSERT INTO rows (id) VALUES ('hot'), ('other')`);
    const db = new Postgres({ url, maxConnections: 4, writeConnections, applicationName: 'test' });
    const touch = async (id: string, seconds?: number) =>
      (await db.write(TOUCH, JSON.stringify({ id, seconds }), id)).answer;
    try {
      await test({ url, db, pool, touch });
    } finally {
      await db.close();
      await drop();
    }
  };
}

const touched = async (pool: pg.Pool, id: string) =>
  (await pool.query<{ touched: number }>('SELECT touched FROM rows WHERE id = $1', [id])).rows[0]!.touched;

async function withLockedRow(pool: pg.Pool, test: (release: () => Promise<void>) => Promise<void>): Promise<void> {
  const holder = await pool.connect();
  try {
    await holder.query(`BEGIN; SELECT FROM rows WHERE id = 'hot' FOR UPDATE`);
    await test(async () => void (await holder.query('COMMIT')));
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

describe('writes in batches', function () {
  this.timeout(40_000);

  together({
    'return to each write its own answer': withWrites(2, async ({ touch }) => {
      const ids = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? 'hot' : 'other'));
      const answers = (await Promise.all(ids.map((id) => touch(id)))) as { id: string }[];
      assert.deepEqual(
        answers.map(({ id }) => id),
        ids,
      );
    }),
    'are sent one by one when one of them fails': withWrites(2, async ({ touch, pool }) => {
      const ids = ['hot', 'missing', 'other', 'hot'];
      const outcomes = await Promise.allSettled(ids.map((id) => touch(id)));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      );
      assert.equal(await touched(pool, 'hot'), 2);
    }),
    'count those that wait for the next batch': withWrites(1, async ({ touch, db }) => {
      const first = touch('hot', 0.2);
      await sleep(10);
      const next = [touch('hot'), touch('other')];
      await Promise.resolve();
      assert.equal(db.writesWaiting.forBatch, 2);
      await Promise.all([first, ...next]);
      assert.deepEqual(db.writesWaiting, { onConnection: 0, forBatch: 0, forRow: 0 });
    }),
    'are not sent again when their outcome is unknown': withWrites(1, async ({ url, pool }) => {
      const way = await Way.to(url);
      const db = new Postgres({ url: way.url, maxConnections: 4, writeConnections: 1, applicationName: 'test' });
      const write = (id: string) => db.write(TOUCH, JSON.stringify({ id, seconds: 1 }), id);
      const outcomes = Promise.allSettled([write('hot'), write('other')]);
      await eventually(async () => (await pool.query(ACTIVE, [TOUCH.text])).rowCount === 1);
      way.silence();
      assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
      await eventually(
        async () => (await touched(pool, 'hot')) === 1 && (await touched(pool, 'other')) === 1,
        scaleWait(10_000),
      );
      way.close();
      await db.close();
    }),
    'wait in memory for a locked row, one of them on a connection, and others continue': withWrites(
      2,
      async ({ touch, pool }) => {
        let outcomes: Promise<PromiseSettledResult<unknown>[]> | undefined;
        await withLockedRow(pool, async (release) => {
          outcomes = Promise.allSettled(Array.from({ length: 300 }, () => touch('hot')));
          await sleep(500);
          const startedAt = performance.now();
          await touch('other');
          assert.ok(performance.now() - startedAt < scaleWait(1_000));
          await sleep(500);
          const { rows } = await pool.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          assert.equal(rows.length, 1);
          await release();
        });
        const all = await outcomes!;
        const refused = all.filter((outcome) => outcome.status === 'rejected');
        for (const { reason } of refused) assert.ok(reason instanceof Busy);
        assert.equal(await touched(pool, 'hot'), all.length - refused.length, 'each was done once');
        assert.ok(refused.length > 0 && refused.length < 200, `${refused.length} refused`);
      },
    ),
    'give up a row that stays locked, and the next write for it succeeds': withWrites(2, async ({ touch, pool }) => {
      await withLockedRow(pool, async (release) => {
        const startedAt = performance.now();
        const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => touch('hot')));
        const ms = performance.now() - startedAt;
        assert.ok(outcomes.every(({ status }) => status === 'rejected'));
        assert.ok(ms > 2_500 && ms < 8_000, `${ms} ms`);
        await release();
      });
      await touch('hot');
    }),
  });
});
