import assert from 'node:assert/strict';
import type pg from 'pg';
import { dropUnusedReleases } from '../../migrations/release.ts';
import { startHeartbeat } from '../../src/platform/postgres/heartbeat.ts';
import { Postgres } from '../../src/platform/postgres/postgres.ts';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';

describe('schemas of releases', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  /** Adds a release that was last seen this many hours ago. */
  async function leave(name: string, hours: number): Promise<void> {
    await database.pool.query(`CREATE SCHEMA ${name}`);
    await database.pool.query(`CREATE FUNCTION ${name}.one() RETURNS integer LANGUAGE sql AS 'SELECT 1'`);
    await database.pool.query(
      'INSERT INTO releases (name, seen_at) VALUES ($1, clock_timestamp() - make_interval(hours => $2))',
      [name, hours],
    );
  }

  async function dropUnused(): Promise<void> {
    const client = await database.pool.connect();
    // A client of the pool behaves as a separate client does.
    await dropUnusedReleases(client as unknown as pg.Client).finally(() => client.release());
  }

  const left = async () =>
    (
      await database.pool.query<{ name: string }>(
        `SELECT nspname AS name FROM pg_namespace JOIN releases ON name = nspname ORDER BY seen_at DESC`,
      )
    ).rows.map(({ name }) => name);

  it('stay while somebody runs them: of this one, and of others that were seen lately', async () => {
    await leave('release_a', 1);
    await leave('release_b', 23);
    await leave('release_c', 25);
    await dropUnused();
    assert.deepEqual(await left(), [RELEASE, 'release_a', 'release_b']);
  });

  it('stay for the last release before this one, however long ago, so that one can go back to it', async () => {
    await leave('release_a', 200);
    await leave('release_b', 300);
    await leave('release_c', 400);
    await dropUnused();
    assert.deepEqual(await left(), [RELEASE, 'release_a']);
    const { rows } = await database.pool.query('SELECT FROM releases');
    assert.equal(rows.length, 2);
  });

  it('are said to be run by every process that runs them', async () => {
    await database.pool.query(`UPDATE releases SET seen_at = '-infinity'`);
    const db = new Postgres({ url: database.url, maxConnections: 1, applicationName: 'forum test heartbeat' });
    const heartbeat = startHeartbeat(db);
    try {
      await eventually(async () => {
        const { rows } = await database.pool.query(
          `SELECT FROM releases WHERE name = $1 AND seen_at > clock_timestamp() - interval '1 minute'`,
          [RELEASE],
        );
        return rows.length === 1;
      });
    } finally {
      heartbeat.stop();
      await db.close();
    }
  });
});
