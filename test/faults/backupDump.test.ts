import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrateLatest } from '../../migrations/run.ts';
import { backupAges } from '../../src/ops/backups.ts';
import type { RunningPostgres } from '../../src/tools/dev/postgres.ts';
import { redisForTest } from '../support/database.ts';
import { makeTestDirectory } from '../support/directories.ts';
import { findSystemPostgres, startServerOf } from '../support/systemPostgres.ts';
import { assertVerifiedAt } from '../support/verify.ts';
import { fingerprint, killProgram, run, type Served, serve } from './support/backups.ts';

const POST = { title: 't', body: 'b' };
const NONCE = randomBytes(16).toString('base64url');
const PASSWORD = `secret${randomBytes(6).toString('hex')}`;

/** docs/operations#backup, for a server that DATABASE_URL names, by a role that is not a superuser. */
describe('a backup by pg_dump', function () {
  this.timeout(60_000);
  let root: string;
  let data: string;
  let server: RunningPostgres;
  let original: Served;
  let redisUrl: string;
  before(async function () {
    const binaries = await findSystemPostgres();
    if (binaries === undefined) {
      console.log('    skipped: no PostgreSQL below /usr/lib/postgresql (apt-get install postgresql)');
      return this.skip();
    }
    root = await makeTestDirectory();
    data = await makeTestDirectory();
    server = await startServerOf(binaries, data);
    await asSuperuser((client) => client.query(`CREATE ROLE service LOGIN PASSWORD '${PASSWORD}'`));
    redisUrl = (await redisForTest()).url;
    const url = await createDatabase('original');
    await migrateLatest(url);
    original = await serve(url, redisUrl);
  });
  after(async () => {
    await original?.stop();
    await server?.stop();
    for (const directory of [root, data]) if (directory) await rm(directory, { recursive: true, force: true });
  });

  async function asSuperuser(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await work(client).finally(() => client.end());
  }

  /** Creates the database as the runbook does. */
  async function createDatabase(name: string): Promise<string> {
    const how = `OWNER service TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`;
    await asSuperuser((client) => client.query(`CREATE DATABASE ${name} ${how}`));
    return `postgres://service:${PASSWORD}@127.0.0.1:${server.port}/${name}`;
  }

  it('is restored into a new database, and served from on the Redis that knows more', async () => {
    const seed = randomBytes(32);
    const ada = await original.agent(seed).register(`agent-${randomBytes(6).toString('hex')}`);
    const { post } = (await ada.signed('POST', '/v1/posts', { body: POST, nonce: NONCE })).body;
    const ben = await original.agent(randomBytes(32)).register(`agent-${randomBytes(6).toString('hex')}`);
    assert.equal((await ben.post(`/v1/posts/${post.postId}/replies`, { body: 'r' })).status, 201);
    const expected = await fingerprint(original.pool);

    const backup = join(root, 'backup');
    const made = await run('backup', [backup], { DATABASE_URL: original.databaseUrl });
    assert.equal(made.code, 0, made.text);
    assert.equal((await ada.post('/v1/posts', { title: 'later', body: 'b' })).status, 201);

    const url = await createDatabase('restored');
    const restored = await run('restore', [backup], { DATABASE_URL: url });
    assert.equal(restored.code, 0, restored.text);
    await migrateLatest(url);
    const copy = await serve(url, redisUrl);
    try {
      const { rows: analyzed } = await copy.pool.query(
        "SELECT count(*) > 0 AS all FROM pg_stats WHERE tablename = 'posts'",
      );
      assert.deepEqual(analyzed, [{ all: true }]);
      assert.deepEqual(await fingerprint(copy.pool), expected);
      await assertVerifiedAt(url);
      const adaThere = copy.agent(seed);
      assert.equal((await adaThere.get('/v1/greeting')).body.rateLimits.counters.posts.remaining, 999);
      assert.equal((await adaThere.signed('POST', '/v1/posts', { body: POST, nonce: NONCE })).status, 401);
      assert.equal((await adaThere.post('/v1/posts', POST)).status, 201);
    } finally {
      await copy.stop();
    }

    const again = await run('restore', [backup], { DATABASE_URL: url });
    assert.deepEqual([again.code, /is not empty, so nothing was restored/.test(again.text)], [1, true], again.text);
  });

  it('is rehearsed in a scratch database that is dropped, and never in a database of others', async () => {
    const env = { DATABASE_URL: original.databaseUrl };
    const folder = join(root, 'many');
    const made = await run('backup', ['--in', folder, '--keep-daily', '2'], env);
    assert.equal(made.code, 0, made.text);
    const rehearse = () => run('rehearse', [folder], env);
    const refused = async (problem: RegExp) => {
      const { code, text } = await rehearse();
      assert.equal(code, 1);
      assert.match(text, problem);
    };
    const ages = async () => (await backupAges(original.db))!;
    const scratches = async () =>
      (await original.pool.query(`SELECT FROM pg_database WHERE datname = 'original_rehearsal'`)).rows.length;
    const before = await fingerprint(original.pool);

    await refused(/^The role service may not create .*: ALTER ROLE service CREATEDB\n$/);
    await asSuperuser((client) => client.query('ALTER ROLE service CREATEDB'));
    await createDatabase('original_rehearsal');
    await refused(/^The database original_rehearsal exists, and no rehearsal created it/);
    assert.equal(await scratches(), 1);
    await asSuperuser((client) => client.query('DROP DATABASE original_rehearsal'));
    assert.deepEqual([(await ages()).rehearsal, await fingerprint(original.pool)], [null, before]);

    await killProgram('rehearse', [folder], env, async () => (await scratches()) === 1);
    assert.equal(await scratches(), 1);
    const { code, text } = await rehearse();
    assert.equal(code, 0, text);
    assert.match(text, /^Rehearsed .*: restored in [\d.]+ s, migrated in [\d.]+ s, verified in [\d.]+ s\.\n$/);
    assert.equal(await scratches(), 0);
    const { backup, rehearsal } = await ages();
    assert.ok(rehearsal! >= 0 && rehearsal! < backup! && backup! < 60, `${backup} ${rehearsal}`);

    const [name = ''] = (await readdir(folder)).filter((entry) => !entry.endsWith('.lock'));
    await writeFile(join(folder, name, 'database.dump'), 'damaged');
    await refused(/is damaged/);
    assert.deepEqual([await scratches(), (await ages()).rehearsal! > rehearsal!], [0, true]);
  });

  it('a failed backup leaves no files, and its message contains no password', async () => {
    const url = new URL(original.databaseUrl);
    url.pathname = '/nowhere';
    const { code, text } = await run('backup', [join(root, 'failed')], { DATABASE_URL: url.href });
    assert.equal(code, 1);
    assert.match(text, /has no database nowhere/);
    assert.ok(!text.includes(PASSWORD), text);
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('failed')),
      [],
    );
  });
});
