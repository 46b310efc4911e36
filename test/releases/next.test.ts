import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/waits.ts';
import { assertHistory } from './support/history.ts';
import { Stage } from './support/stage.ts';
import { copyTree, type Tree } from './support/trees.ts';

wantCalm();

const ALTERED = ['posts', 'post_states', 'agents', 'replies', 'votes', 'questions', 'outbox', 'karma_accounts'];
const STEP_MS = 250;
const DELIVERED_AFTER_MS = 200;

/** A later release: it adds columns, an attribute of a post, a parameter of a function and a type of notification. */
async function makeNextRelease(): Promise<Tree> {
  const tree = await copyTree();
  const migrations = ALTERED.map(
    (table) => `'9001_${table}': { up: (knex: Knex) => knex.raw(
      "ALTER TABLE ${table} ADD COLUMN language text NOT NULL DEFAULT ''") as unknown as Promise<void> },`,
  );
  await tree.add(
    'migrations/next.ts',
    `import type { Knex } from 'knex';\nexport const NEXT = {\n${migrations.join('\n')}\n};\n`,
  );
  await tree.edit(
    'migrations/run.ts',
    'import { checkHashes',
    "import { NEXT } from './next.ts';\nimport { checkHashes",
  );
  await tree.edit(
    'migrations/run.ts',
    '\n};\n\n/** The migrations that',
    '\n  ...NEXT,\n};\n\n/** The migrations that',
  );
  await tree.edit('src/features/posts/sql/visible_post.sql', '\n);', ', language text\n);');
  await tree.edit('src/features/posts/sql/visible_posts.sql', '\n  FROM posts p', ', p.language\n  FROM posts p');
  const reply = 'src/features/replies/sql/create_reply.sql';
  await tree.edit(reply, 'p_at timestamptz\n)', 'p_at timestamptz, p_language text\n)');
  await tree.edit(reply, 'body, created_at)', 'body, created_at, language)');
  await tree.edit(reply, 'p_body, p_at)', 'p_body, p_at, p_language)');
  await tree.edit('src/features/replies/store.ts', "at: 'timestamptz',", "at: 'timestamptz', language: 'text',");
  await tree.edit('src/features/replies/service.ts', 'at: row.created_at', "at: row.created_at, language: 'en'");
  await tree.edit(
    'src/recording/events.ts',
    "'community.joined': { about: 'agent', isPrivate: true },",
    `'community.joined': { about: 'agent', isPrivate: true, inbox: {
      type: 'welcome', link: () => '/v1/communities', tells: 'you joined' } },`,
  );
  await tree.edit(
    'src/features/communities/service.ts',
    '  subject: agentId,\n',
    '  subject: agentId,\n  recipient: agentId,\n',
  );
  return tree;
}

describe('the next release beside this one', function () {
  this.timeout(240_000);
  let next: Tree;
  let database: TestDatabase;
  let stage: Stage;
  before(async () => {
    next = await makeNextRelease();
    database = await createDatabase();
    stage = new Stage({ databaseUrl: database.url, redisUrl: (await redisForTest()).url });
  });
  after(async () => {
    await stage?.end();
    await database?.drop();
    await next?.remove();
  });

  const count = async (text: string): Promise<number> => (await database.pool.query(text)).rows[0].count;
  const releases = async (): Promise<string[]> =>
    (
      await database.pool.query<{ name: string }>(
        'SELECT name FROM pg_namespace JOIN releases ON name = nspname ORDER BY name',
      )
    ).rows.map(({ name }) => name);

  /** An API of this release shows a notification of an unknown type, without a link. */
  async function assertShownUnknown(oldUrl: string, newUrl: string): Promise<void> {
    const founder = await new TestAgent(newUrl).register('founder');
    const sameAtOld = new TestAgent(oldUrl, Date.now, founder.signing.secretKey.subarray(0, 32));
    // If a worker of this release takes the event, no notification is created.
    await eventually(async () => {
      const slug = `c-${randomBytes(6).toString('hex')}`;
      await founder.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
      await sleep(DELIVERED_AFTER_MS);
      const { status, body } = await sameAtOld.get('/v1/inbox');
      assert.equal(status, 200);
      return body.items.some(({ type, link }: { type: string; link: unknown }) => type === 'welcome' && link === null);
    });
  }

  // An upgrade from the release before (upgrade.test.ts) starts the API first.
  it('is started worker first, and taken back, without an error', async () => {
    const old = await Promise.all([stage.startApi(), stage.startWorker()]);
    await stage.crowd.gather();
    stage.begin();
    await stage.act(STEP_MS);
    await stage.migrate(next.root);
    const both = await releases();
    assert.deepEqual([both.length, both.includes(RELEASE)], [2, true]);
    await stage.act(STEP_MS);
    const worker = await stage.startWorker(next.root);
    await stage.act(STEP_MS);
    const api = await stage.startApi(next.root);
    await stage.act(STEP_MS);
    await assertShownUnknown(old[0].url, api.url);
    for (const process of old.toReversed()) await stage.stop(process);
    await stage.act(STEP_MS);
    // An operator may come back to a release whose functions were dropped.
    await database.pool.query(`DROP SCHEMA ${RELEASE} CASCADE`);
    const printed = await stage.migrate();
    assert.match(printed, /^A later release has migrated this database \(9001_posts, .*\)\. No migration was run/);
    assert.deepEqual(await releases(), both);
    const applied = await count(`SELECT count(*)::integer AS count FROM knex_migrations WHERE name LIKE '9001%'`);
    assert.equal(applied, ALTERED.length);
    await Promise.all([stage.startApi(), stage.startWorker()]);
    await stage.act(STEP_MS);
    for (const process of [worker, api]) await stage.stop(process);
    await stage.act(STEP_MS);
    const problems = await stage.settle(count);
    const { answers, unanswered } = stage.client;
    console.log(`      ${answers} answers, ${unanswered} asked again; ${JSON.stringify(stage.crowd.done)}`);
    assert.deepEqual(problems, []);
    await assertHistory(database.pool, database.url);
    const { rows: written } = await database.pool.query('SELECT DISTINCT language FROM replies ORDER BY 1');
    assert.deepEqual(written, [{ language: '' }, { language: 'en' }], 'both wrote replies');
  });

  // The database of the test before.
  it('leaves no way back where neither release knows all migrations', async () => {
    await database.pool.query(`DELETE FROM knex_migrations WHERE name = '0069_posts_that_repeat'`);
    await assert.rejects(stage.migrate(), (error: { stderr: string }) => {
      assert.match(error.stderr, /^The database has migrations that this release does not know [^\n]*\n$/);
      return true;
    });
  });
});
