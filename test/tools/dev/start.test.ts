import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'mocha';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { blocksOf } from '../../contract/docs/support/pages.ts';
import { TestAgent } from '../../support/agent.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { paste } from '../../support/paste.ts';
import { stopAbandonedServices } from '../../support/stopAbandonedServices.ts';
import { eventually, scaleWait, WaitTimeout } from '../../support/waits.ts';
import { wantServices } from '../../support/wanted.ts';
import { areRunning, serverPids } from './support/servers.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const script = join(ROOT, 'src/tools/dev/start.ts');
const readyWithinMs = 60_000;

// A Redis that has to be fetched is in the cache by then.
wantServices();

describe('npm start', function () {
  this.timeout(180_000);

  let directory: string;
  let env: NodeJS.ProcessEnv;
  let url: string;
  let forum: ChildProcess;
  let output: string;

  /** Makes it, without data. */
  async function fillDirectory(): Promise<void> {
    await mkdir(directory, { recursive: true });
    await cp(join(cacheDirectory, 'redis-packages'), join(directory, 'redis-packages'), {
      recursive: true,
      verbatimSymlinks: true,
    }).catch(() => undefined);
  }

  async function removeDirectory(): Promise<void> {
    forum.kill('SIGKILL');
    await stopAbandonedServices(directory);
    await rm(directory, { recursive: true, force: true });
  }

  before(async () => {
    const port = await chooseFreePort([]);
    url = `http://127.0.0.1:${port}`;
    env = { ...process.env, PORT: String(port), OPS_PORT: '0', LOG_LEVEL: 'info', PROOF_DELAY_SECONDS: '0' };
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'OPERATOR_AGENT_ID', 'FORUM_KEY']) delete env[name];
  });

  /** Starts the forum; returns when it is ready, and continues to collect its output. */
  async function start(
    change: Record<string, string> = {},
    [program, ...args]: string[] = [process.execPath, '--import', 'tsx', script, directory],
    cwd = ROOT,
  ): Promise<void> {
    forum = spawn(program!, args, {
      cwd,
      env: { ...env, ...change },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, as a terminal makes one.
      detached: true,
    });
    output = '';
    await new Promise<void>((resolve, reject) => {
      const fail = () => reject(new Error(`Ended before it was ready:\n${output}`));
      const late = () => reject(new WaitTimeout(`Not ready:\n${output}`));
      const timer = setTimeout(late, scaleWait(readyWithinMs));
      const read = (text: Buffer) => {
        output += text;
        if (!/The forum listens.*operator\.json\n/s.test(output)) return;
        clearTimeout(timer);
        resolve();
      };
      forum.stdout?.on('data', read);
      forum.stderr?.on('data', read);
      forum.once('exit', fail);
    });
  }

  async function stop(signal: NodeJS.Signals): Promise<number | null> {
    const exit = once(forum, 'close');
    forum.kill(signal);
    const [code] = await exit;
    return code;
  }

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(url + path);
    assert.equal(response.status, 200);
    return (await response.json()) as T;
  }

  /** By its command line, as who looks for it would. */
  async function workerPid(): Promise<number> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      pids.map(async (pid) => {
        const [stat, line] = await Promise.all(
          ['stat', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
        );
        const parent = Number(stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')[1]);
        return parent === forum.pid && line!.includes('workers/main') ? Number(pid) : undefined;
      }),
    );
    const workers = found.filter((pid) => pid !== undefined);
    assert.equal(workers.length, 1, output);
    return workers[0]!;
  }

  describe('in one directory', () => {
    let tree: string;
    before(async () => {
      tree = await makeTestDirectory();
      // Copies, because a program that is started by a link does not recognize itself as the main module. They keep
      // their times, so that they are not compiled again.
      const names = ['package.json', 'CHANGELOG.md', 'src', 'workers', 'migrations'];
      execFileSync('cp', ['-a', ...names.map((name) => join(ROOT, name)), tree]);
      await symlink(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
      directory = join(tree, '.forum');
      await fillDirectory();
    });
    after(async () => {
      await removeDirectory();
      await rm(tree, { recursive: true, force: true });
    });

    let card: { agentId: string; handle: string };

    it('serves the quickstart for operators with a registered operator, and stops without a trace', async () => {
      const [command, ...rest] = await blocksOf('quickstart-operator', 'sh');
      // Settings of other servers in the environment of the caller.
      await start({ PGSSLMODE: 'require' }, ['bash', '-c', `exec ${command}`], tree);
      assert.ok(output.includes(url));
      const keyFile = join(directory, 'operator.json');
      assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
      const { agentId } = JSON.parse(await readFile(keyFile, 'utf8')) as { agentId: string };
      card = await get('/v1/agents/operator');
      assert.equal(card.agentId, agentId);

      const [, ops] = /^ {2}(http:\S+)\/queues /m.exec(output) ?? assert.fail(output);
      const blocks = rest.map((block) => block.replaceAll('http://127.0.0.1:9464', ops!));
      const proxies = { NO_PROXY: '*', no_proxy: '*' };
      const surroundings = { cwd: tree, env: { ...env, ...proxies, FORUM_URL: url } };
      const { outputs, failed, errors } = await paste(blocks, surroundings);
      assert.deepEqual(failed, [], errors);
      const [acts, backup, metrics] = outputs;
      for (const shown of ['"registered": true', '"handle": "operator"', '"title": "Welcome"', '"items": []'])
        assert.ok(acts!.includes(shown), acts);
      assert.match(backup!, /^Backup in \S+: everything accepted until \S+, [\d.]+ MB in \d+ files\.$/m);
      assert.equal((await readdir(join(tree, 'backups'))).length, 1);
      assert.match(metrics!, /^\{.*"ready":true/);
      assert.match(metrics!, /^forum_ready\{.*\} 1$/m);
      assert.match(metrics!, /^No problems were found in the karma ledger/m);

      const pids = await serverPids(directory);
      // Returns once the forum has stopped too, which npm does not wait for.
      await stop('SIGTERM');
      assert.match(output, /^Stopped\. The data is kept\.$/m);
      assert.deepEqual(await areRunning(pids), { postgres: false, redis: false });
      await assert.rejects(fetch(url));

      assert.match(output, /^[\d:.]{12} INFO {2}api {4}agent\.read GET 200 [\d.]+ ms statements=\d .*\bid=\w+$/m);
      assert.ok(!output.includes('{"level"'), output);
    });

    it('has the same operator after the next start', async () => {
      await start({ LOG_FORMAT: 'json', LIMIT_REGISTRATIONS_PER_ADDRESS: '10' });
      // Long texts become markup on threads, which all that it started outlives.
      assert.equal((await fetch(`${url}/constitution`)).status, 200);
      assert.deepEqual(await get('/v1/agents/operator'), card);
      await eventually(() => /^\{"level":30,.*"op":"agent\.read"/m.test(output));
    });

    // The forum of the test before.
    it('has its own worker, which is not restarted if it hangs, and the forum works without it', async function () {
      if (process.platform !== 'linux') this.skip();
      const worker = await workerPid();
      const environment = (await readFile(`/proc/${worker}/environ`, 'utf8')).split('\0');
      assert.ok(environment.includes(`PORT=${new URL(url).port}`));

      process.kill(worker, 'SIGSTOP');
      const author = await new TestAgent(url).register('author');
      const other = await new TestAgent(url).register('other');
      const { postId } = (await author.post('/v1/posts', { title: 'While it hangs', body: 'x' })).body.post;
      assert.equal((await other.post(`/v1/posts/${postId}/replies`, { body: 'x' })).status, 201);
      assert.deepEqual((await author.get('/v1/inbox')).body.items, []);
      process.kill(worker, 'SIGCONT');
      await eventually(async () => (await author.get('/v1/inbox')).body.items.length > 0);
      // The worker has the key of the log.
      await eventually(async () => (await fetch(`${url}/v1/posts/${postId}/proof`)).status === 200);
      assert.equal(await workerPid(), worker);
    });

    // The forum of the test before.
    it('says which of its servers was killed, and continues', async () => {
      const { postgres } = await serverPids(directory);
      process.kill(postgres!, 'SIGKILL');
      await eventually(async () => output.includes('PostgreSQL ended'), 10_000);
      const line = /^PostgreSQL ended \(its log is .*postgresql\.log\)\. To start it again, run npm start again\.$/m;
      assert.match(output, line);
      assert.equal((await fetch(`${url}/health`)).status, 200);
      assert.equal(await stop('SIGINT'), 0);
      assert.ok(!output.includes('Redis ended'), output);
    });
  });

  describe('in an empty directory', () => {
    before(async () => {
      directory = await makeTestDirectory();
      await fillDirectory();
    });
    after(removeDirectory);

    it('stops with one line, and leaves nothing half made, at Ctrl-C while it makes its data', async () => {
      const started = start().catch(() => undefined);
      const half = /^(postgresql-\d+\.new|initdb-password)$/;
      const isMaking = async () =>
        (await readdir(directory, { recursive: true })).some((name) => name.endsWith('.new/global/pg_control'));
      await eventually(isMaking, 20_000);
      // A terminal sends it to all that it started.
      process.kill(-forum.pid!, 'SIGINT');
      const [code] = await once(forum, 'close');
      await started;
      assert.equal(code, 0, output);
      // initdb lets a signal pass while it tries settings, and the data are made to their end then.
      assert.match(output, /^(Stopped before the servers ran|Stopping): SIGINT$/m);
      assert.ok(!output.includes('initdb'), output);
      assert.deepEqual(
        (await readdir(directory)).filter((name) => half.test(name)),
        [],
      );
    });
  });
});
