import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { requireContinuation, verifyLog } from '../../../src/client/publicLog.ts';
import { deploymentId } from '../../../src/platform/postgres/settings.ts';
import { parseLeaf } from '../../../src/protocol/logFormat.ts';
import { openCheckpoint } from '../../../src/protocol/note.ts';
import { TILE_WIDTH, tilePath } from '../../../src/protocol/tiles.ts';
import { type ReadMirror, recoverLog } from '../../../workers/log/recovery.ts';
import { LogSigner } from '../../../workers/log/signer.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type LogSettings, logSettings } from '../../support/logSettings.ts';
import { findProgram } from '../../support/programs.ts';
import { eventually } from '../../support/waits.ts';
import { type Opened, Stranger } from './support/log.ts';

const TABLES = ['log_pending', 'log_head', 'log_checkpoint', 'log_tiles', 'log_leaves'];
const RECOVER = 'workers/log/recover.ts';

describe('a log whose database was put back', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let settings: LogSettings;
  let stranger: Stranger;
  let workers: Workers | undefined;
  let ada: TestAgent;
  let mirror: string;
  beforeEach(async () => {
    settings = await logSettings();
    forum = await startForum({ env: settings.env });
    stranger = new Stranger(forum.url);
    mirror = await mkdtemp(join(tmpdir(), 'forum-mirror-'));
    await work();
    ada = await forum.agent();
  });
  afterEach(async () => {
    await workers?.stop();
    await forum.stop();
    await settings.remove();
    await rm(mirror, { recursive: true });
  });

  async function work(): Promise<void> {
    workers = await startWorkers(forum.api.services.config, pino({ level: 'silent' }));
  }
  async function rest(): Promise<void> {
    await workers?.stop();
    workers = undefined;
  }
  const settled = () => stranger.settled((text) => forum.rows(text));
  const halted = async () => (await forum.rows<{ halted: string | null }>('SELECT halted FROM log_head'))[0]!.halted;
  const write = async (title: string) =>
    (await ada.post('/v1/posts', { title, body: 'Words' })).body.post.postId as string;

  /** As a backup has it. */
  async function backUp(): Promise<void> {
    await forum.rows('CREATE SCHEMA backup');
    for (const table of [...TABLES, 'write_evidence'])
      await forum.rows(`CREATE TABLE backup.${table} AS TABLE ${table}`);
  }
  /** The log and its evidence as the backup has them; `kept` writes of later are there as well. */
  async function putBack(kept: readonly string[] = []): Promise<void> {
    const names = kept.map((id) => `'${id}'`).join(', ') || "''";
    await forum.rows(
      `DELETE FROM write_evidence e WHERE NOT EXISTS (SELECT FROM backup.write_evidence b WHERE b.evidence_id = e.evidence_id)
       AND coalesce(e.facts::json->>'postId', '') NOT IN (${names})`,
    );
    for (const table of TABLES) {
      await forum.rows(`DELETE FROM ${table}`);
      await forum.rows(`INSERT INTO ${table} SELECT * FROM backup.${table}`);
    }
    await forum.rows(
      `INSERT INTO log_pending (pending_id, accepted_at) SELECT e.evidence_id, e.accepted_at FROM write_evidence e
       WHERE e.facts::json->>'postId' IN (${names})`,
    );
  }

  /** What somebody else has kept of what was published. */
  async function copyTo(folder: string, { size, note }: Opened): Promise<void> {
    await writeFile(join(folder, 'checkpoint'), note);
    for (let index = 0; index * TILE_WIDTH < size; index++) {
      const path = join(
        folder,
        'tile',
        tilePath({ level: 'entries', index }, Math.min(TILE_WIDTH, size - index * TILE_WIDTH)),
      );
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, await stranger.tile('entries', index, size));
    }
  }

  /** As the command does. test/features/log/restored.test.ts runs the command itself. */
  async function recover() {
    const { db, config } = forum.api.services;
    const { keys, memory } = await LogSigner.open(db, config, await deploymentId(db));
    const read: ReadMirror = (path) => readFile(join(mirror, path));
    const remember = (note: string) => memory.remember(note);
    return recoverLog(db, read, { keys, remembered: await memory.read(), remember });
  }

  it('is signed no more, recovers from a mirror, and no two heads of it ever disagree', async () => {
    await write('Before the backup');
    const early = await settled();
    await backUp();
    const [lost, kept] = [await write('Lost'), await write('Kept')];
    const late = await settled();
    await copyTo(mirror, late);
    await rest();
    await putBack([kept]);
    await work();
    await eventually(async () => (await halted()) !== null);
    const meanwhile = await write('While it was halted');
    assert.equal((await stranger.checkpoint()).note, early.note);
    assert.equal((await ada.anonymous('GET', `/v1/posts/${meanwhile}/proof`)).status, 202);

    assert.deepEqual(await recover(), { size: late.size, imported: late.size - early.size, lost: 1, acts: [] });
    const after = await settled();
    assert.ok(after.size > late.size);
    const read = async (path: string) => Buffer.from(await (await stranger.get(path)).arrayBuffer());
    const log = await stranger.verifier();
    const heads = [early, late, after].map(({ note }) => openCheckpoint(note, log));
    for (const one of heads) for (const other of heads) await requireContinuation(read, one, other);
    const { leaves } = await verifyLog(read, { log });
    const entries = await stranger.entries(after.size);
    assert.equal(new Set(entries.filter((entry) => parseLeaf(entry)!.kind === 'write').map(String)).size, leaves.write);
    for (const id of [kept, meanwhile])
      assert.equal((await ada.anonymous('GET', `/v1/posts/${id}/proof`)).status, 200, id);
    assert.equal((await ada.anonymous('GET', `/v1/posts/${lost}/proof`)).status, 404);
  });

  /** A host with a memory of its own. */
  const hostOf = (memoryDir: string) => {
    const { config } = forum.api.services;
    return { ...config, log: { ...config.log, memoryDir: join(settings.env.LOG_MEMORY_DIR, memoryDir) } };
  };

  it('is not signed by a host that signed none of the lost leaves', async () => {
    await write('Before the backup');
    const early = await settled();
    await backUp();
    await write('Lost');
    const late = await settled();
    const { db } = forum.api.services;
    const other = await LogSigner.open(db, hostOf('other'), await deploymentId(db));
    assert.equal(await other.publish(), null);
    assert.deepEqual([(await other.memory.read())?.note, (await stranger.checkpoint()).note], [late.note, late.note]);
    await write('Lost as well');
    const latest = await settled();
    assert.equal(await other.publish(), null);
    assert.equal((await other.memory.read())?.note, latest.note);

    // The host that signed is gone.
    await rest();
    await putBack();
    await write('In its place');
    workers = await startWorkers(hostOf('other'), pino({ level: 'silent' }));
    await eventually(async () => (await halted()) !== null);
    assert.equal((await stranger.checkpoint()).note, early.note);

    // A host without a memory signs what it finds. A host with one neither continues that log nor forgets.
    await rest();
    await forum.rows('UPDATE log_head SET halted = NULL');
    workers = await startWorkers(hostOf('none'), pino({ level: 'silent' }));
    for (const title of ['One', 'Two', 'Three']) await write(title);
    assert.ok((await settled()).size > latest.size);
    await rest();
    assert.match((await other.publish())!, /are not those that were signed$/);
    assert.equal((await other.memory.read())?.note, latest.note);
  });

  it('is stopped too where it grew again to as much, with other entries', async () => {
    await write('Before the backup');
    const early = await settled();
    await backUp();
    await write('Lost');
    const late = await settled();
    await rest();
    await putBack();
    // Another worker, which remembers nothing, has given places meanwhile.
    const memory = settings.env.LOG_MEMORY_DIR;
    await write('In its place');
    const unsigned = { ...forum.api.services.config, log: { ...forum.api.services.config.log, signingKey: undefined } };
    workers = await startWorkers(unsigned, pino({ level: 'silent' }));
    await eventually(async () => (await forum.rows('SELECT FROM log_pending')).length === 0);
    await rest();
    await work();
    await eventually(async () => (await halted()) !== null);
    assert.match((await halted())!, /not those that were signed/);
    assert.equal((await stranger.checkpoint()).note, early.note);
    assert.ok(memory && late.size > early.size);
  });

  it('is not recovered from a mirror that has less than was signed, or something else', async () => {
    await write('Before the backup');
    const early = await settled();
    await copyTo(mirror, early);
    await backUp();
    await write('Lost');
    const late = await settled();
    await rest();
    await putBack();
    await assert.rejects(recover(), /entries were signed, but the mirror has/);
    await copyTo(mirror, early);
    await writeFile(join(mirror, 'checkpoint'), late.note);
    await assert.rejects(recover());
    assert.equal((await stranger.checkpoint()).note, early.note);
  });

  it('is not recovered by a command that cannot, which says in a line what it wants', async () => {
    const program = await findProgram(RECOVER);
    const refusal = async (args: string[], changed: Record<string, string> = {}) => {
      const env = { ...process.env, ...settings.env, DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
      const run = promisify(execFile)(process.execPath, [program, ...args], { env: { ...env, ...changed } });
      const { code, stderr } = await run.then(
        () => assert.fail('it did'),
        (error) => error,
      );
      assert.equal(code, 1);
      return stderr.trimEnd();
    };
    const nowhere = (url: string) => url.replace(/:\d+\//, ':9099/');
    assert.match(await refusal(['--form', mirror]), /^Unknown option '--form'[^\n]*$/);
    assert.match(await refusal([]), /^Give either --from or --anew[^\n]*$/);
    assert.match(
      await refusal(['--from', nowhere('http://127.0.0.1:1/')]),
      /^http:\/\/127\.0\.0\.1:9099\/log\/checkpoint does not respond \(ECONNREFUSED\)[^\n]*$/,
    );
    assert.match(
      await refusal(['--from', mirror], { DATABASE_URL: nowhere(forum.database.url) }),
      /^PostgreSQL is not running at 127\.0\.0\.1:9099[^\n]*correct DATABASE_URL\.$/,
    );
    assert.match(
      await refusal(['--from', mirror], { LOG_SIGNING_KEY: 'abc' }),
      /^The configuration has 1 problem\(s\):\n {2}- LOG_SIGNING_KEY is no[^\n]*$/,
    );
  });

  it('holds nothing while a mirror is slow, and is not recovered where a head was published meanwhile', async () => {
    await write('Before the backup');
    await settled();
    await backUp();
    await write('Lost');
    const late = await settled();
    await copyTo(mirror, late);
    await rest();
    await putBack();
    const { db, config } = forum.api.services;
    const { keys } = await LogSigner.open(db, config, await deploymentId(db));
    const free: number[] = [];
    const look = async () => {
      free.push((await forum.rows('SELECT FROM log_head FOR UPDATE SKIP LOCKED')).length);
    };
    /** From a mirror where each tile takes as long as `meanwhile`. */
    const recoverWhile = (meanwhile: () => Promise<unknown>) => {
      const read: ReadMirror = async (path) => {
        if (path.startsWith('tile/')) await meanwhile();
        return readFile(join(mirror, path));
      };
      return recoverLog(db, read, { keys, remembered: undefined, remember: look });
    };
    const publishMore = () => forum.rows('UPDATE log_checkpoint SET size = size + 1');
    await assert.rejects(recoverWhile(publishMore), { message: 'a head was published meanwhile: try again' });
    await forum.rows('UPDATE log_checkpoint SET size = size - 1');
    assert.equal((await recoverWhile(look)).size, late.size);
    // No worker signs before the head is remembered from which the log continues.
    assert.deepEqual(free, [1, 0]);
    assert.equal((await stranger.checkpoint()).note, late.note);
  });
});
