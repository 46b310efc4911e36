import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { storeSessionSettings } from '../../../migrations/sessions.ts';
import { type Api, startApi } from '../../../src/api.ts';
import { followKeys, requireContinuation, verifyLog } from '../../../src/client/publicLog.ts';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import { parseLeaf } from '../../../src/protocol/logFormat.ts';
import { openCheckpoint } from '../../../src/protocol/note.ts';
import { TILE_WIDTH, tilePath } from '../../../src/protocol/tiles.ts';
import { nextOrigin } from '../../../workers/log/anew.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { checkOutput } from '../../support/checkOutput.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type LogSettings, logSettings } from '../../support/logSettings.ts';
import { findProgram } from '../../support/programs.ts';
import { eventually } from '../../support/waits.ts';
import { rotation, sendFreeze, sendRotation } from '../agents/rotating.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';
import { type Opened, Stranger } from './support/log.ts';

const RECOVER = 'workers/log/recover.ts';
const SILENT = pino({ level: 'silent' });
const TEXT = { title: 'Words', body: 'Words' };

describe('a whole database that was put back from an older backup', function () {
  this.timeout(180_000);
  let forum: TestForum;
  let settings: LogSettings;
  let stranger: Stranger;
  let workers: Workers | undefined;
  let api: Api | undefined;
  let ada: TestAgent;
  let bob: TestAgent;
  let mirror: string;
  let backup: string;
  beforeEach(async () => {
    settings = await logSettings();
    forum = await startForum({ env: settings.env });
    stranger = new Stranger(forum.url);
    mirror = await mkdtemp(join(tmpdir(), 'forum-mirror-'));
    backup = `${new URL(forum.database.url).pathname.slice(1)}_backup`;
    await work();
    [ada, bob] = [await forum.agent(), await forum.agent()];
  });
  afterEach(async () => {
    await rest();
    await (api ?? forum.api).stop();
    api = undefined;
    await forum.database.drop();
    await asAdmin(`DROP DATABASE IF EXISTS ${backup}`);
    await settings.remove();
    await rm(mirror, { recursive: true });
  });

  async function work(): Promise<void> {
    workers = await startWorkers(forum.api.services.config, SILENT);
  }
  async function rest(): Promise<void> {
    await workers?.stop();
    workers = undefined;
  }
  const rows = <R>(text: string) => forum.rows<R>(text);
  const settled = () => stranger.settled(rows);
  const halted = async () => (await rows<{ halted: string | null }>('SELECT halted FROM log_head'))[0]!.halted;
  const write = async (by: TestAgent, title: string): Promise<string> =>
    accepted(await by.post('/v1/posts', { title, body: 'Words' })).post.postId;
  const status = async (path: string) => (await bob.anonymous('GET', path)).status;
  const check = () => api!.services.db.inTransaction(verifyStoredLog, { snapshot: true });

  async function asAdmin(...statements: string[]): Promise<void> {
    const url = new URL(forum.database.url);
    url.pathname = '/postgres';
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    for (const statement of statements) await admin.query(statement);
    await admin.end();
  }

  /**
   * One database becomes a copy of another while nothing runs; the service is there again at its address afterwards.
   */
  async function copyDatabase(from: string, to: string): Promise<void> {
    await rest();
    await (api ?? forum.api).stop();
    const names = [from, to].map((name) => `'${name}'`).join(', ');
    await asAdmin(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN (${names})`,
      `DROP DATABASE IF EXISTS ${to}`,
      `CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`,
    );
    await storeSessionSettings(forum.database.pool);
    const { config } = forum.api.services;
    api = await startApi({ ...config, port: Number(new URL(forum.url).port) }, SILENT, { checkOutput });
  }
  const database = () => backup.replace(/_backup$/, '');
  const backUp = () => copyDatabase(database(), backup);
  const putBack = () => copyDatabase(backup, database());

  async function copyTo(folder: string, { size, note }: Opened): Promise<void> {
    await writeFile(join(folder, 'checkpoint'), note);
    for (let index = 0; index * TILE_WIDTH < size; index++) {
      const tile = { level: 'entries', index } as const;
      const path = join(folder, 'tile', tilePath(tile, Math.min(TILE_WIDTH, size - index * TILE_WIDTH)));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, await stranger.tile('entries', index, size));
    }
  }

  async function recover(...argv: string[]) {
    const env = { ...process.env, ...settings.env, DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
    const program = await findProgram(RECOVER);
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...argv], { env });
    return JSON.parse(stdout);
  }
  const read = async (path: string) => Buffer.from(await (await stranger.get(path)).arrayBuffer());

  it('is written to, signed no more, recovered from a mirror, and no two heads disagree', async () => {
    const [kept, illegal] = [await write(ada, 'Kept'), await write(ada, 'Illegal')];
    const early = await settled();
    await backUp();
    await work();
    const lost = await write(ada, 'Lost');
    const newcomer = await forum.agent();
    await write(newcomer, 'By somebody who is forgotten');
    const erased = await act(forum, 'erase_content', 'post', illegal);
    const late = await settled();
    await copyTo(mirror, late);

    await putBack();
    await work();
    await eventually(async () => (await halted()) !== null);
    assert.equal(await status(`/v1/posts/${lost}`), 404);
    // What was erased is there again, and nobody knows.
    assert.equal(await status(`/v1/posts/${illegal}`), 200);
    const meanwhile = await write(ada, 'While it was halted');
    const another = await forum.agent();
    await write(another, 'By somebody new');
    assert.equal((await stranger.checkpoint()).note, early.note);
    assert.equal(await status(`/v1/posts/${meanwhile}/proof`), 202);

    const { acts, ...recovered } = await recover('--from', mirror);
    assert.equal(recovered.size, late.size);
    assert.equal(recovered.imported, late.size - early.size);
    assert.deepEqual(acts, [{ eventId: erased.eventId, kind: 'erase_content', targetType: 'post', target: illegal }]);
    // The log has registrations that the database has not.
    await eventually(async () => {
      const [row] = await rows<{ done: boolean }>(
        `SELECT NOT EXISTS (SELECT FROM log_pending) AND c.size = h.size AND h.agents = (SELECT max(registration_ordinal) FROM agents)
         AS done FROM log_head h, log_checkpoint c`,
      );
      return row!.done;
    });
    const after = await stranger.checkpoint();
    assert.ok(after.size > late.size);
    const log = await stranger.verifier();
    const heads = [early, late, after].map(({ note }) => openCheckpoint(note, log));
    for (const one of heads) for (const other of heads) await requireContinuation(read, one, other);
    await verifyLog(read, { log });
    for (const id of [kept, meanwhile]) assert.equal(await status(`/v1/posts/${id}/proof`), 200, id);
    const problems = ['removed', 'erased'].map(
      (condition) => `the acts in the log say that the post ${illegal} is ${condition}, but it is not`,
    );
    assert.deepEqual((await check()).toSorted(), problems.toSorted());
    await act(forum, 'erase_content', 'post', illegal);
    await eventually(async () => (await rows('SELECT FROM log_pending')).length === 0);
    assert.deepEqual(await check(), []);
    assert.equal(await status(`/v1/posts/${illegal}`), 404);
  });

  it('knows again which keys were replaced and which frozen', async () => {
    const [later, latest] = [ada.withKey(), ada.withKey()];
    accepted(await sendRotation(ada, rotation(ada, later)), 200);
    await settled();
    await backUp();
    await work();
    accepted(await sendRotation(later, rotation(later, latest)), 200);
    accepted(await sendFreeze(bob), 200);
    await copyTo(mirror, await settled());

    await putBack();
    await work();
    await eventually(async () => (await halted()) !== null);
    const whoMayWrite = () =>
      Promise.all([ada, later, latest, bob].map(async (agent) => (await agent.post('/v1/posts', TEXT)).status));
    await recover('--from', mirror);
    assert.deepEqual(await whoMayWrite(), [401, 401, 201, 403]);
    const keys = (await latest.anonymous('GET', `/v1/agents/${ada.handle}`)).body.keys;
    assert.deepEqual(
      keys.map(({ publicKey }: { publicKey: string }) => publicKey),
      [ada, later, latest].map(({ signingPublicKey }) => signingPublicKey),
    );
    const post = await write(latest, 'Under the latest key');
    await settled();
    const proof = (await latest.anonymous('GET', `/v1/posts/${post}/proof`)).body;
    assert.equal(proof.keys.length, 2);
    await verifyLog(read, { log: await stranger.verifier() });
    assert.deepEqual(await check(), []);
  });

  it('begins a new log without any copy, whose first leaf names the head that was lost', async () => {
    const kept = await write(ada, 'Kept');
    await settled();
    await backUp();
    await work();
    await write(ada, 'Lost');
    const late = await settled();
    await putBack();
    await work();
    await eventually(async () => (await halted()) !== null);
    const meanwhile = await write(ada, 'While it was halted');
    await act(forum, 'remove_content', 'post', await write(ada, 'Removed'));
    const before = await stranger.verifier();
    const { origin, verifierKey, lost } = await recover('--anew');
    assert.equal(origin, `${late.origin}/2`);
    const { size, root } = openCheckpoint(lost, before);
    assert.deepEqual([size, root], [late.size, late.root]);
    const after = await settled();
    assert.equal((await stranger.verifier()).line, verifierKey);
    const [first] = await stranger.entries(after.size);
    assert.deepEqual(parseLeaf(first!), { kind: 'key', number: 1, content: { change: 'log', lost } });
    await verifyLog(read, { log: await stranger.verifier() });
    for (const id of [kept, meanwhile]) assert.equal(await status(`/v1/posts/${id}/proof`), 200, id);
    assert.deepEqual(await check(), []);
    await assert.rejects(followKeys(read, before), /the log is named .*\/2 now/);
  });
});

describe('the names of logs', () => {
  it('follow each other', () => {
    assert.equal(nextOrigin('forum.example/log/1a2b3c4d'), 'forum.example/log/1a2b3c4d/2');
    assert.equal(nextOrigin('forum.example/log/1a2b3c4d/2'), 'forum.example/log/1a2b3c4d/3');
    assert.equal(nextOrigin('forum.example/log/1a2b3c4d/10'), 'forum.example/log/1a2b3c4d/11');
    assert.equal(nextOrigin('forum.example/log/12345678'), 'forum.example/log/12345678/2');
  });
});
