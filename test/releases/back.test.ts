import assert from 'node:assert/strict';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import type { ServiceProcess } from '../faults/support/processes.ts';
import { wantCalm } from '../support/calm.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { assertHistory } from './support/history.ts';
import { Stage } from './support/stage.ts';
import { copyTree, type Tree } from './support/trees.ts';

wantCalm();

const STEP_MS = 600;
const AHEAD = '9001_language';

/** A later release: one more migration, and other functions, which therefore have a schema of their own. */
async function makeLaterRelease(): Promise<Tree> {
  const tree = await copyTree();
  await tree.add(
    'migrations/next.ts',
    `import type { Knex } from 'knex';
export const NEXT = { '${AHEAD}': { up: (knex: Knex) => knex.raw(
  "ALTER TABLE posts ADD COLUMN language text NOT NULL DEFAULT ''") as unknown as Promise<void> } };\n`,
  );
  await tree.edit(
    'migrations/run.ts',
    'import { checkHashes',
    "import { NEXT } from './next.ts';\nimport { checkHashes",
  );
  await tree.edit('migrations/run.ts', '\n};\n\n/** What an up-to-date', '\n  ...NEXT,\n};\n\n/** What an up-to-date');
  const visiblePost = 'src/features/posts/sql/visible_post.sql';
  await tree.edit(visiblePost, '\n);', ', language text\n);');
  await tree.edit('src/features/posts/sql/visible_posts.sql', '\n  FROM posts p', ', p.language\n  FROM posts p');
  return tree;
}

describe('npm run migrate on a database that a later release has migrated', function () {
  this.timeout(120_000);
  let later: Tree;
  let database: TestDatabase;
  let stage: Stage;
  before(async () => {
    later = await makeLaterRelease();
  });
  after(() => later?.remove());
  beforeEach(async () => {
    database = await createDatabase();
    stage = new Stage({ databaseUrl: database.url, redisUrl: (await redisForTest()).url });
  });
  afterEach(async () => {
    await stage.end();
    await database.drop();
  });

  const count = async (text: string): Promise<number> => (await database.pool.query(text)).rows[0].count;
  const releases = async (): Promise<string[]> =>
    (
      await database.pool.query<{ name: string }>(
        `SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'release%'`,
      )
    ).rows
      .map(({ name }) => name)
      .toSorted();

  it('loads the functions of its own release, and changes no table', async () => {
    await stage.migrate(later.root);
    const both = await releases();
    assert.equal(both.length, 2);
    await database.pool.query(`DROP SCHEMA ${RELEASE} CASCADE`);
    const printed = await stage.migrate();
    assert.match(
      printed,
      new RegExp(`^A later release has migrated this database \\(${AHEAD}\\): no migration was run`),
    );
    assert.deepEqual(await releases(), both);
    const applied = await count(`SELECT count(*)::integer AS count FROM knex_migrations WHERE name = '${AHEAD}'`);
    assert.equal(applied, 1);
  });

  it('refuses in one line where neither release knows all migrations', async () => {
    await stage.migrate(later.root);
    await database.pool.query(`DELETE FROM knex_migrations WHERE name = '0063_newest_of_a_slot'`);
    await assert.rejects(stage.migrate(), (error: { stderr: string }) => {
      assert.match(error.stderr, /^The database has migrations that this release does not know [^\n]*\n$/);
      return true;
    });
  });

  it('lets an operator go back and forward again under load without an error', async () => {
    const start = (root?: string) => Promise.all([stage.startApi(root), stage.startWorker(root)]);
    const replace = async (old: readonly ServiceProcess[], root?: string) => {
      await stage.migrate(root);
      await stage.act(STEP_MS);
      const started = await start(root);
      await stage.act(STEP_MS);
      for (const process of old) await stage.stop(process);
      await stage.act(STEP_MS);
      return started;
    };
    const first = await start();
    await stage.crowd.gather();
    stage.begin();
    await stage.act(STEP_MS);
    const forward = await replace(first, later.root);
    // An operator may come back to a release whose functions are gone.
    await database.pool.query(`DROP SCHEMA ${RELEASE} CASCADE`);
    const back = await replace(forward);
    await replace(back, later.root);
    const problems = await stage.settle(count);
    const { answers, unanswered } = stage.client;
    console.log(`      ${answers} answers, ${unanswered} asked again; ${JSON.stringify(stage.crowd.done)}`);
    assert.deepEqual(problems, []);
    await assertHistory(database.pool, database.url);
  });
});
