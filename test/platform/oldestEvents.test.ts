import assert from 'node:assert/strict';
import pg from 'pg';
import { inRelease } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const WAITING = 30_000;
/** Two or three a row: of the index, of the row, and to lock it. */
const MAX_PAGES = 64 * 5;

describe('a piece of the outbox', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  it('is found by its index, also after a look at a few rows on the pages of many', async () => {
    const writer = new pg.Client({ connectionString: database.url, options: '-c statement_timeout=0' });
    await writer.connect();
    const insert = `INSERT INTO outbox (kind, subject, hidden, occurred_at, counts)
      SELECT 'none', '', false, now(), 0 FROM generate_series(1, ${WAITING})`;
    try {
      await writer.query(insert);
      await writer.query('DELETE FROM outbox WHERE outbox_id < (SELECT max(outbox_id) - 200 FROM outbox)');
      await writer.query('VACUUM ANALYZE outbox');
      await writer.query(insert);
      // What another transaction of the server keeps VACUUM from taking lies before them.
      const { rows: oldest } = await writer.query('SELECT min(outbox_id) AS id FROM outbox');
      const from = oldest[0].id;
      for (const found of [`oldest_events(${from}, ${3 * WAITING}, '{}', '{}', 64)`, `leasable_events(${from}, 64)`]) {
        const { rows } = await writer.query(
          inRelease(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT release.${found}`),
        );
        const { Plan: plan } = rows[0]['QUERY PLAN'][0];
        const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
        assert.ok(pages <= MAX_PAGES, `${pages} pages: ${found}`);
      }
    } finally {
      await writer.end();
    }
  });
});
