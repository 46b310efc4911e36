import assert from 'node:assert/strict';
import pg from 'pg';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const WAITING = 30_000;
const PIECE = 200;
/** Those that it answers, and no more than as many again. */
const MOST_ROWS = PIECE * 2;

describe('a piece of the outbox', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  const INSERT = `INSERT INTO outbox (kind, subject, hidden, occurred_at)
    SELECT 'none', '', false, now() FROM generate_series(1, ${WAITING})`;
  const looks = (from: string) => [
    `oldest_events(${from}, ${4 * WAITING}, '{}', '{}', ${PIECE})`,
    `leasable_events(${from}, ${PIECE})`,
  ];

  async function withWriter(act: (writer: pg.Client) => Promise<void>): Promise<void> {
    const writer = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
    await writer.connect();
    await act(writer).finally(() => writer.end());
  }

  /** By this session; how many pages they were on depends on what else the server does. */
  async function rowsLookedAt(writer: pg.Client): Promise<number> {
    const { rows } = await writer.query(
      `SELECT (seq_tup_read + idx_tup_fetch)::int AS looked FROM pg_stat_xact_user_tables WHERE relname = 'outbox'`,
    );
    return rows[0].looked;
  }

  async function requireFewRows(writer: pg.Client): Promise<void> {
    // What another transaction of the server keeps VACUUM from taking lies before them.
    const { rows: oldest } = await writer.query('SELECT min(outbox_id) AS id FROM outbox');
    for (const found of looks(oldest[0].id)) {
      // Within a transaction nothing that was counted is handed over meanwhile.
      await writer.query('BEGIN');
      const before = await rowsLookedAt(writer);
      await writer.query(inRelease(`SELECT release.${found}`));
      const looked = (await rowsLookedAt(writer)) - before;
      await writer.query('ROLLBACK');
      assert.ok(looked >= PIECE && looked <= MOST_ROWS, `${looked} rows: ${found}`);
    }
  }

  it('is found by its index, even after a read of an empty outbox', () =>
    withWriter(async (writer) => {
      await writer.query('VACUUM ANALYZE outbox');
      for (const none of looks('1')) await writer.query(inRelease(`SELECT release.${none}`));
      await writer.query(INSERT);
      await requireFewRows(writer);
    }));

  it('is found by its index, also after a look at a few rows on the pages of many', () =>
    withWriter(async (writer) => {
      await writer.query(INSERT);
      await writer.query('DELETE FROM outbox WHERE outbox_id < (SELECT max(outbox_id) - 200 FROM outbox)');
      await writer.query('VACUUM ANALYZE outbox');
      await writer.query(INSERT);
      await requireFewRows(writer);
    }));
});
