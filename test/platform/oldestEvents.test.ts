import assert from 'node:assert/strict';
import pg from 'pg';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const WAITING = 30_000;
const PIECE = 200;
/** One or two a row: the row, and to lock it. Read as a whole, the table has more. */
const MAX_PAGES = PIECE * 2;

describe('a piece of the outbox', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  const INSERT = `INSERT INTO outbox (kind, subject, hidden, occurred_at, counts)
    SELECT 'none', '', false, now(), 0 FROM generate_series(1, ${WAITING})`;
  const looks = (from: string) => [
    `oldest_events(${from}, ${4 * WAITING}, '{}', '{}', ${PIECE})`,
    `leasable_events(${from}, ${PIECE})`,
  ];

  async function withWriter(act: (writer: pg.Client) => Promise<void>): Promise<void> {
    const writer = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
    await writer.connect();
    await act(writer).finally(() => writer.end());
  }

  async function requireFewPages(writer: pg.Client): Promise<void> {
    // What another transaction of the server keeps VACUUM from taking lies before them.
    const { rows: oldest } = await writer.query('SELECT min(outbox_id) AS id FROM outbox');
    for (const found of looks(oldest[0].id)) {
      let pages = Number.POSITIVE_INFINITY;
      // The first call looks its tables up in the catalog, and so does each after another's change of any table there.
      for (let call = 0; call < 5; call++) {
        const { rows } = await writer.query(
          inRelease(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT release.${found}`),
        );
        const { Plan: plan } = rows[0]['QUERY PLAN'][0];
        pages = Math.min(pages, plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
      }
      assert.ok(pages <= MAX_PAGES, `${pages} pages: ${found}`);
    }
  }

  it('is found by its index, also after a look at none', () =>
    withWriter(async (writer) => {
      await writer.query('VACUUM ANALYZE outbox');
      for (const none of looks('1')) await writer.query(inRelease(`SELECT release.${none}`));
      await writer.query(INSERT);
      await requireFewPages(writer);
    }));

  it('is found by its index, also after a look at a few rows on the pages of many', () =>
    withWriter(async (writer) => {
      await writer.query(INSERT);
      await writer.query('DELETE FROM outbox WHERE outbox_id < (SELECT max(outbox_id) - 200 FROM outbox)');
      await writer.query('VACUUM ANALYZE outbox');
      await writer.query(INSERT);
      await requireFewPages(writer);
    }));
});
