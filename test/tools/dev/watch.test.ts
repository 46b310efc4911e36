import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findAffectedTests } from '../../support/affected.ts';
import { testDirectoriesRoot, testDirectoryPrefix } from '../../support/directories.ts';
import { eventually } from '../../support/waits.ts';
import { wantServices } from '../../support/wanted.ts';
import { areRunning, serverPids } from './support/servers.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const TEST = 'test/platform/base64url.test.ts';

// A Redis that has to be fetched is in the cache by then.
wantServices();

describe('npm run test:watch', function () {
  this.timeout(90_000);
  let watching: ChildProcess;
  let output = '';
  afterEach(() => watching.kill('SIGKILL'));

  const runs = () => output.split(/^12 passed, 0 failed$/m).length - 1;
  const touch = () => utimes(join(root, TEST), new Date(), new Date());

  it('runs the named tests, and again at a change, on services that stay up until it is ended', async () => {
    const { TEST_DATABASE_URL: _database, TEST_REDIS_URL: _redis, ...env } = process.env;
    watching = spawn(process.execPath, ['--import', 'tsx', 'test/support/watch.ts', TEST], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [watching.stdout, watching.stderr]) stream?.on('data', (chunk) => (output += chunk));
    await eventually(() => runs() === 1, 30_000, 'the first run');
    const names = await readdir(testDirectoriesRoot);
    const directories = names.filter((name) => name.startsWith(`${testDirectoryPrefix}${watching.pid}-`));
    assert.equal(directories.length, 1);
    const pids = await serverPids(join(testDirectoriesRoot, directories[0]!));

    await touch();
    await eventually(() => runs() === 2, 20_000, 'the second run');
    assert.deepEqual(await areRunning(pids), { postgres: true, redis: true });

    await touch();
    await eventually(() => output.split('Changed: ').length === 3);
    const exit = once(watching, 'exit');
    watching.kill('SIGINT');
    assert.deepEqual(await exit, [0, null], output);
    assert.deepEqual(await areRunning(pids), { postgres: false, redis: false });
    assert.ok(!(await readdir(testDirectoriesRoot)).includes(directories[0]!));
  });
});

describe('the tests that a change affects', () => {
  const affected = (file: string) => findAffectedTests([file]);

  it('are a test itself, those that load the file without the whole service, and those of its feature', () => {
    assert.deepEqual(affected(TEST), [TEST]);
    assert.ok(affected('src/platform/codec/text.ts').includes(TEST));
    assert.ok(affected('src/tools/dev/files.ts').includes('test/tools/dev/services.test.ts'));
    const ofPosts = affected('src/features/posts/store.ts');
    assert.ok(ofPosts.length > 3 && ofPosts.length < 160, ofPosts.join('\n'));
    assert.ok(ofPosts.includes('test/features/posts/create.test.ts'));
    assert.ok(!affected('src/pipeline/write.ts').includes('test/features/posts/create.test.ts'));
    assert.deepEqual(affected('src/no-such-file.ts'), []);
  });

  it('are all that start a service when that is changed by which they do', () => {
    assert.ok(affected('test/support/forum.ts').length > 50);
  });
});
