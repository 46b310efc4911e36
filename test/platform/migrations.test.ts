import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import pg from 'pg';
import * as baseline from '../../migrations/0068_baseline.ts';
import { MIGRATION_NAMES, migrateLatest } from '../../migrations/run.ts';
import { schemaText } from '../../migrations/schema.ts';
import { SQL_SOURCES } from '../../src/platform/postgres/release.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';

const statement = (text: string) => ({
  up: async (knex: Knex) => {
    await knex.raw(text);
  },
});
const ONE = { '0001_one': statement('CREATE TABLE one (id integer PRIMARY KEY)') };
const WAITS_FOR_TWO = `SELECT FROM pg_locks WHERE relation = 'two'::regclass AND NOT granted`;
const TWO = { ...ONE, '0002_two': statement('ALTER TABLE one ADD COLUMN note text') };

const BETWEEN_WRITES_MS = 300;

const FIRST = MIGRATION_NAMES[0]!;
/** What release 1.1.0 stored of its last migration. */
const HASH_OF_1_1 = 'p-YFsCCqw5DSZjXei3Xw5pUpT1vbnLlYnEbRBwXeoEU';

/** A session that may stay in a transaction. */
async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c idle_in_transaction_session_timeout=0' });
  await client.connect();
  return client;
}

describe('migrations', function () {
  this.timeout(40_000);
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  /** An empty database beside the migrated one. */
  async function emptied(): Promise<string> {
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return database.url;
  }

  it('make what schema.sql shows: `npm run schema` writes it', async function () {
    const shown = await readFile(new URL('../../migrations/schema.sql', import.meta.url), 'utf8');
    const [, shownBy] = /PostgreSQL (\d+)/.exec(shown)!;
    const { rows } = await database.pool.query<{ major: number }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS major`,
    );
    if (rows[0]!.major !== Number(shownBy)) {
      console.log(`      (schema.sql is as PostgreSQL ${shownBy} shows it: not compared on ${rows[0]!.major})`);
      this.skip();
    }
    assert.equal(await schemaText(database.url), shown);
  });

  it('leave no function in public that neither a trigger nor a function of the release calls', async () => {
    const { rows: functions } = await database.pool.query<{ name: string; body: string; fires: boolean }>(
      `SELECT proname AS name, prosrc AS body, EXISTS (SELECT FROM pg_trigger t WHERE t.tgfoid = p.oid) AS fires
       FROM pg_proc p WHERE pronamespace = 'public'::regnamespace`,
    );
    const calls = (body: string) =>
      functions.filter(({ name }) => new RegExp(`\\bpublic\\.${name}\\s*\\(`).test(body)).map(({ name }) => name);
    const needed = new Set(functions.filter(({ fires }) => fires).map(({ name }) => name));
    for (const { text } of SQL_SOURCES) for (const name of calls(text.replaceAll(/--.*/g, ''))) needed.add(name);
    // The iteration of a set includes elements that are added meanwhile.
    for (const name of needed) {
      for (const { body } of functions.filter((each) => each.name === name))
        for (const each of calls(body)) needed.add(each);
    }
    assert.deepEqual([...needed].toSorted(), functions.map(({ name }) => name).toSorted());
  });

  it('continue a database of release 1.1.0 after its last migration', async () => {
    const url = await emptied();
    await migrateLatest(url, { [FIRST]: baseline });
    await database.pool.query(
      `DELETE FROM knex_migrations; DELETE FROM migration_hashes;
       INSERT INTO knex_migrations (name, batch) VALUES ('0063_newest_of_a_slot', 1), ('${FIRST}', 2);
       INSERT INTO migration_hashes (name, hash) VALUES ('0063_newest_of_a_slot', 'a'), ('${FIRST}', '${HASH_OF_1_1}')`,
    );
    assert.deepEqual(await migrateLatest(url), MIGRATION_NAMES.slice(1));
  });

  it('refuse a database of a release before 1.1.0', async () => {
    await database.pool.query(
      `DELETE FROM knex_migrations; INSERT INTO knex_migrations (name, batch) VALUES ('0063_newest_of_a_slot', 1)`,
    );
    await assert.rejects(migrateLatest(database.url), {
      name: 'StartupError',
      message: /last migration is 0063_newest_of_a_slot\)\. Upgrade it to release 1\.1\.0 first/,
    });
  });

  it('run once and report what they did', async () => {
    const url = await emptied();
    assert.deepEqual(await migrateLatest(url, ONE), ['0001_one']);
    const both = await Promise.all([migrateLatest(url, TWO), migrateLatest(url, TWO)]);
    assert.deepEqual(both.flat(), ['0002_two']);
    assert.deepEqual(await migrateLatest(url, TWO), []);
  });

  it('refuse migrations that were edited after they ran', async () => {
    const url = await emptied();
    await migrateLatest(url, ONE);
    const edited = { '0001_one': statement('CREATE TABLE one (id bigint PRIMARY KEY)') };
    await assert.rejects(migrateLatest(url, edited), /0001_one was edited after it ran on this database/);
    assert.deepEqual(await migrateLatest(url, ONE), []);
  });

  it('accept migrations that ran before hashes were stored', async () => {
    await database.pool.query('DROP TABLE migration_hashes');
    assert.deepEqual(await migrateLatest(database.url), []);
    const { rows } = await database.pool.query('SELECT FROM migration_hashes');
    const { rows: applied } = await database.pool.query('SELECT FROM knex_migrations');
    assert.equal(rows.length, applied.length);
  });

  it('are committed one by one: while one waits, the table of the one before is free', async () => {
    const url = await emptied();
    await migrateLatest(url, ONE);
    const two = { ...ONE, '0002_two': statement('CREATE TABLE two (id integer PRIMARY KEY)') };
    await migrateLatest(url, two);
    const both = {
      ...two,
      '0003_one': statement('ALTER TABLE one ADD COLUMN note text'),
      '0004_two': statement('ALTER TABLE two ADD COLUMN note text'),
    };
    const reader = await connectTo(url);
    try {
      await reader.query('BEGIN');
      await reader.query('SELECT FROM two');
      const migrating = migrateLatest(url, both);
      await eventually(async () => (await database.pool.query(WAITS_FOR_TWO)).rows.length === 1);
      // In the same transaction it would wait here for who waits for it.
      await reader.query('SELECT note FROM one');
      await reader.query('COMMIT');
      assert.deepEqual(await migrating, ['0003_one', '0004_two']);
    } finally {
      await reader.end();
    }
  });

  it('yield to other sessions and try again if a lock is not free', async () => {
    const url = await emptied();
    await migrateLatest(url, ONE);
    const holder = await connectTo(url);
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM one');
      const migrating = migrateLatest(url, TWO);
      let longest = 0;
      for (const until = performance.now() + 4_000; performance.now() < until; ) {
        const startedAt = performance.now();
        await database.pool.query('SELECT FROM one');
        longest = Math.max(longest, performance.now() - startedAt);
      }
      assert.ok(longest < 2_000, `a read waited ${Math.round(longest)} ms`);
      await holder.query('COMMIT');
      assert.deepEqual(await migrating, ['0002_two']);
    } finally {
      await holder.end();
    }
  });

  it('yield to the other session in a deadlock', async () => {
    const url = await emptied();
    const two = { ...ONE, '0002_two': statement('CREATE TABLE two (id integer PRIMARY KEY)') };
    await migrateLatest(url, two);
    const both = statement('LOCK TABLE one; LOCK TABLE two; ALTER TABLE one ADD COLUMN note text');
    const readers = await Promise.all(Array.from({ length: 4 }, () => connectTo(url)));
    try {
      for (const reader of readers) await reader.query('BEGIN; SELECT FROM two');
      const migrating = migrateLatest(url, { ...two, '0003_both': both });
      await eventually(async () => (await database.pool.query(WAITS_FOR_TWO)).rows.length === 1);
      await Promise.all(readers.map((reader) => reader.query('SELECT FROM one')));
      await Promise.all(readers.map((reader) => reader.query('COMMIT')));
      assert.deepEqual(await migrating, ['0003_both']);
    } finally {
      await Promise.all(readers.map((reader) => reader.end()));
    }
  });

  it('wait without limit if no session waits for them', async () => {
    const url = await emptied();
    await migrateLatest(url, ONE);
    await database.pool.query('CREATE TABLE tries (at timestamptz)');
    const index = {
      up: async (knex: Knex) => {
        await knex.raw('INSERT INTO tries VALUES (now())');
        await knex.raw('CREATE INDEX CONCURRENTLY one_by_id ON one (id)');
      },
      config: { transaction: false },
    };
    const writer = await connectTo(url);
    try {
      await writer.query('BEGIN; INSERT INTO one VALUES (1)');
      const migrating = migrateLatest(url, { ...ONE, '0002_index': index });
      for (let id = 2; id < 12; id++) {
        await sleep(BETWEEN_WRITES_MS);
        await database.pool.query('INSERT INTO one VALUES ($1)', [id]);
      }
      await writer.query('COMMIT');
      assert.deepEqual(await migrating, ['0002_index']);
      assert.equal((await database.pool.query('SELECT FROM tries')).rows.length, 1);
    } finally {
      await writer.end();
    }
  });
});
