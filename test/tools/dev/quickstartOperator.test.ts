import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseFreePort } from '../../../src/tools/dev/ports.ts';
import { blocksOf } from '../../contract/docs/support/pages.ts';
import { cacheDirectory, makeTestDirectory } from '../../support/directories.ts';
import { paste } from '../../support/paste.ts';
import { stopAbandonedServices } from '../../support/stopAbandonedServices.ts';
import { eventually } from '../../support/waits.ts';
import { wantServices } from '../../support/wanted.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const READY_MS = 60_000;

// A Redis that has to be fetched is in the cache by then.
wantServices();

describe('the quickstart for operators', function () {
  this.timeout(180_000);
  let directory: string;
  let forum: ChildProcess;
  before(async () => {
    directory = await makeTestDirectory();
    // Copies, because a program that is started by a link does not recognize itself as the main module. They keep their
    // times, so that they are not compiled again.
    const names = ['package.json', 'CHANGELOG.md', 'src', 'workers', 'migrations'];
    execFileSync('cp', ['-a', ...names.map((name) => join(ROOT, name)), directory]);
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    await mkdir(join(directory, '.forum'));
    await cp(join(cacheDirectory, 'redis-packages'), join(directory, '.forum/redis-packages'), {
      recursive: true,
      verbatimSymlinks: true,
    }).catch(() => undefined);
  });
  after(async () => {
    forum.kill('SIGKILL');
    await stopAbandonedServices(join(directory, '.forum'));
    await rm(directory, { recursive: true, force: true });
  });

  it('starts a forum, acts as the operator, makes a backup and reads the metrics', async () => {
    const [start, ...rest] = await blocksOf('quickstart-operator', 'sh');
    const port = await chooseFreePort([]);
    const env: NodeJS.ProcessEnv = { ...process.env, PORT: String(port), OPS_PORT: '0', NO_PROXY: '*', no_proxy: '*' };
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'OPERATOR_AGENT_ID', 'FORUM_KEY']) delete env[name];
    let output = '';
    forum = spawn('bash', ['-c', `exec ${start}`], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const read = (text: Buffer) => {
      output += text;
    };
    forum.stdout?.on('data', read);
    forum.stderr?.on('data', read);
    await eventually(() => /operator\.json\n/.test(output) || forum.exitCode !== null, READY_MS, 'the start');
    const [, ops] = /^ {2}(http:\S+)\/queues /m.exec(output) ?? assert.fail(output);
    const blocks = rest.map((block) => block.replaceAll('http://127.0.0.1:9464', ops!));
    const surroundings = { cwd: directory, env: { ...env, FORUM_URL: `http://127.0.0.1:${port}` } };
    const { outputs, failed, errors } = await paste(blocks, surroundings);
    assert.deepEqual(failed, [], errors);
    const [acts, backup, metrics] = outputs;
    for (const shown of ['"registered": true', '"handle": "operator"', '"title": "Welcome"', '"items": []'])
      assert.ok(acts!.includes(shown), acts);
    assert.match(backup!, /^Backup in \S+: everything accepted until \S+, [\d.]+ MB in \d+ files\.$/m);
    assert.equal((await readdir(join(directory, 'backups'))).length, 1);
    assert.match(metrics!, /^\{.*"ready":true/);
    assert.match(metrics!, /^forum_ready\{.*\} 1$/m);
    assert.match(metrics!, /^No problems were found in the karma ledger/m);
    forum.kill('SIGTERM');
    // Closed once the forum has stopped too, which npm does not wait for.
    await once(forum, 'close');
    assert.match(output, /^Stopped\. The data is kept\.$/m);
  });
});
