import assert from 'node:assert/strict';
import pg from 'pg';
import { loadRelease } from '../../migrations/release.ts';
import { migrateLatest, migrateSearchIndex } from '../../migrations/run.ts';
import { TABLES } from '../../src/platform/postgres/generated/tables.ts';
import { inRelease, RELEASE, SQL_SOURCES } from '../../src/platform/postgres/release.ts';
import { assertHistory } from '../releases/support/history.ts';
import { Stage } from '../releases/support/stage.ts';
import { asAdmin, createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { type CollectedStatements, collectStatements, refusedPreparations } from './support/statements.ts';

const RELATIONS = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition`;
const TRIGGER_FUNCTIONS = `SELECT DISTINCT proname AS name, prosrc AS body
  FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid
  WHERE NOT tgisinternal AND pronamespace = 'public'::regnamespace`;
/** Tables whose name is also that of columns. */
const ALSO_COLUMNS = [
  'agents',
  'posts',
  'replies',
  'votes',
  'feedback',
  'findings',
  'outbox',
  'mutes',
  'settings',
  'questions',
  'challenges',
];
const LOAD_MS = 3_000;

/** What pg_dump leaves on a session that a pooler shares. */
const EMPTIED = 'options=-c%20search_path%3D';
const withoutSearchPath = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}${EMPTIED}`;

describe('the service on sessions with an empty search_path', function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let declared: CollectedStatements['declared'];
  before(async () => {
    database = await createDatabase();
    ({ declared } = await collectStatements(database.url));
  });
  after(() => database.drop());

  const namesOf = async (text: string): Promise<string[]> =>
    (await database.pool.query<{ name: string }>(text)).rows.map(({ name }) => name);

  it('knows every table by its name: tables.ts lists them', async () => {
    const listed: readonly string[] = TABLES;
    assert.deepEqual(
      (await namesOf(RELATIONS)).filter((name) => !listed.includes(name)),
      [],
    );
    assert.deepEqual(listed.toSorted(), [...new Set(listed)].toSorted());
    const there = new Set(await namesOf(RELATIONS));
    assert.deepEqual(
      listed.filter((name) => !there.has(name)),
      [],
    );
  });

  it('lists the tables of a database that has the index of search alone', async () => {
    const own = await createDatabase();
    try {
      await own.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await migrateSearchIndex(own.url);
      const { rows } = await own.pool.query<{ name: string }>(RELATIONS);
      const listed: readonly string[] = TABLES;
      assert.deepEqual(
        rows.map(({ name }) => name).filter((name) => !listed.includes(name)),
        [],
      );
    } finally {
      await own.drop();
    }
  });

  it('gives no table its schema where a common table expression has its name', () => {
    const cte = new RegExp(`\\b(${TABLES.join('|')})(?: \\([^()]*\\))? AS (?:(?:NOT )?MATERIALIZED )?\\(`);
    const texts = [
      ...[...declared].flatMap(([name, each]) => [...each].map((text) => [name, text] as const)),
      ...SQL_SOURCES.map(({ path, text }) => [path, text] as const),
    ];
    assert.deepEqual(
      texts.filter(([, text]) => cte.test(text)).map(([name]) => name),
      [],
    );
  });

  it('prepares every statement', async () => {
    assert.deepEqual(await refusedPreparations(withoutSearchPath(database.url), declared), []);
  });

  it('loads its functions, types and views, and finds what they name', async () => {
    const own = await createDatabase();
    const client = new pg.Client({ connectionString: withoutSearchPath(own.url) });
    try {
      await client.connect();
      await client.query(`DROP SCHEMA ${RELEASE} CASCADE`);
      await loadRelease(client);
    } finally {
      await client.end();
      await own.drop();
    }
  });

  it('names the schema of tables in functions, whose bodies are not looked at before they are called', async () => {
    const names = TABLES.filter((name) => !ALSO_COLUMNS.includes(name)).join('|');
    const bare = new RegExp(
      `(?<![.\\w'])(?:${names})\\b(?!\\.)|(?<!DISTINCT )\\b(?:FROM|JOIN|INSERT INTO|UPDATE) +(?:${TABLES.join('|')})\\b`,
    );
    const { rows } = await database.pool.query<{ name: string; body: string }>(TRIGGER_FUNCTIONS);
    assert.ok(rows.length > 10, String(rows.length));
    const bodies = [...rows, ...SQL_SOURCES.map(({ path, text }) => ({ name: path, body: inRelease(text) }))];
    const found = bodies.flatMap(({ name, body }) => {
      const [text] = bare.exec(body.replaceAll(/--.*/g, '')) ?? [];
      return text === undefined ? [] : [`${name}: ${text}`];
    });
    assert.deepEqual(found, []);
  });

  it('serves a crowd, and its workers do their jobs', async () => {
    const own = await createDatabase();
    const stage = new Stage({ databaseUrl: withoutSearchPath(own.url), redisUrl: (await redisForTest()).url });
    try {
      await Promise.all([stage.startApi(), stage.startWorker()]);
      await stage.crowd.gather();
      stage.begin();
      await stage.act(LOAD_MS);
      const problems = await stage.settle(async (text) => (await own.pool.query(text)).rows[0].count);
      assert.deepEqual(problems, []);
      await assertHistory(own.pool, own.url);
    } finally {
      await stage.end();
      await own.drop();
    }
  });
});

describe('npm run migrate with a search_path that does not begin with public', () => {
  it('refuses in one line', async () => {
    const database = await createDatabase();
    try {
      await database.pool.query('CREATE SCHEMA elsewhere');
      const name = new URL(database.url).pathname.slice(1);
      await asAdmin((admin) => admin.query(`ALTER DATABASE ${name} SET search_path = elsewhere, public`));
      await assert.rejects(migrateLatest(database.url), {
        name: 'StartupError',
        message: /in the schema public, but the search_path of the role in DATABASE_URL begins with elsewhere/,
      });
    } finally {
      await database.drop();
    }
  });
});
