import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../../src/platform/files/folders.ts';

describe('makeFolder', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'forum-folders-'));
  });
  after(() => rm(directory, { recursive: true }));

  it('creates missing folders, also for concurrent calls', async () => {
    const path = join(directory, 'a', 'b', 'c');
    await Promise.all([1, 2, 3].map(() => makeFolder(path, 0o700)));
    await makeFolder(path);
    for (const each of [path, join(directory, 'a')]) assert.equal((await stat(each)).mode & 0o777, 0o700);
  });

  it('throws if the folder cannot be created', async function () {
    const file = join(directory, 'file');
    await writeFile(file, '');
    await assert.rejects(makeFolder(file), { code: 'EEXIST' });
    await assert.rejects(makeFolder(join(file, 'below')), { code: 'EEXIST' });
    if (process.platform !== 'linux') this.skip();
    for (const path of ['/proc/none', '/proc/none/below']) await assert.rejects(makeFolder(path), { code: 'ENOENT' });
  });
});
