import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { compileTree } from '../../../src/tools/dev/compiled.ts';
import { makeTestDirectory } from '../../support/directories.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const nobody = 65_534;

describe('the compiled programs of a checkout', function () {
  this.timeout(60_000);

  let directory: string;
  let checkout: string;

  beforeEach(async () => {
    directory = await makeTestDirectory();
    checkout = join(directory, `it's "new" $& Ümlaut #1 100%`);
    await mkdir(join(checkout, 'node_modules'), { recursive: true });
    for (const name of ['package.json', 'tsconfig.json', 'CHANGELOG.md', 'src', 'workers', 'migrations']) {
      await cp(join(root, name), join(checkout, name), { recursive: true });
    }
    for (const name of await readdir(join(root, 'node_modules'))) {
      if (name.startsWith('.')) continue;
      await symlink(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
    }
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('run for a checkout in any folder, and leave no incomplete tree', async () => {
    const tree = await compileTree(checkout);
    const env = { ...process.env, DATABASE_URL: 'postgres://127.0.0.1:1/forum', REDIS_URL: 'redis://127.0.0.1:1' };
    await assert.rejects(
      run(process.execPath, [join(tree, 'migrations/run.js')], { env }),
      /is not running at 127\.0\.0\.1:1/,
    );
    assert.deepEqual(await readdir(join(tree, '..')), [tree.split('/').at(-1)]);
  });

  it('cannot be made where the packages are somebody else’s, which is said with what to do', async () => {
    await chmod(join(checkout, 'node_modules'), 0o555);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(nobody);
    try {
      await assert.rejects(
        compileTree(checkout),
        /This user cannot write to .*: make this user the owner of node_modules/,
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(checkout, 'node_modules'), 0o755);
    }
  });
});
