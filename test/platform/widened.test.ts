import assert from 'node:assert/strict';
import type pg from 'pg';
import { RELEASE, SQL_SOURCES } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { prepare, type ResultColumn } from './support/preparation.ts';
import { type CollectedStatements, collectStatements } from './support/statements.ts';

const WIDEN = `DO $$
DECLARE
  v_table regclass;
BEGIN
  FOR v_table IN SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND relnamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER TABLE %s ADD COLUMN of_the_next_release text NOT NULL DEFAULT ''''', v_table);
  END LOOP;
END $$`;
const TABLES = `SELECT t.oid FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace`;
/** A function that returns rows of a table changes its result with the table, for callers of every release. */
const ROWS_OF_TABLES = `SELECT proname AS name FROM pg_proc
  WHERE pronamespace = to_regnamespace($1) AND proretset AND prorettype IN (${TABLES})`;

interface Prepared {
  readonly name: string;
  readonly text: string;
  readonly columns: readonly ResultColumn[];
}

/** The change of a table by the next release while processes of this one run: they must not get 0A000. */
describe('the statements of the service, when every table has gained a column', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let client: pg.PoolClient;
  let declared: CollectedStatements['declared'];
  let prepared: Prepared[];
  before(async () => {
    database = await createDatabase();
    ({ declared } = await collectStatements(database.url));
    client = await database.pool.connect();
    prepared = [];
    for (const [name, texts] of declared) {
      const text = [...texts][0]!;
      prepared.push({ name, text, columns: await prepare(client, name, text) });
    }
    await client.query(WIDEN);
  });
  after(async () => {
    client?.release();
    await database.drop();
  });

  it('continue to work if they are prepared', async () => {
    const failed: string[] = [];
    for (const { name } of prepared) {
      const { rows } = await client.query<{ count: number }>(
        'SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = $1',
        [name],
      );
      const nulls = Array.from({ length: rows[0]!.count }, () => 'NULL').join(', ');
      await client.query('BEGIN');
      await client
        .query(`EXECUTE "${name}"${nulls === '' ? '' : `(${nulls})`}`)
        .catch((error: Error & { code?: string }) => {
          // Whatever else is wrong with nothing but nulls.
          if (error.code === '0A000' || error.code?.startsWith('42')) failed.push(`${name}: ${error.message}`);
        });
      await client.query('ROLLBACK');
    }
    assert.deepEqual(failed, []);
  });

  it('return the same columns after they are prepared again', async () => {
    const changed: string[] = [];
    for (const { name, text, columns } of prepared) {
      const anew = await prepare(client, `${name} anew`, text);
      if (JSON.stringify(anew) !== JSON.stringify(columns)) changed.push(name);
    }
    assert.deepEqual(changed, []);
  });

  it('call no function that answers rows of a table', async () => {
    const { rows } = await database.pool.query<{ name: string }>(ROWS_OF_TABLES, [RELEASE]);
    assert.deepEqual(rows, []);
  });

  it('name the columns that they write', () => {
    const statements = [...declared].flatMap(([name, texts]) => [...texts].map((text) => [name, text] as const));
    const written = [...statements, ...SQL_SOURCES.map(({ path, text }) => [path, text] as const)];
    const inserts = written.flatMap(([from, text]) =>
      [...text.matchAll(/\bINSERT INTO (?:public\.)?(\w+)(?: AS \w+)?(\s*\()?/g)].map(([, table, list]) => ({
        from,
        table,
        list,
      })),
    );
    assert.ok(inserts.length > 50, String(inserts.length));
    assert.deepEqual(
      inserts.filter(({ list }) => list === undefined),
      [],
    );
  });
});
