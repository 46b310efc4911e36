import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { migrateLatest } from '../../migrations/run.ts';
import { addWal, backUpFiles } from '../../src/tools/backup/makeBackup.ts';
import { type FilesBackup, type Manifest, readManifest } from '../../src/tools/backup/manifest.ts';
import { withConnection } from '../../src/tools/backup/origin.ts';
import { restoreFiles } from '../../src/tools/backup/restoreFiles.ts';
import { withOwnPostgres } from '../../src/tools/dev/ownPostgres.ts';
import { isOnAnyCommandLine } from '../../src/tools/dev/processes.ts';
import { type Services, startServices } from '../../src/tools/dev/services.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { cacheDirectory, makeTestDirectory } from '../support/directories.ts';
import { stopAbandonedServices } from '../support/stopAbandonedServices.ts';
import { assertVerifiedAt } from '../support/verify.ts';
import { eventually } from '../support/waits.ts';
import { fingerprint, interruptBackup, run, type Served, serve } from './support/backups.ts';

/** Written after the base copy, and in the backup by their WAL. */
const WRITES_MS = 3_000;
const PAUSE_MS = 100;
const REPLIES_WAITING = 5;
const OPERATOR = '{"the key":"of the operator"}';
const POST = { title: 't', body: 'b' };
const NONCE = randomBytes(16).toString('base64url');

interface Acknowledged {
  readonly postId: string;
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** docs/operations#backup, with the servers that `npm start` brings. */
describe('a backup of a forum that is written to', function () {
  this.timeout(60_000);
  let root: string;
  let backup: string;
  const directories: string[] = [];
  const services: Services[] = [];
  const forums: Served[] = [];
  let original: Served;
  let redisUrl: string;
  const seeds = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  let load: Promise<void>;
  let baseDoneAt: number;
  let isWriting = true;
  const posts: Acknowledged[] = [];
  const refused: Answer[] = [];
  let slowestMs = 0;

  before(async () => {
    root = await makeTestDirectory();
    backup = join(root, 'backup');
    const own = await start('data');
    await migrateLatest(own.databaseUrl);
    redisUrl = own.redisUrl;
    original = await serveOn(own);
    await original.work();
    const agents = seeds.map((seed) => original.agent(seed));
    for (const agent of agents) await agent.register(`agent-${randomBytes(6).toString('hex')}`);
    const first = await agents[0]!.signed('POST', '/v1/posts', { body: POST, nonce: NONCE });
    assert.equal(first.status, 201);
    load = Promise.all(agents.map((agent, n) => write(agent, agents[(n + 1) % agents.length]!))).then(() => {});
    await writeFile(join(root, 'data', 'operator.json'), OPERATOR, { mode: 0o600 });
    const { code, text } = await run('backup', [backup, '--from', join(root, 'data')]);
    assert.equal(code, 0, text);
    baseDoneAt = Date.now();
  });
  after(async () => {
    isWriting = false;
    await load;
    for (const forum of forums) await forum.stop();
    for (const own of services.toReversed()) await own.stop();
    for (const directory of directories) await stopAbandonedServices(directory);
    await rm(root, { recursive: true, force: true });
  });

  /** Servers of a directory; a second PostgreSQL shares the Redis of the first. */
  async function start(name: string): Promise<Services> {
    const directory = join(root, name);
    directories.push(directory);
    const own = await startServices({ directory, cacheDirectory, durable: true, redisUrl, log: () => undefined });
    services.push(own);
    return own;
  }

  async function serveOn({ databaseUrl, redisUrl }: Services): Promise<Served> {
    const forum = await serve(databaseUrl, redisUrl);
    forums.push(forum);
    return forum;
  }

  /** Posts, replies, votes, and now and then a bounty that another one earns. */
  async function write(agent: TestAgent, other: TestAgent): Promise<void> {
    for (let round = 0; isWriting; round += 1) {
      const { postId } = (await accepted(agent, '/v1/posts', POST)).body.post;
      const { replyId } = (await accepted(other, `/v1/posts/${postId}/replies`, { body: 'r' })).body.reply;
      await accepted(agent, '/v1/votes', { targetId: replyId, value: 'up' });
      if (round % 10 !== 0) continue;
      const question = (await accepted(agent, '/v1/questions', { ...POST, bountyStake: 1 })).body.post;
      await accepted(other, `/v1/posts/${question.postId}/replies`, { body: 'r' });
    }
  }

  async function accepted(agent: TestAgent, path: string, body: object): Promise<Answer> {
    const sentAt = Date.now();
    const answer = await agent.post(path, body);
    const answeredAt = Date.now();
    slowestMs = Math.max(slowestMs, answeredAt - sentAt);
    if (answer.status >= 300) refused.push(answer);
    else if (answer.body.post) posts.push({ postId: answer.body.post.postId, sentAt, answeredAt });
    await sleep(PAUSE_MS);
    return answer;
  }

  const counters = async (agent: TestAgent) =>
    Object.entries(
      (await agent.get('/v1/greeting')).body.rateLimits.counters as Record<string, { remaining: number }>,
    ).map(([name, { remaining }]) => [name, remaining]);
  const rowsOf = async ({ pool }: Served, text: string) => (await pool.query({ text, rowMode: 'array' })).rows;
  const restore = async (to: string, until?: string) =>
    restoreFiles(backup, (await readManifest(backup)) as Manifest & FilesBackup, to, until);
  const inbox = (forum: Served) => rowsOf(forum, 'SELECT agent_id, type, subject FROM inbox_entries ORDER BY 1, 2, 3');
  const isDelivered = async (forum: Served) => (await rowsOf(forum, 'SELECT 1 FROM outbox LIMIT 1')).length === 0;

  it('a killed backup leaves only a .partial directory, an interrupted one leaves nothing', async () => {
    const directory = join(root, 'interrupted');
    await interruptBackup(directory, join(root, 'data'), 'SIGKILL');
    assert.equal(existsSync(directory), false);
    await assert.rejects(readManifest(`${directory}.partial`), /is not a complete backup/);
    await interruptBackup(directory, join(root, 'data'), 'SIGTERM');
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('interrupted')),
      [],
    );
    await eventually(async () => (await rowsOf(original, 'SELECT 1 FROM pg_replication_slots')).length === 0);
  });

  it('is not overwritten, and not restored over data or while its server runs', async () => {
    const data = join(root, 'data');
    await assert.rejects(backUpFiles(backup, data, new AbortController().signal), /already exists/);
    // As where its directory was moved away beneath the server.
    await rename(join(data, 'postgresql.pid.json'), join(data, 'moved'));
    await assert.rejects(restore(data), /A PostgreSQL server uses .*: stop it/);
    await rename(join(data, 'moved'), join(data, 'postgresql.pid.json'));
    await mkdir(join(root, 'full', 'postgresql-18'), { recursive: true });
    await writeFile(join(root, 'full', 'postgresql-18', 'PG_VERSION'), '18');
    await assert.rejects(restore(join(root, 'full')), /already contains data: move it away/);
    await mkdir(join(root, 'other'));
    await writeFile(join(root, 'other', 'secrets.json'), '{}');
    await assert.rejects(restore(join(root, 'other')), /secrets.json differs from the file in the backup/);
    assert.deepEqual(await readdir(join(root, 'other')), ['secrets.json']);
  });

  it('has all that was written in the 3 s after the base copy, and is restored beside the running one', async () => {
    await sleep(Math.max(0, baseDoneAt + WRITES_MS - Date.now()));
    isWriting = false;
    await load;
    assert.deepEqual(refused, []);
    console.log(`        ${posts.length} posts; the slowest write took ${slowestMs} ms`);

    await eventually(() => isDelivered(original));
    await original.rest();
    const [ada, ben] = [original.agent(seeds[0]), original.agent(seeds[1])];
    for (let n = 0; n < REPLIES_WAITING; n += 1) {
      assert.equal((await ben.post(`/v1/posts/${posts[0]!.postId}/replies`, { body: 'r' })).status, 201);
    }
    const expectedCounters = await counters(ada);
    const expected = await fingerprint(original.pool);
    const added = await run('backup', ['--wal', backup, '--from', join(root, 'data')]);
    assert.equal(added.code, 0, added.text);

    // From here on Redis knows more than the backup, a higher fence too.
    const redis = new Redis(redisUrl);
    await redis.del(await redis.keys('forum:*:state'));
    redis.disconnect();
    assert.equal((await ada.post('/v1/posts', { title: 'later', body: 'b' })).status, 201);

    const restored = await run('restore', [backup, '--to', join(root, 'restored')]);
    assert.equal(restored.code, 0, restored.text);
    assert.equal(await readFile(join(root, 'restored', 'operator.json'), 'utf8'), OPERATOR);
    assert.equal((await stat(join(root, 'restored', 'operator.json'))).mode & 0o777, 0o600);
    const copy = await start('restored');
    const forum = await serveOn(copy);
    assert.notEqual(new URL(copy.databaseUrl).port, new URL(original.databaseUrl).port);
    assert.deepEqual(await fingerprint(forum.pool), expected);
    assert.ok(posts.length > 15 && Object.keys(expected).length > 30);
    await assertVerifiedAt(copy.databaseUrl);

    const adaThere = forum.agent(seeds[0]);
    assert.deepEqual(await counters(adaThere), expectedCounters);
    assert.equal((await adaThere.signed('POST', '/v1/posts', { body: POST, nonce: NONCE })).status, 401);
    assert.equal((await adaThere.post('/v1/posts', POST)).status, 201);
    assert.equal((await rowsOf(forum, `SELECT 1 FROM outbox WHERE kind = 'reply.created'`)).length, REPLIES_WAITING);
    await Promise.all([forum.work(), original.work()]);
    await eventually(async () => (await isDelivered(forum)) && (await isDelivered(original)));
    assert.deepEqual(await inbox(forum), await inbox(original));
    await Promise.all([assertVerifiedAt(copy.databaseUrl), assertVerifiedAt(original.databaseUrl)]);
  });

  it('takes no WAL of its copy', async () => {
    await assert.rejects(addWal(backup, join(root, 'restored')), /The backup is of other data/);
  });

  it('is restored to a moment of those 3 s', async () => {
    const moment = baseDoneAt + WRITES_MS / 2;
    const until = new Date(moment).toISOString();
    await restore(join(root, 'moment'), until);
    const there = await withOwnPostgres(join(root, 'moment'), ({ url }) =>
      withConnection(url, async (client) => {
        const { rows } = await client.query<{ post_id: string }>('SELECT post_id FROM posts');
        return new Set(rows.map(({ post_id }) => post_id));
      }),
    );
    assert.equal(await isOnAnyCommandLine(`-D ${join(root, 'moment')}`), false);
    assert.equal(await isOnAnyCommandLine(`-D ${join(root, 'data')}`), true);
    assert.deepEqual(
      posts.filter(({ postId, sentAt, answeredAt }) => (there.has(postId) ? sentAt > moment : answeredAt < moment)),
      [],
    );
    for (const never of ['2026-01-01T00:00:00Z', '2026-11-22 12:00:00', 'now']) {
      await assert.rejects(restore(join(root, 'never'), never), /--until must be a time between/);
    }
  });

  it('is not restored where its WAL ends before the time that it names', async () => {
    const manifest = (await readManifest(backup)) as Manifest & FilesBackup;
    const last = manifest.files.findLast(({ path }) => path.startsWith('wal/'));
    const files = manifest.files.filter((file) => file !== last);
    await assert.rejects(
      restoreFiles(backup, { ...manifest, files }, join(root, 'short'), undefined),
      new RegExp(`^StartupError: The WAL in .* ends at 20.*\\+00, before ${manifest.upTo}, so nothing was restored`),
    );
    assert.deepEqual(await readdir(join(root, 'short')), []);
  });

  it('is not restored once a byte of it has changed, nor when WAL is missing', async () => {
    await appendFile(join(backup, 'data', 'PG_VERSION'), '\n');
    const [segment = ''] = await readdir(join(backup, 'wal'));
    await rm(join(backup, 'wal', segment));
    const message = await restore(join(root, 'never')).catch((error: Error) => error.message);
    assert.match(String(message), /is damaged, so nothing was restored: 2 of/);
    assert.ok(message.includes('data/PG_VERSION') && message.includes(segment), message);
    assert.deepEqual(await readdir(join(root, 'never')), []);
  });
});
